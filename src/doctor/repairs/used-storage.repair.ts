import { TransactionsService } from '../../database/transactions.service';
import { counted as countedThings } from '../../quantities';
import { SpaceService } from '../../space/space.service';
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
      const space = services(SpaceService);
      // Whatever changes the sum waits for this lock before it commits.
      await space.lock(manager);
      const difference = (await sumStorage(manager)) - (await space.usedBytes(manager));
      if (difference !== 0) await space.countStorage(manager, difference);
      return difference !== 0;
    }),
};
