import { type ActivityChange } from '../../activities/activity-content';
import { change, type ChangeLogEntry } from '../../comments/change-log';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import { type CustomValue } from '../../custom-fields/custom-value';

/** The value of a custom field before and after a request. The field includes its items. */
export interface CustomFieldChange {
  field: WholeCustomField;
  before: CustomValue;
  after: CustomValue;
}

/** Describes custom field changes for the comment and the activity (`docs/decisions/0009-activities-and-notifications.md#change-logs`). */
export function describeCustomFields(changes: readonly CustomFieldChange[]): {
  changeLog: ChangeLogEntry[];
  changes: ActivityChange[];
} {
  return {
    changeLog: changes.map(({ field, before, after }) => ({
      ...change(field.name, displayOf(field, after), displayOf(field, before)),
      attributeInfo: { id: field.id, typeId: String(field.typeId) },
    })),
    changes: changes.map(({ field, before, after }) => ({
      field: field.name,
      new_value: rawOf(after),
      old_value: rawOf(before),
      type: 'custom',
    })),
  };
}

/** Formats a value for people: items by name, in their order. */
const displayOf = ({ items }: WholeCustomField, value: CustomValue): string =>
  partsOf(value, (ids) => items.filter(({ id }) => ids.includes(id)).map(({ name }) => name));

/** Formats a value for programs: items by id. */
const rawOf = (value: CustomValue): string => partsOf(value, (ids) => ids.map(String));

const partsOf = (
  { text, number, date, itemIds, other }: CustomValue,
  toTexts: (ids: readonly number[]) => string[],
): string => [text ?? number ?? date ?? toTexts(itemIds), other ?? []].flat().map(String).join(', ');
