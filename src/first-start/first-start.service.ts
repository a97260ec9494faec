import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment, EnvironmentError } from '../config/environment';
import { isDuplicate } from '../database/connections/database-errors';
import { numberingFromOne } from '../database/sql/rows';
import { startWithServers } from '../database/connections/start-with-servers';
import { TransactionsService } from '../database/transactions/transactions.service';
import { SpaceService } from '../space/space.service';
import { PasswordLinksService } from '../sign-in/password-links.service';
import { generateApiKey, isPlausibleApiKey } from '../users/api-key';
import { ApiKeysService } from '../users/api-keys.service';
import { RoleType } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { DemoDataService, type DemoProject } from './demo-data.service';

/** The result of the first start. The key and the link are shown only this once. */
export interface FirstStart {
  adminKey: string;
  /** The path of the page on which the administrator sets a password and signs in. */
  passwordLink: string;
  hasDemoData: boolean;
}

/** Fills an empty database with the initial data (`docs/decisions/0002-start-and-embedded-database.md#the-first-start`). */
@Injectable()
export class FirstStartService {
  private readonly logger = new Logger(FirstStartService.name);

  constructor(
    private readonly environment: Environment,
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly passwordLinks: PasswordLinksService,
    private readonly demoData: DemoDataService,
  ) {}

  /** Creates the space, its administrator and their key in one transaction; returns undefined when a space already exists. */
  async run(): Promise<FirstStart | undefined> {
    const adminKey = this.environment.ADMIN_API_KEY ?? generateApiKey();
    if (!isPlausibleApiKey(adminKey)) {
      throw new EnvironmentError(['ADMIN_API_KEY looks like a key of this service but has a wrong checksum']);
    }
    if (await this.findSpace()) return undefined;
    const hasDemoData = this.environment.loadsDemoData;
    // The documentation's examples contain the ids of the demo project.
    const made = await numberingFromOne(this.dataSource, async () => {
      const first = await this.make(adminKey, hasDemoData);
      if (first?.demo) await this.completeDemo(first.demo);
      return first;
    });
    return made && { adminKey, passwordLink: made.passwordLink, hasDemoData };
  }

  /** Whether a space already exists. */
  private findSpace(): Promise<boolean> {
    return startWithServers(
      this.environment.DATABASE_URL,
      async () => {
        const exists = await this.space.exists(this.dataSource);
        if (exists) await this.reportOtherNames();
        return exists;
      },
      (line) => this.logger.warn(line),
    );
  }

  private async make(
    adminKey: string,
    hasDemoData: boolean,
  ): Promise<{ passwordLink: string; demo: DemoProject | undefined } | undefined> {
    try {
      return await this.transactions.run(async (manager) => {
        if (await this.space.exists(manager)) return undefined;
        const adminId = await this.users.add(manager, {
          userId: 'admin',
          name: 'Administrator',
          roleType: RoleType.Administrator,
          mailAddress: 'admin@example.com',
        });
        const { SPACE_KEY: spaceKey = 'space', SPACE_NAME: name = 'Space' } = this.environment;
        await this.space.create(manager, { spaceKey, name, ownerId: adminId });
        await this.apiKeys.add(manager, adminId, adminKey, { name: 'First key' });
        const { path: passwordLink } = await this.passwordLinks.make(manager, adminId);
        return {
          passwordLink,
          demo: hasDemoData ? await this.demoData.load(manager, adminId) : undefined,
        };
      });
    } catch (error) {
      // Another process that started concurrently was faster.
      if (isDuplicate(error) && (await this.space.exists(this.dataSource))) return undefined;
      throw error;
    }
  }

  /** Logs the settings that do not match the existing space. */
  private async reportOtherNames(): Promise<void> {
    const { SPACE_KEY, SPACE_NAME } = this.environment;
    const { spaceKey, name } = await this.space.get();
    const differing = [
      ...(SPACE_KEY !== undefined && SPACE_KEY !== spaceKey ? ['SPACE_KEY'] : []),
      ...(SPACE_NAME !== undefined && SPACE_NAME !== name ? ['SPACE_NAME'] : []),
    ];
    if (differing.length === 0) return;
    this.logger.warn(
      { spaceKey, name },
      `The space keeps the key and name of its first start: ${differing.join(' and ')} had no effect`,
    );
  }

  /** Completes the demo project. A failure is only logged, because the key must be shown in any case. */
  private async completeDemo(demo: DemoProject): Promise<void> {
    try {
      await this.demoData.complete(demo);
    } catch (error) {
      this.logger.warn({ err: error }, 'The demo project is incomplete');
    }
  }
}
