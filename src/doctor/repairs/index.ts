import { counters } from './counters.repair';
import { files } from './files.repair';
import { gitFolders } from './git-folders.repair';
import { gitRefs } from './git-refs.repair';
import { memberships } from './memberships.repair';
import { references } from './references.repair';
import { type Repair } from './repair';
import { restores } from './restores.repair';
import { usedStorage } from './used-storage.repair';

/** Every repair, in the order in which they run: one may leave work to a later one. */
export const REPAIRS: readonly Repair[] = [
  restores,
  references,
  memberships,
  counters,
  files,
  gitFolders,
  gitRefs,
  usedStorage,
];
