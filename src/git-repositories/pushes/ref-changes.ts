import { type GitPush, type RefUpdate } from '../entities/git-push.entity';
import { BRANCHES, NO_HASH } from '../refs/ref-names';

/** A ref change that git has accepted and that has not been recorded. */
export interface RefChange extends RefUpdate {
  /** The push that announced it; null for an unannounced change, such as a manual one in the folder. */
  pushId: number | null;
  /** The index among the push's updates. */
  index: number;
}

/** Hashes by the names of refs. */
export type RefHashes = ReadonlyMap<string, string>;

/** Maximum number of announced updates of a ref that are searched for the longest path. */
const MAX_EDGES = 64;
const MAX_STEPS = 2000;

/**
 * Returns the changes of refs since they were recorded, in an order in which they can have happened: for each ref, the path through
 * the announced updates from the recorded hash to the present one. It is the longest such path, so that a branch that was deleted
 * and recreated has both changes. No path contains an update whose old hash the ref never had, or that git has rejected.
 * @param pushes in the order of their ids
 */
export function findRefChanges(
  recorded: RefHashes,
  present: RefHashes,
  pushes: readonly Pick<GitPush, 'id' | 'updates'>[],
): RefChange[] {
  const announced = new Map<string, RefChange[]>();
  for (const { id: pushId, updates } of pushes) {
    updates.forEach(({ ref, oldHash, newHash }, index) => {
      if (oldHash === newHash) return;
      const changes = announced.get(ref) ?? [];
      announced.set(ref, changes);
      changes.push({ ref, oldHash, newHash, pushId, index });
    });
  }
  const ways: RefChange[][] = [];
  for (const ref of new Set([...recorded.keys(), ...present.keys(), ...announced.keys()])) {
    const oldHash = recorded.get(ref) ?? NO_HASH;
    const newHash = present.get(ref) ?? NO_HASH;
    ways.push(findWay({ ref, oldHash, newHash }, announced.get(ref) ?? []));
  }
  // The first change of each ref comes first, then the second ones.
  const length = ways.reduce((most, way) => Math.max(most, way.length), 0);
  return Array.from({ length }, (_, step) => ways.flatMap((way) => way[step] ?? []).sort(byPush)).flat();
}

/** Returns the only branch of a repository if it is new: it becomes the default branch in place of one that does not exist. */
export function findAdoptedBranch(
  defaultBranch: string,
  present: RefHashes,
  changes: readonly RefChange[],
): string | undefined {
  const [only, ...others] = [...present.keys()].filter((ref) => ref.startsWith(BRANCHES));
  if (only === undefined || others.length > 0 || only === BRANCHES + defaultBranch) return undefined;
  const isMade = changes.some(({ ref, oldHash }) => ref === only && oldHash === NO_HASH);
  return isMade ? only.slice(BRANCHES.length) : undefined;
}

const byPush = (one: RefChange, other: RefChange): number =>
  (one.pushId ?? 0) - (other.pushId ?? 0) || one.index - other.index;

function findWay(update: RefUpdate, announced: readonly RefChange[]): RefChange[] {
  const { ref, oldHash, newHash } = update;
  const way = findLongest(update, announced.slice(0, MAX_EDGES)) ?? findShortest(update, announced);
  if (way) return way;
  if (oldHash === newHash) return [];
  const last = announced.find((change) => change.newHash === newHash);
  const unannounced = { ref, oldHash, newHash: last?.oldHash ?? newHash, pushId: null, index: 0 };
  return last ? [unannounced, last] : [unannounced];
}

/** Returns undefined when there is no path, or none is found within `MAX_STEPS`. */
function findLongest(
  { oldHash, newHash }: RefUpdate,
  changes: readonly RefChange[],
): RefChange[] | undefined {
  const isTarget = changes.some((change) => change.newHash === newHash);
  if (!isTarget) return oldHash === newHash ? [] : undefined;
  let longest: RefChange[] | undefined = oldHash === newHash ? [] : undefined;
  let steps = 0;
  const way: RefChange[] = [];
  const used = new Set<RefChange>();
  const walk = (hash: string): void => {
    if (hash === newHash && way.length > (longest?.length ?? 0)) longest = [...way];
    for (const change of changes) {
      if (change.oldHash !== hash || used.has(change) || steps++ >= MAX_STEPS) continue;
      used.add(change);
      way.push(change);
      walk(change.newHash);
      way.pop();
      used.delete(change);
    }
  };
  walk(oldHash);
  return longest;
}

function findShortest(
  { oldHash, newHash }: RefUpdate,
  changes: readonly RefChange[],
): RefChange[] | undefined {
  const from = new Map<string, RefChange[]>();
  for (const change of changes) from.set(change.oldHash, [...(from.get(change.oldHash) ?? []), change]);
  const ways = new Map<string, RefChange[]>([[oldHash, []]]);
  for (const [hash, way] of ways) {
    if (hash === newHash) return way;
    for (const change of from.get(hash) ?? []) {
      if (!ways.has(change.newHash)) ways.set(change.newHash, [...way, change]);
    }
  }
  return undefined;
}
