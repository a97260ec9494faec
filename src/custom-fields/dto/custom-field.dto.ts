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
    description: '1 today, 2 a number of days after today, 3 a fixed date.',
    example: 2,
  })
  id: number;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'The day, of 3.' })
  date?: string;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    description: 'The number of days, of 2.',
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
      '1 text of one line, 2 text of several, 3 number, 4 date, 5 list of which one item is chosen, 6 list of which several are, 7 check boxes, 8 radio buttons.',
    example: 5,
  })
  typeId: CustomFieldType;

  @ApiProperty({ example: 'Platform' })
  name: string;

  @ApiProperty({ description: 'Empty when there is none.', example: 'Where it happens.' })
  description: string;

  @ApiProperty({ description: 'An issue has to have a value.', example: false })
  required: boolean;

  @ApiProperty({ description: 'Only issues of certain types have it.', example: false })
  useIssueType: boolean;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 1 },
    description: 'The issue types that have it; empty: all.',
    example: [],
  })
  applicableIssueTypes: number[];

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'How often it has been changed.',
    example: 0,
  })
  version: number;

  @ApiPropertyOptional({
    type: Object,
    anyOf: NUMBER_OR_DATE,
    description: 'Of 3 and 4: the lowest value.',
    example: null,
  })
  min?: number | string | null;

  @ApiPropertyOptional({
    type: Object,
    anyOf: NUMBER_OR_DATE,
    description: 'Of 3 and 4: the highest value.',
    example: null,
  })
  max?: number | string | null;

  @ApiPropertyOptional({
    type: 'number',
    format: 'double',
    nullable: true,
    description: 'Of 3: what clients offer for a new issue.',
    example: null,
  })
  initialValue?: number | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Of 3.', example: null })
  unit?: string | null;

  @ApiPropertyOptional({
    type: Object,
    anyOf: [
      { $ref: '#/components/schemas/InitialDateDto' },
      { type: 'object', nullable: true, enum: [null] },
    ],
    description: 'Of 4: what clients offer for a new issue.',
    example: null,
  })
  initialDate?: InitialDateDto | null;

  @ApiPropertyOptional({ type: [CustomFieldItemDto], description: 'Of 5 to 8, in their order.' })
  items?: CustomFieldItemDto[];

  @ApiPropertyOptional({
    description: 'Of 5 to 8: who may change issues may add items.',
    example: false,
  })
  allowAddItem?: boolean;

  @ApiPropertyOptional({
    description: 'Of 5 to 8: an issue can have a text besides items. Only 7 and 8 have one.',
    example: false,
  })
  allowInput?: boolean;
}
