import { GitRefsDamagedError } from '../../git/git-errors';
import { receivedObjectChecks } from '../../git/object-checks';
import { BRANCHES, PULLS, TAGS } from '../refs/ref-names';

/** Maximum number of damaged refs that are hidden from a client. */
const MAX_HIDDEN = 1000;
/** The refs that git serves: only branches and tags. */
const SERVED = ['refs/', `!${BRANCHES}`, `!${TAGS}`];
/** Settings of fetches. The heads of pull requests can be fetched, and are never pushed. */
export const FETCH_SETTINGS = {
  'transfer.hideRefs': [...SERVED, `!${PULLS}`],
  // Larger files are streamed instead of being held in memory.
  'core.bigFileThreshold': '32m',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'true',
} as const;
/** Settings of pushes. */
export const PUSH_SETTINGS = {
  'transfer.hideRefs': SERVED,
  'core.bigFileThreshold': '32m',
  ...receivedObjectChecks('receive'),
  // Keeps packs: unpacked into loose objects, their deltas could take a hundred times as much space.
  'receive.unpackLimit': '1',
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'false',
  // A setting of the repository determines whether the default branch may be deleted.
  'receive.denyDeleteCurrent': 'ignore',
} as const;

/** Hides damaged refs as well. @throws GitRefsDamagedError when there are too many */
export function withHiddenRefs(config: GitConfig, damaged: readonly string[]): GitConfig {
  if (damaged.length === 0) return config;
  if (damaged.length > MAX_HIDDEN) throw new GitRefsDamagedError(`${damaged.length} refs`);
  return { ...config, 'transfer.hideRefs': [...config['transfer.hideRefs'], ...damaged] };
}

/** Settings that hide refs. */
type GitConfig = Readonly<Record<string, string | readonly string[]>> & {
  'transfer.hideRefs': readonly string[];
};
