import { type ActivityChange, type Named } from '../../activities/activity-content';
import { change, type ChangeLogEntry } from '../../comments/change-log';
import { changedFields, type IssueField, type IssueState } from './issue-state';

/** Looks up what an id of a field's values names, as the wire knows it: its id there, and the name that people read. */
export type NameLookup = (field: ReferenceField, id: number) => Named;

/** The fields whose values are ids. */
export type ReferenceField = Exclude<IssueField, TextField>;

type TextField = 'summary' | 'description' | 'startDate' | 'dueDate' | 'estimatedHours' | 'actualHours';

const TEXT_FIELDS: ReadonlySet<IssueField> = new Set<TextField>([
  'summary',
  'description',
  'startDate',
  'dueDate',
  'estimatedHours',
  'actualHours',
]);

/** The family's names of the fields: in a comment's change log, and in activities where they differ. */
const FIELD_NAMES: Readonly<Record<IssueField, { log: string; activity?: string }>> = {
  summary: { log: 'summary' },
  description: { log: 'description' },
  issueTypeId: { log: 'issueType' },
  categoryIds: { log: 'component', activity: 'category' },
  versionIds: { log: 'version', activity: 'versions' },
  milestoneIds: { log: 'milestone' },
  statusId: { log: 'status' },
  priorityId: { log: 'priority' },
  assigneeId: { log: 'assigner' },
  resolutionId: { log: 'resolution' },
  startDate: { log: 'startDate' },
  dueDate: { log: 'limitDate' },
  estimatedHours: { log: 'estimatedHours' },
  actualHours: { log: 'actualHours' },
  parentIssueId: { log: 'parentIssue' },
};

/** What a comment and an activity tell of an update. */
export interface ToldChanges {
  /** Values are what people read. */
  changeLog: ChangeLogEntry[];
  /** Values are ids and texts. */
  changes: ActivityChange[];
}

/** Tells in what two states of an issue differ. */
export function tellChanges(before: IssueState, after: IssueState, lookUp: NameLookup): ToldChanges {
  const told: ToldChanges = { changeLog: [], changes: [] };
  for (const field of changedFields(before, after)) {
    const { log, activity = log } = FIELD_NAMES[field];
    const now = toValue(field, after, lookUp);
    const then = toValue(field, before, lookUp);
    told.changeLog.push(change(log, now.display, then.display));
    told.changes.push({ field: activity, new_value: now.raw, old_value: then.raw, type: 'standard' });
  }
  return told;
}

/** The ids that the values of two states name, by field; of the fields that differ alone. */
export function namedByChanges(before: IssueState, after: IssueState): Map<ReferenceField, number[]> {
  const fields = changedFields(before, after).filter(isReference);
  return new Map(
    fields.map((field) => [field, [...new Set([...idsOf(before, field), ...idsOf(after, field)])]]),
  );
}

function toValue(field: IssueField, state: IssueState, lookUp: NameLookup): { display: string; raw: string } {
  if (!isReference(field)) {
    const text = String(state[field] ?? '');
    return { display: text, raw: text };
  }
  const named = idsOf(state, field).map((id) => lookUp(field, id));
  return {
    display: named.map(({ name }) => name).join(', '),
    raw: named.map(({ id }) => id).join(', '),
  };
}

const isReference = (field: IssueField): field is ReferenceField => !TEXT_FIELDS.has(field);

function idsOf(state: IssueState, field: ReferenceField): readonly number[] {
  const value = state[field];
  if (value === null) return [];
  return typeof value === 'number' ? [value] : value;
}
