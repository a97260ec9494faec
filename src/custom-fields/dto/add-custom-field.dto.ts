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
      '1 text of one line, 2 text of several, 3 number, 4 date, 5 list of which one item is chosen, 6 list of which several are, 7 check boxes, 8 radio buttons.',
    codes: CUSTOM_FIELD_TYPES,
    example: 5,
  })
  typeId: CustomFieldType;

  @UniqueNameField('Platform')
  name: string;

  @IdListField({
    description: 'Issue types of the project that have it; empty: all.',
    optional: true,
    example: [],
  })
  applicableIssueTypes?: number[];

  @TextField({ description: 'What it is about.', max: 10_000, optional: true, example: 'Where it happens.' })
  description?: string;

  @BooleanField({ description: 'An issue has to have a value.', optional: true, example: false })
  required?: boolean;

  @BoundField({
    description: 'Of a number or date: the lowest value.',
    optional: true,
    nullable: true,
  })
  min?: number | string | null;

  @BoundField({
    description: 'Of a number or date: the highest value.',
    optional: true,
    nullable: true,
  })
  max?: number | string | null;

  @DecimalField({
    description: 'Of a number: what clients offer for a new issue.',
    min: -MAX_NUMBER,
    max: MAX_NUMBER,
    scale: MAX_DECIMALS,
    optional: true,
    nullable: true,
  })
  initialValue?: number | null;

  @TextField({ description: 'Of a number.', max: 255, trim: true, optional: true, nullable: true })
  unit?: string | null;

  @NumericEnumField({
    description:
      'Of a date: what clients offer for a new issue. 1 today, 2 `initialShift` days after today, 3 `initialDate`.',
    codes: [1, 2, 3],
    optional: true,
    nullable: true,
  })
  initialValueType?: InitialDateKind | null;

  @DateField({ description: 'Of a date whose `initialValueType` is 3.', optional: true, nullable: true })
  initialDate?: string | null;

  @IntegerField({
    description: 'Of a date whose `initialValueType` is 2.',
    min: -MAX_SHIFT,
    max: MAX_SHIFT,
    optional: true,
    nullable: true,
  })
  initialShift?: number | null;

  @ItemNamesField({
    description: 'Of a list, check boxes or radio buttons: the names of what can be chosen, in their order.',
    optional: true,
    example: ['Windows', 'Linux'],
  })
  items?: string[];

  @BooleanField({
    description:
      'Of the same: an issue can have a text besides items. Only check boxes and radio buttons have one.',
    optional: true,
    example: false,
  })
  allowInput?: boolean;

  @BooleanField({
    description: 'For list fields: users who may change issues may add items.',
    optional: true,
    example: false,
  })
  allowAddItem?: boolean;
}
