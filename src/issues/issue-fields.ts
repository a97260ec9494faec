import { type IssueDto } from './dto/issue.dto';
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

/**
 * The kind of a field, its property in responses, and its name in change logs and activities, as clients of the family expect it. A `text`,
 * `value` or `date` is stored, requested and shown under its own name. Lists can be sorted by a value or a date, and `valuesOf` returns
 * them for responses and activities. A change of a `reference` shows the object that its id refers to.
 */
interface RowFieldDefinition {
  kind: 'text' | 'value' | 'date' | 'reference';
  response: keyof IssueDto;
  log: string;
  activity: string;
}

/** A field stored in its own table with `issue_id` and one other column. A change shows the objects that its ids refer to. */
interface ListFieldDefinition extends Omit<RowFieldDefinition, 'kind'> {
  kind: 'list';
  table: string;
  column: string;
}

const fieldOf =
  <Kind extends string>(kind: Kind) =>
  <Response extends keyof IssueDto>(response: Response, name: string = response) =>
    ({ kind, response, log: name, activity: name }) as const;

const text = fieldOf('text');
const value = fieldOf('value');
const date = fieldOf('date');
const reference = fieldOf('reference');

const list = (table: string, column: string, response: keyof IssueDto, log: string = response) =>
  ({ kind: 'list', table, column, response, log, activity: response }) as const;

/**
 * All fields of an issue's state, in the order in which changes are listed. The definition of a field determines how it is read, compared,
 * shown and written; a field without a definition, or without a property in responses, does not compile.
 */
export const ISSUE_FIELDS = {
  summary: text('summary'),
  description: text('description'),
  issueTypeId: reference('issueType'),
  categoryIds: list('issue_category', 'category_id', 'category', 'component'),
  versionIds: list('issue_version', 'version_id', 'versions', 'version'),
  milestoneIds: list('issue_milestone', 'version_id', 'milestone'),
  statusId: reference('status'),
  priorityId: reference('priority'),
  assigneeId: reference('assignee', 'assigner'),
  resolutionId: reference('resolution'),
  startDate: date('startDate'),
  dueDate: date('dueDate', 'limitDate'),
  estimatedHours: value('estimatedHours'),
  actualHours: value('actualHours'),
  parentIssueId: reference('parentIssueId', 'parentIssue'),
} satisfies {
  readonly [Field in IssueField]: Field extends ListField
    ? ListFieldDefinition
    : RowFieldDefinition & ({ kind: 'reference' } | { response: Field });
};

type Fields = typeof ISSUE_FIELDS;

export type FieldKind = Fields[IssueField]['kind'];

type FieldOfKind<Kind extends FieldKind> = {
  [Field in IssueField]: Fields[Field]['kind'] extends Kind ? Field : never;
}[IssueField];

/** The fields that hold ids. */
export type ReferenceField = FieldOfKind<'reference' | 'list'>;

type DateField = FieldOfKind<'date'>;
export type ValueField = FieldOfKind<'value' | 'date'>;

const isOfKind =
  <Kind extends FieldKind>(...kinds: Kind[]) =>
  (field: IssueField): field is FieldOfKind<Kind> =>
    (kinds as FieldKind[]).includes(ISSUE_FIELDS[field].kind);

export const isReferenceField = isOfKind('reference', 'list');

const isRowField = isOfKind('text', 'value', 'date', 'reference');

const isDateField = isOfKind('date');

const FIELDS = Object.keys(ISSUE_FIELDS) as IssueField[];

export const ROW_FIELDS: readonly RowField[] = FIELDS.filter(isRowField);
export const LIST_FIELDS: readonly ListField[] = FIELDS.filter(isOfKind('list'));
export const VALUE_FIELDS: readonly ValueField[] = FIELDS.filter(isOfKind('value', 'date'));

/** The values of an issue in a response or an activity, with dates in its format. */
export type ShownValues<Day> = { [Field in ValueField]: Field extends DateField ? Day : IssueState[Field] };

/** Returns the values of an issue with its dates converted. */
export const valuesOf = <Day>(
  issue: Pick<IssueState, ValueField>,
  toDay: (day: string | null) => Day,
): ShownValues<Day> =>
  Object.fromEntries(
    VALUE_FIELDS.map((field) => [field, isDateField(field) ? toDay(issue[field]) : issue[field]]),
  ) as ShownValues<Day>;

/** Fields that each new issue names. */
type RequiredField = 'issueTypeId' | 'statusId' | 'summary' | 'description';

/** The state of a new issue. Omitted fields have their initial values. */
export type NewState = Pick<IssueState, RequiredField> & Partial<IssueState>;

type NullableField = { [Field in RowField]: null extends IssueState[Field] ? Field : never }[RowField];

/** The initial values of fields: null where a field can be null. */
export const INITIAL_STATE: Readonly<Omit<IssueState, RequiredField>> = {
  ...(Object.fromEntries(ROW_FIELDS.map((field) => [field, null])) as Record<NullableField, null>),
  priorityId: 3,
  categoryIds: [],
  versionIds: [],
  milestoneIds: [],
};

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
