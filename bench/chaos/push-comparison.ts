import { ActivityType } from '../../src/activities/activity-type';
import { type Differences } from './differences';
import { type Push } from './ledger';
import { type DatabaseRecords } from './records';
import { type RepositoryRecords } from './repository';

/** The pushes of a run, and the state that they left. */
export interface FinalPushState {
  pushes: readonly Push[];
  activities: DatabaseRecords['activities'];
  repository: RepositoryRecords;
}

/**
 * Checks that each accepted push is in the repository, and in an activity of type 12 of its branch or tag. Anything else in the
 * repository must also have been pushed, and be in an activity even though git could not confirm it.
 */
export function comparePushes(
  { pushes, activities, repository }: FinalPushState,
  differences: Differences,
): void {
  const { lost, missing, phantom } = differences;
  const { refs, reachable, locks, damage } = repository;
  lost.push(...damage);
  phantom.push(...locks.map((name) => `lock ${name}`));
  const recorded = compareActivities(pushes, activities, differences);
  for (const { ref, hash } of pushes.filter(({ isAccepted }) => isAccepted)) {
    if (!reachable.has(hash)) lost.push(`push of ${hash} to ${ref}`);
    if (!recorded.has(keyOf(ref, hash))) missing.push(`activity of ${hash} on ${ref}`);
  }
  for (const ref of new Set(pushes.map((push) => push.ref))) {
    const ofRef = pushes.filter((push) => push.ref === ref);
    const hash = refs.get(ref);
    const position = ofRef.findLastIndex((push) => push.hash === hash);
    if (position < ofRef.findLastIndex(({ isAccepted }) => isAccepted)) lost.push(`last push to ${ref}`);
    const push = ofRef[position];
    if (push && !push.isAccepted && !recorded.has(keyOf(ref, push.hash)))
      missing.push(`activity of ${hash} on ${ref}, not acknowledged`);
  }
  const all = new Set(pushes.map(({ ref, hash }) => keyOf(ref, hash)));
  for (const [ref, hash] of refs) {
    if (!all.has(keyOf(ref, hash))) phantom.push(`${hash} on ${ref}`);
  }
}

/** @returns the commits that reached each branch and tag according to the activities */
function compareActivities(
  pushes: readonly Push[],
  activities: DatabaseRecords['activities'],
  differences: Differences,
): Set<string> {
  const refs = new Set(pushes.map(({ ref }) => ref));
  const hashes = new Set(pushes.map(({ hash }) => hash));
  const recorded = new Set<string>();
  for (const { id, type, ref, revisions } of activities) {
    if (type !== ActivityType.GitPushed) continue;
    if (!refs.has(ref)) differences.phantom.push(`activity ${id} of ${ref}`);
    for (const hash of revisions) {
      const key = keyOf(ref, hash);
      if (!hashes.has(hash)) differences.phantom.push(`commit ${hash} in activity ${id}`);
      if (recorded.has(key)) differences.doubled++;
      recorded.add(key);
    }
  }
  return recorded;
}

const keyOf = (ref: string, hash: string): string => `${ref} ${hash}`;
