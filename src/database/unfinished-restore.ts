import { type DataSource } from 'typeorm';
import { StartRefusedError } from './start-refused.error';

/** Table that exists from the first to the last statement of a restore on a server. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

/** Whether a restore into a server's database is unfinished. The embedded database's file gets its name only once it is complete. */
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
