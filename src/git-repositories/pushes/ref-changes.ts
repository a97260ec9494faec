import { type GitPush, type RefUpdate } from '../entities/git-push.entity';
import { BRANCHES, NO_HASH } from '../refs/git-refs.service';

/** A change of one ref that git has accepted and nobody has recorded. */
export interface RefChange extends RefUpdate {
  /** The push that announced it; null when nobody did, as when somebody has changed the folder by hand. */
  pushId: number | null;
  /** Which of the push's updates it is. */
  index: number;
}

/** Hashes by the names of refs. */
export type RefHashes = ReadonlyMap<string, string>;

/** How many announced updates of one ref are looked through for the longest way. */
const MAX_EDGES = 64;
const MAX_STEPS = 2000;

/**
 * What has happened to refs since they were recorded, in an order in which it can have happened: for each ref, the way through
 * the announced updates from the recorded hash to the present one. It is the longest such way, so that a branch that was deleted
 * and made again has both changes. An update whose old hash the ref never had is on no way; neither is one that git has refused.
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
  // First the first change of each ref, then the second ones.
  const length = ways.reduce((most, way) => Math.max(most, way.length), 0);
  return Array.from({ length }, (_, step) => ways.flatMap((way) => way[step] ?? []).sort(byPush)).flat();
}

/** The only branch of a repository, if it has just been made, which becomes the default one in place of a branch that never was. */
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

/** Undefined when there is no way, or none is found in time. */
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
