import { type NestExpressApplication } from '@nestjs/platform-express';
import { type EntityManager } from 'typeorm';
import { createApplication } from '../../src/app.setup';
import { readEnvironment } from '../../src/config/environment';
import { insertRows } from '../../src/database/sql/rows';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { RoleType } from '../../src/access/role-type';
import { UsersService } from '../../src/users/users.service';
import { serviceEnvironment } from './processes';
import { type Workspace } from './workspace';

/** The administrator of the first start. */
export const ADMIN_ID = 1;
/** A fixed time, so that every run seeds the same bytes. */
export const EPOCH = Date.UTC(2026, 0, 1);
export const SENTENCE = 'The loop reads past the end of the list when the last page is short; see line 42. ';

const ROWS_PER_INSERT = 1000;
/** In seconds: long, because seeding writes more than a server's log holds. */
const SEEDING_TIMEOUT = 300;

/** A database with the application's own schema, filled through its services and entities. */
export class SeedDatabase {
  private constructor(private readonly app: NestExpressApplication) {}

  /** Creates the schema and the administrator, as the first start does. */
  static async open(databaseUrl: string, folder: string): Promise<SeedDatabase> {
    const environment = readEnvironment({
      ...serviceEnvironment(databaseUrl, folder),
      DATABASE_STATEMENT_TIMEOUT: String(SEEDING_TIMEOUT),
    });
    const app = await createApplication(environment);
    await app.get(FirstStartService).run();
    return new SeedDatabase(app);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.service(TransactionsService).run(work);
  }

  service<T>(type: new (...dependencies: never[]) => T): T {
    return this.app.get<T>(type, { strict: false });
  }

  /** Adds `user1`, `user2`, …, and returns their ids. */
  async addUsers(manager: EntityManager, count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let number = 1; number <= count; number++) {
      const userId = `user${number}`;
      ids.push(
        await this.service(UsersService).add(manager, {
          userId,
          name: `User Number ${number}`,
          roleType: RoleType.NormalUser,
          mailAddress: `${userId}@example.com`,
        }),
      );
    }
    return ids;
  }
}

/** Opens the database of a workspace for work that fills it, and closes it afterwards. */
export async function withSeedDatabase<T>(
  workspace: Workspace,
  url: string,
  work: (database: SeedDatabase) => Promise<T>,
): Promise<T> {
  const database = await SeedDatabase.open(url, workspace.folder);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Inserts a row for each item, in batches. */
export async function insertAll<Entity extends object, Item>(
  manager: EntityManager,
  entity: new () => Entity,
  items: readonly Item[],
  toRow: (item: Item) => Partial<Entity>,
): Promise<void> {
  for (let start = 0; start < items.length; start += ROWS_PER_INSERT) {
    await insertRows(manager, entity, items.slice(start, start + ROWS_PER_INSERT).map(toRow));
  }
}
