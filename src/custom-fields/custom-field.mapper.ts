import { toDate } from '../http/request/date';
import { type DateSettings, type ListSettings, type NumericSettings } from './custom-field-settings';
import { CustomFieldType, isListType } from './custom-field-type';
import { type CustomFieldItemRow } from './data/custom-field-item.repository';
import { type CustomFieldRow } from './data/custom-field.repository';
import { type CustomFieldDto, type CustomFieldItemDto, type InitialDateDto } from './dto/custom-field.dto';

/** A custom field with its items and the issue types that it applies to. */
export interface WholeCustomField extends CustomFieldRow {
  items: readonly CustomFieldItemRow[];
  /** In ascending order; empty for all. */
  issueTypeIds: readonly number[];
}

/** Converts a custom field to its wire format. */
export const toCustomFieldDto = (field: WholeCustomField): CustomFieldDto => ({
  id: field.id,
  projectId: field.projectId,
  typeId: field.typeId,
  name: field.name,
  description: field.description,
  required: field.required,
  useIssueType: field.issueTypeIds.length > 0,
  applicableIssueTypes: [...field.issueTypeIds],
  displayOrder: field.displayOrder,
  version: field.version,
  ...settingsOf(field),
});

const toCustomFieldItemDto = ({
  id,
  name,
  displayOrder,
}: Pick<CustomFieldItemRow, 'id' | 'name' | 'displayOrder'>): CustomFieldItemDto => ({
  id,
  name,
  displayOrder,
});

/** Returns the fields that only some types have. */
function settingsOf({ typeId, settings, items }: WholeCustomField): Partial<CustomFieldDto> {
  if (typeId === CustomFieldType.Numeric) {
    const { min, max, initialValue, unit } = settings as NumericSettings;
    return { min, max, initialValue, unit };
  }
  if (typeId === CustomFieldType.Date) {
    const { min, max, initialDate } = settings as DateSettings;
    return { min: toDate(min), max: toDate(max), initialDate: initialDate && toInitialDateDto(initialDate) };
  }
  if (!isListType(typeId)) return {};
  const { allowAddItem, allowInput } = settings as ListSettings;
  return { items: items.map(toCustomFieldItemDto), allowAddItem, allowInput };
}

const toInitialDateDto = ({ id, date, shift }: NonNullable<DateSettings['initialDate']>): InitialDateDto => ({
  id,
  ...(date !== null && { date: toDate(date) as string }),
  ...(shift !== null && { shift }),
});
