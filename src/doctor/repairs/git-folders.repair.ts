import { GitFoldersService } from '../../git-repositories/storage/git-folders.service';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { findFoldersWithoutRow } from '../git';
import { type Repair, RepairRefusedError } from './repair';

/** Moves folders of git repositories without rows aside, as the service does in the background. */
export const gitFolders: Repair<number> = {
  check: 'git orphans',

  async *find({ snapshot, environment }) {
    const store = new GitStore(environment, new GitProgram(environment));
    const unknown: number[] = [];
    for await (const id of findFoldersWithoutRow(snapshot, store)) unknown.push(id);
    for (const id of unknown.sort((one, other) => one - other)) {
      yield {
        line: `The folder of the git repository ${id} has no row: to be moved to GIT_ROOT/orphans.`,
        subject: id,
      };
    }
  },

  async fix(services, id) {
    const outcome = await services(GitFoldersService).putAsideOrphan(id);
    if (outcome === 'new') {
      throw new RepairRefusedError('It has changed within the last ten minutes: try again later.');
    }
    return outcome !== undefined;
  },
};
