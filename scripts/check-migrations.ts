import { schemaDifference, type SchemaDifference, withScratchDatabase } from './schema';

/**
 * Fails when the migrations and the entities disagree, on the embedded database and on the server given. In CI, also fails without a
 * server, because the migrations have a dialect for each.
 */
async function main(serverUrl: string | undefined): Promise<void> {
  const differences: [string, SchemaDifference][] = [
    ['the embedded database', await schemaDifference('sqlite::memory:')],
  ];
  if (serverUrl) {
    differences.push([new URL(serverUrl).protocol, await withScratchDatabase(serverUrl, schemaDifference)]);
  }
  for (const [database, { up }] of differences) {
    if (up.length > 0) {
      console.error(`The migrations have drifted from the entities on ${database}:\n  ${up.join('\n  ')}`);
      process.exitCode = 1;
    } else {
      console.log(`No drift on ${database}`);
    }
  }
  if (!serverUrl) {
    console.warn('Only SQLite was checked, which fails in CI: set TEST_DATABASE_URL to check a server, too.');
    if (process.env.CI) process.exitCode = 1;
  }
}

void main(process.env.TEST_DATABASE_URL);
