import {
  allowsMany,
  allowsOtherValue,
  CustomFieldType,
  isTextType,
} from '../../custom-fields/custom-field-type';
import { type CustomFieldHead } from '../../custom-fields/data/custom-field-sql';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import { type CustomFieldValueDto } from '../../custom-fields/dto/custom-field-value.dto';
import { toDate } from '../../http/request/date';
import { type StoredCustomValue } from '../data/issue-custom-field.repository';

/** Whether a custom field applies to an issue type. */
export const isApplicable = (
  { issueTypeIds }: Pick<WholeCustomField, 'issueTypeIds'>,
  issueTypeId: number,
): boolean => issueTypeIds.length === 0 || issueTypeIds.includes(issueTypeId);

/** Converts the value of a custom field to its wire format. */
export const toCustomFieldValueDto = (
  { id, typeId, name }: CustomFieldHead,
  value: StoredCustomValue | undefined,
): CustomFieldValueDto => ({
  id,
  fieldTypeId: typeId,
  name,
  value: shownValue(typeId, value),
  ...(allowsOtherValue(typeId) && { otherValue: value?.other ?? null }),
});

function shownValue(
  type: CustomFieldType,
  value: StoredCustomValue | undefined,
): CustomFieldValueDto['value'] {
  if (allowsMany(type)) return value?.items ?? [];
  if (!value) return null;
  if (isTextType(type)) return value.text;
  if (type === CustomFieldType.Numeric) return value.number;
  return type === CustomFieldType.Date ? toDate(value.date) : (value.items[0] ?? null);
}
