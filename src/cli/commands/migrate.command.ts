import { readSettings } from '../../config/environment';
import { migrateDatabase, pendingMigrations } from '../../database/migrate';
import { CommandError, type CommandFile } from '../command';
import { withDatabase } from '../database';
import { note, print } from '../output';

export const configure: CommandFile['configure'] = (command) => {
  command
    .option('--check', 'only show which migrations are missing; exit code 1 if there are any')
    .action(({ check }: { check?: true }) => (check ? checkSchema() : migrate()));
};

const checkSchema = (): Promise<void> =>
  withDatabase(readSettings(), 'reads', async (dataSource) => {
    const pending = await pendingMigrations(dataSource);
    for (const name of pending) print(name);
    if (pending.length > 0) throw new CommandError(`Missing: ${describe(pending.length)}. Run pms migrate.`);
    note('The database has the schema of this version.');
  });

const migrate = (): Promise<void> =>
  withDatabase(readSettings(), 'writes', async (dataSource) => {
    const pending = await pendingMigrations(dataSource);
    await migrateDatabase(dataSource, { log: note });
    for (const name of pending) print(name);
    note(
      pending.length === 0
        ? 'The database had the schema of this version already.'
        : `Done: ${describe(pending.length)}.`,
    );
  });

const describe = (count: number): string => `${count} ${count === 1 ? 'migration' : 'migrations'}`;
