import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../src/app.setup';
import { readEnvironment } from '../../src/config/environment';
import { type LastingTestDatabase } from './database';
import { createMigratedDatabase } from './template';
import { type Environment } from './world';

/** Applications on one database and one folder of files, for tests with several processes or starts. */
export class Applications {
  database: LastingTestDatabase;
  private folder: string;
  private encryptionKey: string;
  private readonly running: NestExpressApplication[] = [];

  async setUp(): Promise<void> {
    this.database = await createMigratedDatabase();
    this.folder = await mkdtemp(join(tmpdir(), 'project-management-files-'));
    this.encryptionKey = randomBytes(32).toString('base64');
  }

  /** Creates an application that does not listen yet. */
  async create(environment: Environment = {}): Promise<NestExpressApplication> {
    const app = await createApplication(readEnvironment({ ...this.settings, ...environment }));
    this.running.push(app);
    return app;
  }

  private get gitRoot(): string {
    return `${this.folder}-git`;
  }

  /** The default settings of each application. */
  get settings(): Environment {
    return {
      LOG_LEVEL: 'silent',
      DATABASE_URL: this.database.url,
      STORAGE_URL: `file:${this.folder}`,
      // Overridden by the suites that need git.
      GIT_PATH: '/nonexistent/git',
      GIT_ROOT: this.gitRoot,
      DEMO_DATA: 'false',
      ENCRYPTION_KEY: this.encryptionKey,
      RATE_LIMIT: 'off',
      MAX_UNAUTHENTICATED_CONNECTIONS: '0',
      MAX_FAILED_KEYS: '0',
    };
  }

  /** Closes all running applications. */
  async close(): Promise<void> {
    for (const app of this.running.splice(0)) await app.close();
  }

  async tearDown(): Promise<void> {
    await this.close();
    await this.database.drop();
    await rm(this.folder, { recursive: true });
    await rm(this.gitRoot, { recursive: true, force: true });
  }
}

/** Provides a database and a folder for each test, and closes the applications that it leaves running. */
export function useApplications(): Applications {
  const applications = new Applications();
  beforeEach(() => applications.setUp());
  afterEach(() => applications.tearDown());
  return applications;
}
