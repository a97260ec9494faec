/** What of an issue can be changed; references are row ids. */
export interface IssueState {
  summary: string;
  description: string;
  issueTypeId: number;
  statusId: number;
  priorityId: number;
  resolutionId: number | null;
  assigneeId: number | null;
  parentIssueId: number | null;
  /** `yyyy-MM-dd`, as is `dueDate`. */
  startDate: string | null;
  dueDate: string | null;
  estimatedHours: number | null;
  actualHours: number | null;
  /** Each list in the order of its ids. */
  categoryIds: readonly number[];
  versionIds: readonly number[];
  milestoneIds: readonly number[];
}

export type IssueField = keyof IssueState;

/** The fields that are lists of ids, each kept in a table of its own. */
export const LIST_FIELDS = ['categoryIds', 'versionIds', 'milestoneIds'] as const;

export type ListField = (typeof LIST_FIELDS)[number];

const FIELDS: readonly IssueField[] = [
  'summary',
  'description',
  'issueTypeId',
  'categoryIds',
  'versionIds',
  'milestoneIds',
  'statusId',
  'priorityId',
  'assigneeId',
  'resolutionId',
  'startDate',
  'dueDate',
  'estimatedHours',
  'actualHours',
  'parentIssueId',
];

/** The fields that are columns of the issue's own row. */
export const ROW_FIELDS = FIELDS.filter((field) => !(LIST_FIELDS as readonly IssueField[]).includes(field));

/** What of it the issue's own row holds. */
export type RowState = Omit<IssueState, ListField>;

/** The fields in which two states differ, in the order in which changes are told. */
export const changedFields = (before: IssueState, after: IssueState): IssueField[] =>
  FIELDS.filter((field) => !isSame(before[field], after[field]));

const isSame = (one: IssueState[IssueField], other: IssueState[IssueField]): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((id, index) => id === other[index])
    : one === other;
