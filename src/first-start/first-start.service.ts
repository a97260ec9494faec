import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment, EnvironmentError } from '../config/environment';
import { isDuplicate } from '../database/database-errors';
import { Transactions } from '../database/transactions';
import { SpaceService } from '../space/space.service';
import { generateApiKey, isPlausibleApiKey } from '../users/api-key';
import { ApiKeysService } from '../users/api-keys.service';
import { RoleType } from '../users/role-type';
import { UsersService } from '../users/users.service';
import { DemoData } from './demo-data';

/** What the first start has made; the key is shown this once. */
export interface FirstStart {
  adminKey: string;
  hasDemoData: boolean;
}

/** Fills an empty database so that somebody can use it (decisions, section 1). */
@Injectable()
export class FirstStartService {
  constructor(
    private readonly environment: Environment,
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly demoData: DemoData,
  ) {}

  /** Makes the space, its administrator and the administrator's key, all or nothing; undefined when there is a space. */
  async run(): Promise<FirstStart | undefined> {
    const adminKey = this.environment.ADMIN_API_KEY ?? generateApiKey();
    if (!isPlausibleApiKey(adminKey)) {
      throw new EnvironmentError(['ADMIN_API_KEY looks like a key of this service but has a typing mistake']);
    }
    const hasDemoData = this.environment.loadsDemoData;
    try {
      return await this.transactions.run(async (manager) => {
        if (await this.space.exists(manager)) return undefined;
        const adminId = await this.users.add(manager, {
          userId: 'admin',
          name: 'Administrator',
          roleType: RoleType.Administrator,
          mailAddress: 'admin@example.com',
        });
        await this.space.create(manager, { spaceKey: 'space', name: 'Space', ownerId: adminId });
        await this.apiKeys.add(manager, adminId, 'First key', adminKey);
        if (hasDemoData) await this.demoData.load(manager, adminId);
        return { adminKey, hasDemoData };
      });
    } catch (error) {
      // Another process, started at the same moment, was first.
      if (isDuplicate(error) && (await this.space.exists(this.dataSource))) return undefined;
      throw error;
    }
  }
}
