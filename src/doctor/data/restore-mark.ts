import { type Snapshot } from '../../database/snapshot/snapshot';
import { UNFINISHED_RESTORE } from '../../database/unfinished-restore';

/** Whether a restore into a server's database is unfinished. */
export async function hasRestoreMark(snapshot: Snapshot): Promise<boolean> {
  if (snapshot.isEmbedded) return false;
  const rows = await snapshot.query<unknown[]>(
    'SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
    [UNFINISHED_RESTORE],
  );
  return rows.length > 0;
}
