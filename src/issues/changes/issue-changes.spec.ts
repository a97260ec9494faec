import fc from 'fast-check';
import { change } from '../../comments/change-log';
import { changedReferences, describeChanges, type NameLookup } from './issue-changes';
import {
  changedFields,
  changedRowState,
  type FieldKind,
  INITIAL_STATE,
  ISSUE_FIELDS,
  type IssueState,
  rowStateOf,
} from '../issue-fields';

const STATE: IssueState = {
  ...INITIAL_STATE,
  summary: 'One',
  description: '',
  issueTypeId: 1,
  statusId: 11,
  dueDate: '2026-01-31',
  actualHours: 0.5,
  categoryIds: [1, 2],
  milestoneIds: [3],
};

/** Returns names that contain the field. Statuses have a different id on the wire. */
const lookUp: NameLookup = (field, id) => ({
  id: field === 'statusId' ? id - 10 : id,
  name: `${field} ${id}`,
});

const ids = fc
  .uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 3 })
  .map((list) => list.sort((one, other) => one - other));
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const VALUES: Record<FieldKind, fc.Arbitrary<unknown>> = {
  text: fc.constantFrom('', 'One', 'Two'),
  value: maybe(fc.constantFrom(0, 0.25, 8)),
  date: maybe(fc.constantFrom('2026-01-01', '2026-01-02')),
  reference: maybe(fc.integer({ min: 0, max: 4 })),
  list: ids,
};
const states = fc.record(
  Object.fromEntries(Object.entries(ISSUE_FIELDS).map(([field, { kind }]) => [field, VALUES[kind]])),
) as fc.Arbitrary<unknown> as fc.Arbitrary<IssueState>;

describe('describeChanges', () => {
  it.each<[string, Partial<IssueState>, [string, string, string], [string, string, string]]>([
    ['a text', { summary: 'Two' }, ['summary', 'Two', 'One'], ['summary', 'Two', 'One']],
    ['a text that was empty', { description: 'T' }, ['description', 'T', ''], ['description', 'T', '']],
    ['a type', { issueTypeId: 2 }, ['issueType', 'issueTypeId 2', 'issueTypeId 1'], ['issueType', '2', '1']],
    ['a status', { statusId: 14 }, ['status', 'statusId 14', 'statusId 11'], ['status', '4', '1']],
    ['a priority', { priorityId: 2 }, ['priority', 'priorityId 2', 'priorityId 3'], ['priority', '2', '3']],
    ['a resolution', { resolutionId: 0 }, ['resolution', 'resolutionId 0', ''], ['resolution', '0', '']],
    ['an assignee', { assigneeId: 7 }, ['assigner', 'assigneeId 7', ''], ['assigner', '7', '']],
    ['a parent', { parentIssueId: 9 }, ['parentIssue', 'parentIssueId 9', ''], ['parentIssue', '9', '']],
    [
      'a start date',
      { startDate: '2026-01-01' },
      ['startDate', '2026-01-01', ''],
      ['startDate', '2026-01-01', ''],
    ],
    ['a due date', { dueDate: null }, ['limitDate', '', '2026-01-31'], ['limitDate', '', '2026-01-31']],
    ['an estimate', { estimatedHours: 0 }, ['estimatedHours', '0', ''], ['estimatedHours', '0', '']],
    ['actual hours', { actualHours: 2.25 }, ['actualHours', '2.25', '0.5'], ['actualHours', '2.25', '0.5']],
    [
      'categories',
      { categoryIds: [2, 5] },
      ['component', 'categoryIds 2, categoryIds 5', 'categoryIds 1, categoryIds 2'],
      ['category', '2, 5', '1, 2'],
    ],
    ['versions', { versionIds: [3] }, ['version', 'versionIds 3', ''], ['versions', '3', '']],
    ['milestones', { milestoneIds: [] }, ['milestone', '', 'milestoneIds 3'], ['milestone', '', '3']],
  ])('describes a change of %s for the change log and the activity', (_what, changes, log, activity) => {
    const [field, new_value, old_value] = activity;
    expect(describeChanges(STATE, { ...STATE, ...changes }, lookUp)).toEqual({
      changeLog: [change(...log)],
      changes: [{ field, new_value, old_value, type: 'standard' }],
    });
  });

  it('returns no entry when nothing has changed', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(describeChanges(state, { ...state, categoryIds: [...state.categoryIds] }, lookUp)).toEqual({
          changeLog: [],
          changes: [],
        });
      }),
    );
  });

  it('returns one entry per changed field, reversed for the opposite update', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const there = describeChanges(before, after, lookUp);
        const back = describeChanges(after, before, lookUp);
        expect(there.changeLog).toHaveLength(changedFields(before, after).length);
        expect(there.changes).toHaveLength(there.changeLog.length);
        expect(back.changeLog).toEqual(
          there.changeLog.map(({ field, newValue, originalValue }) => change(field, originalValue, newValue)),
        );
        for (const { newValue, originalValue } of there.changeLog) expect(newValue).not.toBe(originalValue);
      }),
    );
  });

  it('looks up only the names of changed values', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const wanted = changedReferences(before, after);
        const asked = new Map<string, Set<number>>();
        describeChanges(before, after, (field, id) => {
          asked.set(field, (asked.get(field) ?? new Set()).add(id));
          return { id, name: String(id) };
        });
        for (const [field, named] of wanted) expect(new Set(named)).toEqual(asked.get(field) ?? new Set());
        expect([...asked.keys()].every((field) => wanted.has(field as never))).toBe(true);
      }),
    );
  });
});

describe('changedRowState', () => {
  it('returns the fields that turn the row of one state into another', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const written = changedRowState(before, after);
        expect({ ...rowStateOf(before), ...written }).toEqual(rowStateOf(after));
        for (const field of Object.keys(written)) expect(changedFields(before, after)).toContain(field);
      }),
    );
  });
});
