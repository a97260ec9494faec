import { type Environment } from '../config/environment';
import { refuseUnfinishedRestore } from '../database/migrating/unfinished-restore';
import { openSnapshot } from '../database/snapshot/open-snapshot';
import { type Snapshot } from '../database/snapshot/snapshot';

/** Opens a snapshot. @throws StartRefusedError if a restore into the database has not ended */
export async function openWhole(environment: Pick<Environment, 'DATABASE_URL'>): Promise<Snapshot> {
  const snapshot = await openSnapshot(environment);
  try {
    if (!snapshot.isEmbedded) await refuseUnfinishedRestore(snapshot);
    return snapshot;
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
