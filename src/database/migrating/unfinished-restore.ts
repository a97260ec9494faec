import { StartRefusedError } from '../connections/start-refused.error';
import { type StatementRunner } from '../sql/statements';

/** Table that exists from the first to the last statement of a restore on a server. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

/** Whether a restore into a server's database is unfinished. */
export async function hasUnfinishedRestore(runner: StatementRunner): Promise<boolean> {
  const rows = await runner.query<unknown[]>(
    'SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
    [UNFINISHED_RESTORE],
  );
  return rows.length > 0;
}

/** @throws StartRefusedError if a restore into a server's database is unfinished: parts of the data are missing */
export async function refuseUnfinishedRestore(runner: StatementRunner): Promise<void> {
  if (await hasUnfinishedRestore(runner)) {
    throw new StartRefusedError(
      'A restore into this database has not finished: wait for it, or run pms restore again, which starts over.',
    );
  }
}
