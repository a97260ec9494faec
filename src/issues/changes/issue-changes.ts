import { type ActivityChange, type Named } from '../../activities/activity-content';
import { change, type ChangeLogEntry } from '../../comments/change-log';
import {
  changedFields,
  ISSUE_FIELDS,
  isReferenceField,
  type IssueField,
  type IssueState,
  type ReferenceField,
} from '../issue-fields';

/** Resolves an id in a field to the id and the name shown to clients. */
export type NameLookup = (field: ReferenceField, id: number) => Named;

/** The differences between two states of an issue. */
export interface IssueChanges {
  /** Changes for the comment; values are display names. */
  changeLog: ChangeLogEntry[];
  /** Changes for the activity; values are ids and texts. */
  changes: ActivityChange[];
}

/** Describes the fields that differ between two states of an issue. */
export function describeChanges(before: IssueState, after: IssueState, lookUp: NameLookup): IssueChanges {
  const described: IssueChanges = { changeLog: [], changes: [] };
  for (const field of changedFields(before, after)) {
    const { log, activity } = ISSUE_FIELDS[field];
    const now = toValue(field, after, lookUp);
    const then = toValue(field, before, lookUp);
    described.changeLog.push(change(log, now.display, then.display));
    described.changes.push({ field: activity, new_value: now.raw, old_value: then.raw, type: 'standard' });
  }
  return described;
}

/** Returns the ids in the fields that differ between two states, by field. */
export function changedReferences(before: IssueState, after: IssueState): Map<ReferenceField, number[]> {
  const fields = changedFields(before, after).filter(isReferenceField);
  return new Map(
    fields.map((field) => [field, [...new Set([...idsOf(before, field), ...idsOf(after, field)])]]),
  );
}

function toValue(field: IssueField, state: IssueState, lookUp: NameLookup): { display: string; raw: string } {
  if (!isReferenceField(field)) {
    const text = String(state[field] ?? '');
    return { display: text, raw: text };
  }
  const named = idsOf(state, field).map((id) => lookUp(field, id));
  return {
    display: named.map(({ name }) => name).join(', '),
    raw: named.map(({ id }) => id).join(', '),
  };
}

function idsOf(state: IssueState, field: ReferenceField): readonly number[] {
  const value = state[field];
  if (value === null) return [];
  return typeof value === 'number' ? [value] : value;
}
