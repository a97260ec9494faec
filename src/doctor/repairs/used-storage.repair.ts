import { TransactionsService } from '../../database/transactions.service';
import { counted as countedThings } from '../../quantities';
import { UsedStorageService } from '../../space/used-storage.service';
import { readStorageUse, sumStorage } from '../data/counters';
import { type Repair } from './repair';

/** Sets the used storage of the space to the sizes of its files and git repositories. */
export const usedStorage: Repair = {
  check: 'used storage',

  async *find({ snapshot }) {
    const { counted, actual } = await readStorageUse(snapshot);
    if (counted === actual) return;
    yield {
      line: `${countedThings(counted, 'byte')} are counted; there are ${actual.toLocaleString('en')}.`,
      subject: null,
    };
  },

  mend: (services) =>
    services(TransactionsService).run(async (manager) => {
      // The transaction reads one state of the database, and what it adds commutes with concurrent uploads.
      const usedStorage = services(UsedStorageService);
      const difference = (await sumStorage(manager)) - (await usedStorage.used(manager));
      if (difference !== 0) await usedStorage.count(manager, difference);
      return difference !== 0;
    }),
};
