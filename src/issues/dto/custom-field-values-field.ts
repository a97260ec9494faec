import { VALUE_NAME } from '../../custom-fields/custom-field-names';
import { NamedValuesField } from '../../http/request/named-values';

/** Declares the values of custom fields, by their field names in the request. */
export const CustomFieldValuesField = (): PropertyDecorator =>
  NamedValuesField({
    pattern: VALUE_NAME,
    name: 'customField_{id}',
    description: `\`customField_{id}\`: the value of the custom field with this id, which the issue type must have. A text, a number,
a date such as 2026-01-31, the id of an item, or, for types that allow several, a list of such ids. \`customField_{id}_otherValue\`: the text
besides the items. Null, or nothing after the \`=\` of a form, means no value.`,
  });
