import { GitFoldersService } from '../../git-repositories/storage/git-folders.service';
import { findUnknownRepositories } from '../../git-repositories/data/stored-repositories';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { type Repair, RepairRefusedError } from './repair';

const BATCH = 500;

/** Moves folders of git repositories without rows aside, as the service does in the background. */
export const gitFolders: Repair<number> = {
  check: 'git orphans',

  async *find({ snapshot, environment }) {
    const store = new GitStore(environment, new GitProgram(environment));
    const unknown: number[] = [];
    let batch: number[] = [];
    for await (const id of store.ids()) {
      batch.push(id);
      if (batch.length < BATCH) continue;
      unknown.push(...(await findUnknownRepositories(snapshot, batch)));
      batch = [];
    }
    unknown.push(...(await findUnknownRepositories(snapshot, batch)));
    for (const id of unknown.sort((one, other) => one - other)) {
      yield {
        line: `The folder of the git repository ${id} has no row: to be moved to GIT_ROOT/orphans.`,
        subject: id,
      };
    }
  },

  async mend(services, id) {
    const outcome = await services(GitFoldersService).putAsideOrphan(id);
    if (outcome === 'new') {
      throw new RepairRefusedError('It has changed within the last ten minutes: run this again later.');
    }
    return outcome !== undefined;
  },
};
