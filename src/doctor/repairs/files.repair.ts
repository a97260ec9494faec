import { AttachmentsService } from '../../attachments/attachments.service';
import { STORED_FILES, type StoredContent } from '../../attachments/data/stored-files';
import { isKey, ORPHAN_DAYS, type StoredFile } from '../../attachments/file-storage';
import { type Snapshot } from '../../database/snapshot/snapshot';
import { counted, grouped } from '../../quantities';
import { findUnknownKeys } from '../data/storage-keys';
import { type Repair, RepairRefusedError } from './repair';

const BATCH = 500;
/** Files found in one run; another run finds the rest. */
const MAX_FILES = 100_000;
/** Number of files without a row up to which they may outnumber the others, so that a leftover of an empty installation can be removed. */
const FEW_FILES = 10;
/** How long ago a file must have been written, in milliseconds. */
const OLD_MS = 3_600_000;

const RETENTION_NOTE = `the files are kept in the folder orphans of the storage for ${ORPHAN_DAYS} days`;

type Subject = string;

/** Puts files aside that no row names, and removes the incomplete files of processes that were killed. */
export const files: Repair<Subject> = {
  check: 'rows of files',

  async *find({ snapshot, storage }) {
    await refuseForeignKeys(snapshot);
    const orphans: StoredFile[] = [];
    let known = 0;
    let unknownFiles = 0;
    const look = async (batch: StoredFile[]): Promise<void> => {
      const unknown = new Set(
        await findUnknownKeys(
          snapshot,
          batch.map(({ key }) => key),
        ),
      );
      known += batch.length - unknown.size;
      unknownFiles += unknown.size;
      for (const file of batch.filter(({ key }) => unknown.has(key))) {
        const written = orphans.length < MAX_FILES ? await storage.writtenAt(file.key) : undefined;
        if (written !== undefined && Date.now() - written >= OLD_MS) orphans.push(file);
      }
    };
    for await (const batch of batchesOf(storage.list())) await look(batch);
    if (unknownFiles > FEW_FILES && unknownFiles > known) {
      throw new RepairRefusedError(
        `${counted(unknownFiles, 'file')} without a row, and only ${grouped(known)} with one: is this the database that belongs to STORAGE_URL?`,
      );
    }
    for await (const batch of batchesOf(storage.listIncomplete())) await look(batch);
    if (orphans.length === MAX_FILES) {
      yield { note: `Only ${counted(MAX_FILES, 'file')} of one run are listed: run it again for the rest.` };
    }
    if (orphans.length > 0) {
      yield { note: `Run --fix only if this is the database that you will keep: ${RETENTION_NOTE}.` };
    }
    for (const { key, size } of orphans) {
      yield { line: `The file ${key} (${counted(size, 'byte')}) has no row: to be removed.`, subject: key };
    }
  },

  async fix(services, key) {
    const outcome = await services(AttachmentsService).removeOrphan(key, OLD_MS);
    if (outcome === 'new')
      throw new RepairRefusedError('It was written within the last hour: try again later.');
    return outcome === 'removed';
  },
};

/** @throws RepairRefusedError if a changed row no longer names its file, which would then count as one without a row */
async function refuseForeignKeys(snapshot: Snapshot): Promise<void> {
  for await (const row of snapshot.stream(STORED_FILES)) {
    const { id, storageKey } = row as unknown as StoredContent;
    if (isKey(storageKey)) continue;
    throw new RepairRefusedError(
      `A row refers to a file that the service did not create, that of the attachment ${id}: restore a backup before files without a row are removed.`,
    );
  }
}

async function* batchesOf(found: AsyncIterable<StoredFile>): AsyncGenerator<StoredFile[]> {
  let batch: StoredFile[] = [];
  for await (const file of found) {
    batch.push(file);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
