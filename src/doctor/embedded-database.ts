import { type Snapshot } from '../database/snapshot/snapshot';
import { readIntegrity } from './data/engine-settings';
import { type Finding, ok, problem } from './finding';

/** Checks the file of the embedded database; reads all of it. */
export async function* checkEmbeddedDatabase(snapshot: Snapshot): AsyncGenerator<Finding> {
  yield ok('database', snapshot.engine);
  const problems = await readIntegrity(snapshot);
  yield problems.length === 0
    ? ok('integrity of the file', 'Every page and index is intact.')
    : problem(
        'integrity of the file',
        problems.join('; '),
        'Stop the service, move the database with -wal and -shm away, and restore a backup.',
      );
}
