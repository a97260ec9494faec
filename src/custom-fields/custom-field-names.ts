/** What a request says about one custom field: its value, its other value, or a bound of a filter. */
export type CustomFieldPart = 'value' | 'otherValue' | 'min' | 'max';

/** The fields of a request that writes issues. */
export const VALUE_NAME = /^customField_([1-9]\d{0,15})(?:_(otherValue))?$/;

/** The parameters of a request that looks for issues. */
export const FILTER_NAME = /^customField_([1-9]\d{0,15})(?:_(min|max))?$/;

/** A key to sort issues by. */
export const SORT_NAME = /^customField_([1-9]\d{0,15})$/;

/** The name of the field of a request that is about a custom field. */
export const customFieldName = (id: number, part: CustomFieldPart = 'value'): string =>
  part === 'value' ? `customField_${id}` : `customField_${id}_${part}`;

/** The custom field that the name of a field of a request is about, by a pattern of this file. */
export function parseCustomFieldName(name: string, pattern: RegExp): { id: number; part: CustomFieldPart } {
  const [, id, part = 'value'] = pattern.exec(name) ?? [];
  return { id: Number(id), part: part as CustomFieldPart };
}
