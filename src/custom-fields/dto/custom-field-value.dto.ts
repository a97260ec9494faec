import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';
import { CUSTOM_FIELD_TYPES, type CustomFieldType } from '../custom-field-type';
import { CustomFieldItemDto } from './custom-field.dto';

const ITEM = { $ref: '#/components/schemas/CustomFieldItemDto' };

/** The value of a custom field in an issue. */
@ApiExtraModels(CustomFieldItemDto)
export class CustomFieldValueDto {
  @IdProperty({ description: 'Id of the custom field.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    enum: [...CUSTOM_FIELD_TYPES],
    description: 'The type of the custom field.',
    example: 5,
  })
  fieldTypeId: CustomFieldType;

  @ApiProperty({ description: 'Name of the custom field.', example: 'Platform' })
  name: string;

  @ApiProperty({
    type: Object,
    anyOf: [
      { type: 'string', nullable: true },
      { type: 'number', format: 'double' },
      ITEM,
      { type: 'array', items: ITEM },
    ],
    description:
      'A text, a number, a day at midnight, an item, or, for types that allow several, a list of items; null if there is no value.',
    example: { id: 1, name: 'Windows', displayOrder: 0 },
  })
  value: string | number | CustomFieldItemDto | CustomFieldItemDto[] | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'The text besides the items, for check boxes and radio buttons.',
    example: null,
  })
  otherValue?: string | null;
}
