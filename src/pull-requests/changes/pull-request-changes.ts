import { type ActivityChange } from '../../activities/activity-content';
import { change, type ChangeLogEntry } from '../../comments/change-log';
import { type PullRequestRow } from '../data/pull-request.repository';
import { PullRequestStatus } from '../pull-request-status';

/** The fields of a pull request that can be changed. */
export type PullRequestState = Pick<
  PullRequestRow,
  'summary' | 'description' | 'base' | 'branch' | 'issueId' | 'statusId' | 'assigneeId'
>;

type Field = keyof PullRequestState;

/** The names of the fields in activities, in the order in which changes are listed. */
const NAMES: Readonly<Record<Field, string>> = {
  summary: 'summary',
  description: 'description',
  base: 'base',
  branch: 'branch',
  issueId: 'issue',
  statusId: 'status',
  assigneeId: 'assignee',
};
/** The names in change logs, where the family uses another name for the issue. */
const LOG_NAMES: Readonly<Record<Field, string>> = { ...NAMES, issueId: 'dependentIssue' };
const FIELDS = Object.keys(NAMES) as Field[];

/** Names shown to readers in place of ids. */
export interface ReadableNames {
  issueKeys: ReadonlyMap<number, string>;
  userNames: ReadonlyMap<number, string>;
}

/** Returns the fields in which two states differ. */
export const changedFields = (before: PullRequestState, after: PullRequestState): Field[] =>
  FIELDS.filter((field) => before[field] !== after[field]);

/** Describes the differences between two states: as texts for the readers of a comment, and as ids for clients that read activities. */
export function describeChanges(
  before: PullRequestState,
  after: PullRequestState,
  names: ReadableNames,
): { changeLog: ChangeLogEntry[]; changes: ActivityChange[] } {
  const fields = changedFields(before, after);
  return {
    changeLog: fields.map((field) =>
      change(LOG_NAMES[field], display(after, field, names), display(before, field, names)),
    ),
    changes: fields.map((field) => ({
      field: NAMES[field],
      new_value: raw(after, field),
      old_value: raw(before, field),
      type: 'standard',
    })),
  };
}

const raw = (state: PullRequestState, field: Field): string => String(state[field] ?? '');

function display(state: PullRequestState, field: Field, { issueKeys, userNames }: ReadableNames): string {
  if (field === 'statusId') return PullRequestStatus[state.statusId];
  if (field === 'issueId') return nameOf(issueKeys, state.issueId);
  if (field === 'assigneeId') return nameOf(userNames, state.assigneeId);
  return state[field];
}

const nameOf = (names: ReadonlyMap<number, string>, id: number | null): string =>
  id === null ? '' : (names.get(id) ?? '');
