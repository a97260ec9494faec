import { DataSource } from 'typeorm';
import { GitUnavailableError } from '../../git/git-errors';
import { RefLockedError } from '../../git-repositories/refs/ref-repair';
import { RefRepairService } from '../../git-repositories/refs/ref-repair.service';
import { findRecordedHeads } from '../../pull-requests/data/recorded-heads';
import { findDamagedRefs } from '../git';
import { type Repair, RepairRefusedError } from './repair';

interface Subject {
  repositoryId: number;
  /** The full name of the ref, or `packed-refs`. */
  name: string;
}

/** Points damaged refs of git repositories at the commits that were recorded last. */
export const gitRefs: Repair<Subject> = {
  check: 'git refs',

  async *find({ snapshot, environment }) {
    try {
      for await (const { repositoryId, name, hash } of findDamagedRefs(snapshot, environment)) {
        yield {
          line: `${name} of the git repository ${repositoryId} is damaged${hash === undefined ? '' : `: to be set to ${hash}`}.`,
          subject: { repositoryId, name },
        };
      }
    } catch (error) {
      // The check of git reports that it is missing.
      if (!(error instanceof GitUnavailableError)) throw error;
    }
  },

  async fix(services, { repositoryId, name }) {
    try {
      const heads = await findRecordedHeads(services(DataSource), repositoryId);
      const damage = await services(RefRepairService).repair(repositoryId, name, heads);
      if (damage?.obstacle !== undefined) {
        throw new RepairRefusedError(
          `It cannot be repaired: ${damage.obstacle}. Restore the folders of a backup.`,
        );
      }
      return damage !== undefined;
    } catch (error) {
      if (!(error instanceof RefLockedError)) throw error;
      throw new RepairRefusedError('A git process holds the lock of the ref: try again later.');
    }
  },
};
