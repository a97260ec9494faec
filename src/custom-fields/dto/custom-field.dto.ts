import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DisplayOrderProperty, IdProperty } from '../../openapi/properties';
import { CUSTOM_FIELD_TYPES, type CustomFieldType } from '../custom-field-type';

/** An item that can be selected in a list field. */
export class CustomFieldItemDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'Windows' })
  name: string;

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;
}

/** How clients compute the default date of a new issue. */
export class InitialDateDto {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    enum: [1, 2, 3],
    description: '1 today, 2 `shift` days after today, 3 `date`.',
    example: 2,
  })
  id: number;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'The date, for 3.' })
  date?: string;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    description: 'The number of days, for 2.',
    example: 7,
  })
  shift?: number;
}

const NUMBER_OR_DATE = [
  { type: 'number', format: 'double', nullable: true },
  { type: 'string', format: 'date-time' },
];

/** A custom field of a project's issues. Properties that its type does not have are absent. */
@ApiExtraModels(InitialDateDto)
export class CustomFieldDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    enum: [...CUSTOM_FIELD_TYPES],
    description:
      '1 single-line text, 2 multi-line text, 3 number, 4 date, 5 single-choice list, 6 multiple-choice list, 7 check boxes, 8 radio buttons.',
    example: 5,
  })
  typeId: CustomFieldType;

  @ApiProperty({ example: 'Platform' })
  name: string;

  @ApiProperty({ description: 'The description; empty if there is none.', example: 'Where it happens.' })
  description: string;

  @ApiProperty({ description: 'Whether issues must have a value.', example: false })
  required: boolean;

  @ApiProperty({ description: 'Whether only issues of certain types have the field.', example: false })
  useIssueType: boolean;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 1 },
    description: 'The issue types that have the field; empty for all.',
    example: [],
  })
  applicableIssueTypes: number[];

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'Number of changes to the field.',
    example: 0,
  })
  version: number;

  @ApiPropertyOptional({
    type: Object,
    anyOf: NUMBER_OR_DATE,
    description: 'For types 3 and 4: the minimum value.',
    example: null,
  })
  min?: number | string | null;

  @ApiPropertyOptional({
    type: Object,
    anyOf: NUMBER_OR_DATE,
    description: 'For types 3 and 4: the maximum value.',
    example: null,
  })
  max?: number | string | null;

  @ApiPropertyOptional({
    type: 'number',
    format: 'double',
    nullable: true,
    description: 'For type 3: the value that clients offer for new issues.',
    example: null,
  })
  initialValue?: number | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'For type 3: the unit.',
    example: null,
  })
  unit?: string | null;

  @ApiPropertyOptional({
    type: Object,
    anyOf: [
      { $ref: '#/components/schemas/InitialDateDto' },
      { type: 'object', nullable: true, enum: [null] },
    ],
    description: 'For type 4: the date that clients offer for new issues.',
    example: null,
  })
  initialDate?: InitialDateDto | null;

  @ApiPropertyOptional({
    type: [CustomFieldItemDto],
    description: 'For types 5 to 8: the items, in display order.',
  })
  items?: CustomFieldItemDto[];

  @ApiPropertyOptional({
    description: 'For types 5 to 8: whether all users who may change issues may add items.',
    example: false,
  })
  allowAddItem?: boolean;

  @ApiPropertyOptional({
    description: 'For types 5 to 8: whether issues can have a text besides items. No effect for 5 and 6.',
    example: false,
  })
  allowInput?: boolean;
}
