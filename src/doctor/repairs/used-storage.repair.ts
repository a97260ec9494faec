import { Environment } from '../../config/environment';
import { openSnapshot } from '../../database/snapshot/open-snapshot';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { counted as countedThings, grouped } from '../../quantities';
import { UsedStorageService } from '../../space/used-storage.service';
import { findStorageDifference, readStorageUse, type StorageDifference } from '../data/counters';
import { type Repair, RepairRefusedError } from './repair';

/** Sets the used storage of the space to the sizes of its files and git repositories. */
export const usedStorage: Repair = {
  check: 'used storage',

  async *find({ snapshot }) {
    const { counted, actual } = await readStorageUse(snapshot);
    if (counted === actual) return;
    yield {
      line: `${countedThings(counted, 'byte')} are counted; there are ${grouped(actual)}.`,
      subject: null,
    };
  },

  async fix(services) {
    const environment = services(Environment);
    const { missing, corrected } = await findDifference(environment);
    if (missing === 0) return false;
    const isCorrected =
      (await findDifference(environment)).missing === missing &&
      (await services(TransactionsService).run((manager) =>
        services(UsedStorageService).correct(manager, missing, corrected),
      ));
    if (!isCorrected) throw new RepairRefusedError('It is changing: run it again.');
    return true;
  },
};

/**
 * Returns the difference of one state of the database. Uploads and removals do not change it, because they count in the transaction that
 * writes their row; so it is read outside of a transaction that would keep them waiting.
 */
async function findDifference(environment: Environment): Promise<StorageDifference> {
  const snapshot = await openSnapshot(environment);
  try {
    return await findStorageDifference(snapshot);
  } finally {
    await snapshot.close();
  }
}
