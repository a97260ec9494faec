import { ActivityType } from '../../src/activities/activity-type';
import { type Differences } from './differences';
import { comparePushes, type FinalPushState } from './push-comparison';

const MAIN = 'refs/heads/w0';
const TAG = 'refs/tags/w0-3';

const activityOf = (id: number, ref: string, revisions: string[]): FinalPushState['activities'][number] => ({
  id,
  type: ActivityType.GitPushed,
  commentId: 0,
  content: '',
  changes: 0,
  attachmentIds: [],
  ref,
  revisions,
});

/** Two pushes to a branch, the second without confirmation by git, and a tag. */
function wholeRemains(): FinalPushState {
  return {
    pushes: [
      { ref: MAIN, hash: 'a', isAccepted: true },
      { ref: MAIN, hash: 'b', isAccepted: false },
      { ref: TAG, hash: 'c', isAccepted: true },
    ],
    activities: [
      activityOf(11, MAIN, ['a']),
      activityOf(12, MAIN, ['b']),
      activityOf(13, TAG, ['c']),
      { ...activityOf(14, '', []), type: ActivityType.IssueCommented },
    ],
    repository: {
      refs: new Map([
        [MAIN, 'b'],
        [TAG, 'c'],
      ]),
      reachable: new Set(['a', 'b', 'c']),
      locks: [],
      damage: [],
    },
  };
}

const NOTHING = { lost: 0, missing: 0, phantom: 0, doubled: 0 };

describe(comparePushes, () => {
  it.each<[string, (remains: FinalPushState) => void, Partial<typeof NOTHING>]>([
    ['nothing in a consistent repository', () => undefined, {}],
    [
      'nothing when an interrupted push had no effect',
      ({ repository, activities }) => {
        repository.refs.set(MAIN, 'a');
        repository.reachable.delete('b');
        (activities as unknown[]).splice(1, 1);
      },
      {},
    ],
    [
      'nothing when one activity covers two pushes',
      ({ activities }) => {
        (activities as unknown[]).splice(0, 2, activityOf(11, MAIN, ['b', 'a']));
      },
      {},
    ],
    ['a missing branch', ({ repository }) => repository.refs.delete(MAIN), { lost: 1 }],
    [
      'a branch behind an accepted push',
      ({ repository, pushes }) => {
        (pushes as unknown[]).push({ ref: MAIN, hash: 'd', isAccepted: true });
        repository.reachable.add('d');
      },
      { lost: 1, missing: 1 },
    ],
    ['a missing commit', ({ repository }) => repository.reachable.delete('a'), { lost: 1 }],
    ['a damaged repository', ({ repository }) => repository.damage.push('a is missing'), { lost: 1 }],
    [
      'an accepted push without its activity',
      ({ activities }) => (activities as unknown[]).shift(),
      { missing: 1 },
    ],
    [
      'a push recorded for another branch',
      ({ activities }) => Object.assign(activities[0] as object, { ref: TAG }),
      { missing: 1 },
    ],
    [
      'an interrupted push that took effect without an activity',
      ({ activities }) => (activities as unknown[]).splice(1, 1),
      { missing: 1 },
    ],
    [
      'a second activity of one push',
      ({ activities }) => (activities as unknown[]).push(activities[0]),
      { doubled: 1 },
    ],
    [
      'an activity of a push that nobody made',
      ({ activities }) => (activities as unknown[]).push(activityOf(15, 'refs/heads/other', ['x'])),
      { phantom: 2 },
    ],
    [
      'a branch that nobody pushed',
      ({ repository }) => repository.refs.set('refs/heads/other', 'a'),
      { phantom: 1 },
    ],
    [
      'a branch at a commit that nobody pushed to it',
      ({ repository }) => repository.refs.set(MAIN, 'c'),
      { lost: 1, phantom: 1 },
    ],
    ['a leftover lock', ({ repository }) => repository.locks.push('heads/w0.lock'), { phantom: 1 }],
  ])('finds %s', (_name, change, expected) => {
    const remains = wholeRemains();
    change(remains);
    const differences: Differences = { lost: [], missing: [], phantom: [], doubled: 0 };
    comparePushes(remains, differences);
    const { lost, missing, phantom, doubled } = differences;
    const found = { lost: lost.length, missing: missing.length, phantom: phantom.length, doubled };
    expect(found).toEqual({ ...NOTHING, ...expected });
  });
});
