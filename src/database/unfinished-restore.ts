import { existsSync, statSync } from 'node:fs';
import { type DataSource } from 'typeorm';
import { StartRefusedError } from './start-refused.error';

/** Table that exists from the first to the last statement of a restore on a server. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

/** Whether a restore into a server's database is unfinished. */
export async function hasUnfinishedRestore(dataSource: DataSource): Promise<boolean> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    return await queryRunner.hasTable(UNFINISHED_RESTORE);
  } finally {
    await queryRunner.release();
  }
}

/** @throws StartRefusedError if a restore into the database is unfinished: parts of the data are missing */
export async function refuseUnfinishedRestore(dataSource: DataSource): Promise<void> {
  if (await hasUnfinishedRestore(dataSource)) {
    throw new StartRefusedError(
      'A restore into this database has not ended: wait for it, or run pms restore again, which starts over.',
    );
  }
}

/** Returns the name under which a restore fills the file of an embedded database; the file gets its own name once it is complete. */
export const restoreDraftOf = (path: string): string => `${path}.restore`;

/** @throws StartRefusedError if a restore into the file of an embedded database was killed: a new database would hide it */
export function refuseRestoreDraft(path: string): void {
  const draft = restoreDraftOf(path);
  if (!existsSync(draft) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw new StartRefusedError(
    `A restore into ${path} has not ended: wait for it, or run pms restore again, which starts over. To begin without the backup, remove ${draft}.`,
  );
}
