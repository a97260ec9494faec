import {
  BooleanField,
  DateField,
  DecimalField,
  IdListField,
  IntegerField,
  NumericEnumField,
  TextField,
} from '../../http/request/fields';
import { UniqueNameField } from '../../project-settings/dto/unique-name-field';
import { MAX_DECIMALS, MAX_NUMBER } from '../custom-field-limits';
import { type InitialDateKind } from '../custom-field-settings';
import { CUSTOM_FIELD_TYPES, type CustomFieldType } from '../custom-field-type';
import { BoundField, ItemNamesField } from './setting-fields';

const MAX_SHIFT = 36_500;

/** Body of a request that adds a custom field. Settings that its type does not have are rejected. */
export class AddCustomFieldDto {
  @NumericEnumField({
    description:
      '1 single-line text, 2 multi-line text, 3 number, 4 date, 5 single-choice list, 6 multiple-choice list, 7 check boxes, 8 radio buttons.',
    codes: CUSTOM_FIELD_TYPES,
    example: 5,
  })
  typeId: CustomFieldType;

  @UniqueNameField('Platform')
  name: string;

  @IdListField({
    description: 'Issue types of the project that have the field; empty for all.',
    optional: true,
    example: [],
  })
  applicableIssueTypes?: number[];

  @TextField({ description: 'The description.', max: 10_000, optional: true, example: 'Where it happens.' })
  description?: string;

  @BooleanField({ description: 'Whether issues must have a value.', optional: true, example: false })
  required?: boolean;

  @BoundField({
    description: 'For numbers and dates: the minimum value.',
    optional: true,
    nullable: true,
  })
  min?: number | string | null;

  @BoundField({
    description: 'For numbers and dates: the maximum value.',
    optional: true,
    nullable: true,
  })
  max?: number | string | null;

  @DecimalField({
    description: 'For numbers: the value that clients offer for new issues.',
    min: -MAX_NUMBER,
    max: MAX_NUMBER,
    scale: MAX_DECIMALS,
    optional: true,
    nullable: true,
  })
  initialValue?: number | null;

  @TextField({ description: 'For numbers: the unit.', max: 255, trim: true, optional: true, nullable: true })
  unit?: string | null;

  @NumericEnumField({
    description:
      'For dates: the date that clients offer for new issues. 1 today, 2 `initialShift` days after today, 3 `initialDate`.',
    codes: [1, 2, 3],
    optional: true,
    nullable: true,
  })
  initialValueType?: InitialDateKind | null;

  @DateField({
    description: 'For dates whose `initialValueType` is 3: the date.',
    optional: true,
    nullable: true,
  })
  initialDate?: string | null;

  @IntegerField({
    description: 'For dates whose `initialValueType` is 2: the number of days.',
    min: -MAX_SHIFT,
    max: MAX_SHIFT,
    optional: true,
    nullable: true,
  })
  initialShift?: number | null;

  @ItemNamesField({
    description: 'For lists, check boxes and radio buttons: the names of the items, in display order.',
    optional: true,
    example: ['Windows', 'Linux'],
  })
  items?: string[];

  @BooleanField({
    description:
      'For lists, check boxes and radio buttons: whether issues can have a text besides items. No effect for lists.',
    optional: true,
    example: false,
  })
  allowInput?: boolean;

  @BooleanField({
    description:
      'For lists, check boxes and radio buttons: whether all users who may change issues may add items.',
    optional: true,
    example: false,
  })
  allowAddItem?: boolean;
}
