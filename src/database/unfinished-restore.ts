import { type DataSource } from 'typeorm';
import { StartRefusedError } from './start-refused.error';

/** The table that is there from the first to the last statement of a restore on a server. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

/** Whether a restore into a server's database has begun and not ended. The embedded database gets its file when all is in it. */
export async function hasUnfinishedRestore(dataSource: DataSource): Promise<boolean> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    return await queryRunner.hasTable(UNFINISHED_RESTORE);
  } finally {
    await queryRunner.release();
  }
}

/** @throws StartRefusedError when a restore into the database has not ended: parts of it are missing */
export async function refuseUnfinishedRestore(dataSource: DataSource): Promise<void> {
  if (await hasUnfinishedRestore(dataSource)) {
    throw new StartRefusedError(
      'A restore into this database has not ended: wait for it, or run pms restore again, which starts over.',
    );
  }
}
