/** The part of a custom field that a request refers to: its value, its other value, or a bound of a filter. */
export type CustomFieldPart = 'value' | 'otherValue' | 'min' | 'max';

/** Pattern of the field names in a request that writes issues. */
export const VALUE_NAME = /^customField_([1-9]\d{0,15})(?:_(otherValue))?$/;

/** Pattern of the parameter names in a request that searches for issues. */
export const FILTER_NAME = /^customField_([1-9]\d{0,15})(?:_(min|max))?$/;

/** Pattern of a sort key of issues. */
export const SORT_NAME = /^customField_([1-9]\d{0,15})$/;

/** Returns the request field name for a custom field. */
export const customFieldName = (id: number, part: CustomFieldPart = 'value'): string =>
  part === 'value' ? `customField_${id}` : `customField_${id}_${part}`;

/** Parses a request field name with one of the patterns of this file. */
export function parseCustomFieldName(name: string, pattern: RegExp): { id: number; part: CustomFieldPart } {
  const [, id, part = 'value'] = pattern.exec(name) ?? [];
  return { id: Number(id), part: part as CustomFieldPart };
}
