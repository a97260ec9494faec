import { schemaDifference, type SchemaDifference, withScratchDatabase } from './schema';

/** Fails when the migrations and the entities disagree, on the embedded database and on the server given. */
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
}

void main(process.env.TEST_DATABASE_URL);
