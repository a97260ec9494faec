import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { StartRefusedError } from '../connections/start-refused.error';

/** Returns the name under which a restore fills the file of an embedded database; the file gets its own name once it is complete. */
export const restoreDraftOf = (path: string): string => `${path}.restore`;

/** Suffixes of the files that a draft consists of while it is open, or leaves when the process is killed. */
const DRAFT_PARTS = ['', '-wal', '-shm', '.lock', '.lock-journal'];

/** Removes the draft of a restore into the file of an embedded database, which the caller has locked; returns whether there was one. */
export async function removeRestoreDraft(path: string): Promise<boolean> {
  const files = DRAFT_PARTS.map((part) => restoreDraftOf(path) + part).filter((file) => existsSync(file));
  // The file that keeps the service from starting is removed last.
  for (const file of files.reverse()) await rm(file, { force: true });
  return files.length > 0;
}

/** Whether a restore has left a draft beside the file of an embedded database. */
export const hasRestoreDraft = (path: string): boolean =>
  DRAFT_PARTS.some((part) => existsSync(restoreDraftOf(path) + part));

/** @throws StartRefusedError if a restore into the file of an embedded database was killed: a new database would hide it */
export function refuseRestoreDraft(path: string): void {
  const draft = restoreDraftOf(path);
  if (!existsSync(draft) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw new StartRefusedError(
    `A restore into ${path} has not finished: wait for it, or run pms restore again, which starts over. To start without the backup, remove ${draft}.`,
  );
}
