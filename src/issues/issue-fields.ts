import { type Issue } from './entities/issue.entity';

/** The lists of an issue; each holds ids in ascending order. */
export interface IssueLists {
  categoryIds: readonly number[];
  versionIds: readonly number[];
  milestoneIds: readonly number[];
}

/** Columns of an issue's row that no request changes. Every other column needs a definition in `ISSUE_FIELDS`. */
export const FIXED_FIELDS = [
  'id',
  'projectId',
  'keyId',
  'threadId',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
] as const satisfies readonly Column[];

/** Columns of the entity; its relations are optional. */
type Column = { [Key in keyof Issue]-?: undefined extends Issue[Key] ? never : Key }[keyof Issue];

export type FixedField = (typeof FIXED_FIELDS)[number];

/** The fields of an issue that can be changed. References are row ids. */
export interface IssueState extends IssueLists, Pick<Issue, Exclude<Column, FixedField>> {}

export type IssueField = keyof IssueState;
export type ListField = keyof IssueLists;
export type RowField = Exclude<IssueField, ListField>;

/** The part of the state that is stored in the issue's own row. */
export type RowState = Pick<IssueState, RowField>;

/** The name of a field in change logs and activities, as clients of the family expect it. */
interface FieldNames {
  log: string;
  activity: string;
}

/** A field stored in a column of the issue's row. A change shows its value, or the object that its id refers to. */
interface RowFieldDefinition extends FieldNames {
  kind: 'value' | 'reference';
}

/** A field stored in its own table with `issue_id` and one other column. A change shows the objects that its ids refer to. */
interface ListFieldDefinition extends FieldNames {
  kind: 'list';
  table: string;
  column: string;
}

const value = (name: string) => ({ kind: 'value', log: name, activity: name }) as const;

const reference = (name: string) => ({ kind: 'reference', log: name, activity: name }) as const;

const list = (table: string, column: string, log: string, activity = log) =>
  ({ kind: 'list', table, column, log, activity }) as const;

/**
 * All fields of an issue's state, in the order in which changes are listed. The definition of a field determines how it is read, compared,
 * shown and written; a field without a definition does not compile.
 */
export const ISSUE_FIELDS = {
  summary: value('summary'),
  description: value('description'),
  issueTypeId: reference('issueType'),
  categoryIds: list('issue_category', 'category_id', 'component', 'category'),
  versionIds: list('issue_version', 'version_id', 'version', 'versions'),
  milestoneIds: list('issue_milestone', 'version_id', 'milestone'),
  statusId: reference('status'),
  priorityId: reference('priority'),
  assigneeId: reference('assigner'),
  resolutionId: reference('resolution'),
  startDate: value('startDate'),
  dueDate: value('limitDate'),
  estimatedHours: value('estimatedHours'),
  actualHours: value('actualHours'),
  parentIssueId: reference('parentIssue'),
} satisfies {
  readonly [Field in IssueField]: Field extends ListField ? ListFieldDefinition : RowFieldDefinition;
};

type Fields = typeof ISSUE_FIELDS;

/** The fields that hold ids. */
export type ReferenceField = {
  [Field in IssueField]: Fields[Field]['kind'] extends 'value' ? never : Field;
}[IssueField];

export const isReferenceField = (field: IssueField): field is ReferenceField =>
  ISSUE_FIELDS[field].kind !== 'value';

const isListField = (field: IssueField): field is ListField => ISSUE_FIELDS[field].kind === 'list';

const isRowField = (field: IssueField): field is RowField => !isListField(field);

const FIELDS = Object.keys(ISSUE_FIELDS) as IssueField[];

export const ROW_FIELDS: readonly RowField[] = FIELDS.filter(isRowField);
export const LIST_FIELDS: readonly ListField[] = FIELDS.filter(isListField);

/** Returns the fields that differ between two states, in the order in which changes are listed. */
export const changedFields = (before: IssueState, after: IssueState): IssueField[] =>
  FIELDS.filter((field) => !isSame(before[field], after[field]));

/** Returns the part of a state that is stored in the row. */
export const rowStateOf = (state: IssueState): RowState => pick(state, ROW_FIELDS) as RowState;

export const changedRowState = (before: IssueState, after: IssueState): Partial<RowState> =>
  pick(after, changedFields(before, after).filter(isRowField));

const pick = (state: IssueState, fields: readonly RowField[]): Partial<RowState> =>
  Object.fromEntries(fields.map((field) => [field, state[field]]));

const isSame = (one: IssueState[IssueField], other: IssueState[IssueField]): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((id, index) => id === other[index])
    : one === other;
