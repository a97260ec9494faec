import { existsSync } from 'node:fs';
import { type DataSource } from 'typeorm';
import { entities } from '../app.entities';
import { type Environment } from '../config/environment';
import { createDataSource } from '../database/connections/data-source';
import { pendingMigrations } from '../database/migrating/migrate';
import { DatabaseInUseError } from '../database/connections/start-refused.error';
import { limitStatements } from '../database/connections/statement-limit';
import { refuseRestoreDraft } from '../database/sqlite/restore-draft';
import { CommandError } from './command';

/**
 * How a command uses the database. While a service has the embedded database open, commands that write are refused. On a server, all
 * commands work alongside a service, and those that only read also on a replica.
 */
export type DatabaseUse = 'reads' | 'writes';

const MEMORY = 'sqlite::memory:';

/**
 * Runs `work` with the configured database, which must exist, and closes it.
 * @throws CommandError for an embedded database that does not exist, or that a running service has open exclusively
 */
export async function withDatabase<T>(
  environment: Environment,
  use: DatabaseUse,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  requireFile(environment);
  const dataSource = await connect(environment, use);
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Same, but requires the schema of this version.
 * @throws CommandError if migrations are missing, StartRefusedError if the schema belongs to a newer version
 */
export function withCurrentDatabase<T>(
  environment: Environment,
  use: DatabaseUse,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  return withDatabase(environment, use, async (dataSource) => {
    const { length } = await pendingMigrations(dataSource);
    if (length > 0) {
      throw new CommandError(
        `The database lacks ${length} ${length === 1 ? 'migration' : 'migrations'} of this version: run pms migrate, or start the service.`,
      );
    }
    limitStatements(dataSource, environment.DATABASE_STATEMENT_TIMEOUT);
    return work(dataSource);
  });
}

/** Rejects a missing database file, which SQLite would create. */
function requireFile({ DATABASE_URL: url, isEmbeddedDatabase, databaseName }: Environment): void {
  if (url === MEMORY) throw new CommandError(`${MEMORY} exists only in a running service.`);
  if (isEmbeddedDatabase) refuseRestoreDraft(databaseName);
  if (isEmbeddedDatabase && !existsSync(databaseName)) {
    throw new CommandError(
      `There is no database ${databaseName}: start the service once, or set DATABASE_URL to the right one.`,
    );
  }
}

async function connect(environment: Environment, use: DatabaseUse): Promise<DataSource> {
  const onlyReads = use === 'reads' && !environment.isEmbeddedDatabase;
  try {
    return await createDataSource(environment, entities, onlyReads).initialize();
  } catch (error) {
    if (!(error instanceof DatabaseInUseError)) throw error;
    if (use === 'writes') {
      throw new CommandError(
        `${environment.databaseName} is in use by a running service: stop the service, run the command again, and start the service.`,
      );
    }
    return createDataSource(environment, entities, true).initialize();
  }
}
