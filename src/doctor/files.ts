import { STORED_FILES, type StoredContent } from '../attachments/data/stored-files';
import { type FileStorage, isKey, StorageFailedError } from '../attachments/file-storage';
import { type Snapshot } from '../database/snapshot/snapshot';
import { findUnknownKeys } from './data/storage-keys';
import { counted } from '../quantities';
import { type Finding, ok, problem, warning } from './finding';

const BATCH = 500;
const EXAMPLES = 5;

/** Checks whether rows and files match. */
export async function* checkFiles(snapshot: Snapshot, storage: FileStorage): AsyncGenerator<Finding> {
  try {
    await storage.check();
  } catch (error) {
    yield problem('files', `The storage cannot be used: ${(error as Error).message}.`, 'Check STORAGE_URL.');
    return;
  }
  try {
    yield await checkRows(snapshot, storage);
    yield await checkStorage(snapshot, storage);
  } catch (error) {
    if (!(error instanceof StorageFailedError)) throw error;
    yield problem('files of rows', `A file cannot be read: ${error.message}`, 'Check STORAGE_URL.');
  }
}

async function checkRows(snapshot: Snapshot, storage: FileStorage): Promise<Finding> {
  let files = 0;
  let lost = 0;
  const examples: number[] = [];
  const foreign: number[] = [];
  for await (const row of snapshot.stream(STORED_FILES)) {
    const { id, storageKey, size } = row as unknown as StoredContent;
    files++;
    if (!isKey(storageKey) && foreign.length < EXAMPLES) foreign.push(id);
    if ((await storage.size(storageKey)) === size) continue;
    lost++;
    if (examples.length < EXAMPLES) examples.push(id);
  }
  if (foreign.length > 0) {
    return problem(
      'files of rows',
      `Storage keys that the service did not create, such as those of the attachments ${foreign.join(', ')}.`,
      'These rows were changed outside of the service: restore a backup. Files under such keys are neither read nor removed.',
    );
  }
  if (lost === 0) return ok('files of rows', `${counted(files, 'file')}, all complete.`);
  return problem(
    'files of rows',
    `${counted(lost, 'file')} of ${files} missing or truncated, such as those of the attachments ${examples.join(', ')}.`,
    'Restore the files of a backup; until then, their downloads return 404.',
  );
}

/** Checks for files without a row, which take up space and are never shown. */
async function checkStorage(snapshot: Snapshot, storage: FileStorage): Promise<Finding> {
  let unknown = 0;
  let bytes = 0;
  let batch = new Map<string, number>();
  const look = async (): Promise<void> => {
    for (const key of await findUnknownKeys(snapshot, [...batch.keys()])) {
      unknown++;
      bytes += batch.get(key) ?? 0;
    }
    batch = new Map();
  };
  for await (const { key, size } of storage.list()) {
    batch.set(key, size);
    if (batch.size >= BATCH) await look();
  }
  await look();
  if (unknown === 0) return ok('rows of files', 'Every file has a row.');
  return warning(
    'rows of files',
    `${counted(unknown, 'file')} (${counted(bytes, 'byte')}) without a row.`,
    'The number includes uploads in progress. If it stays, an older database was restored, or this is the wrong database. If it is the right one, pms doctor --fix moves the files to the folder orphans.',
  );
}
