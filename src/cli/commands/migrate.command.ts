import { readSettings } from '../../config/environment';
import { migrateDatabase, pendingMigrations } from '../../database/migrating/migrate';
import { CommandError, type CommandFile } from '../command';
import { withDatabase } from '../database';
import { note, print, printJson } from '../output';

interface Options {
  check?: true;
  json?: true;
}

export const configure: CommandFile['configure'] = (command) => {
  command
    .option('--check', 'only list the missing migrations; exit code 1 if there are any')
    .option('--json', 'print the names of the migrations as JSON')
    .action(({ check, json }: Options) => (check ? checkSchema(json) : migrate(json)));
};

const checkSchema = (json: true | undefined): Promise<void> =>
  withDatabase(readSettings(), 'reads', async (dataSource) => {
    const pending = await pendingMigrations(dataSource);
    show(pending, json);
    if (pending.length > 0) throw new CommandError(`Missing: ${describe(pending.length)}. Run pms migrate.`);
    note('The database has the schema of this version.');
  });

const migrate = (json: true | undefined): Promise<void> =>
  withDatabase(readSettings(), 'writes', async (dataSource) => {
    const pending = await pendingMigrations(dataSource);
    await migrateDatabase(dataSource, { log: note });
    show(pending, json);
    note(
      pending.length === 0
        ? 'The database already has the schema of this version.'
        : `Done: ${describe(pending.length)}.`,
    );
  });

function show(names: readonly string[], json: true | undefined): void {
  if (json) printJson(names);
  else for (const name of names) print(name);
}

const describe = (count: number): string => `${count} ${count === 1 ? 'migration' : 'migrations'}`;
