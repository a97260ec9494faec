import fc from 'fast-check';
import { changedFields, describeChanges, type PullRequestState } from './pull-request-changes';
import { PULL_REQUEST_STATUSES, PullRequestStatus } from '../pull-request-status';

const NAMES = {
  issueKeys: new Map([
    [1, 'KEY-1'],
    [2, 'KEY-2'],
  ]),
  userNames: new Map([
    [1, 'Ann'],
    [2, 'Ben'],
  ]),
};
const anId = fc.constantFrom(null, 1, 2);
const aState: fc.Arbitrary<PullRequestState> = fc.record({
  summary: fc.constantFrom('One', 'Two'),
  description: fc.constantFrom('', 'Text'),
  base: fc.constantFrom('main', 'next'),
  branch: fc.constantFrom('one', 'two'),
  issueId: anId,
  statusId: fc.constantFrom(...PULL_REQUEST_STATUSES),
  assigneeId: anId,
});

/** The names of fields in the API. */
const WIRE_NAMES = {
  summary: 'summary',
  description: 'description',
  base: 'base',
  branch: 'branch',
  issueId: 'issue',
  statusId: 'status',
  assigneeId: 'assignee',
};

describe('describeChanges', () => {
  it('returns one entry per changed field, reversed for the opposite update', () => {
    fc.assert(
      fc.property(aState, aState, (before, after) => {
        const { changeLog, changes } = describeChanges(before, after, NAMES);
        const differing = Object.entries(WIRE_NAMES)
          .filter(
            ([field]) => before[field as keyof PullRequestState] !== after[field as keyof PullRequestState],
          )
          .map(([, name]) => name);
        expect(changeLog.map((entry) => entry.field.replace('dependentIssue', 'issue'))).toEqual(differing);
        expect(changes.map((entry) => entry.field)).toEqual(differing);
        expect(changedFields(before, after)).toHaveLength(differing.length);
        const back = describeChanges(after, before, NAMES);
        expect(back.changeLog.map((entry) => entry.newValue)).toEqual(
          changeLog.map((entry) => entry.originalValue),
        );
        expect(back.changes.map((entry) => entry.new_value)).toEqual(changes.map((entry) => entry.old_value));
      }),
    );
  });

  it('returns names for the change log and ids for the activity', () => {
    const rest = { summary: 'S', description: '', base: 'main', branch: 'one' };
    const before = { ...rest, issueId: 1, statusId: PullRequestStatus.Open, assigneeId: null };
    const after = { ...rest, issueId: null, statusId: PullRequestStatus.Merged, assigneeId: 2 };
    const { changeLog, changes } = describeChanges(before, after, NAMES);
    const texts = changeLog.map(({ field, newValue, originalValue }) => [field, newValue, originalValue]);
    expect(texts).toEqual([
      ['dependentIssue', '', 'KEY-1'],
      ['status', 'Merged', 'Open'],
      ['assignee', 'Ben', ''],
    ]);
    expect(changes).toEqual([
      { field: 'issue', new_value: '', old_value: '1', type: 'standard' },
      { field: 'status', new_value: '3', old_value: '1', type: 'standard' },
      { field: 'assignee', new_value: '2', old_value: '', type: 'standard' },
    ]);
  });
});
