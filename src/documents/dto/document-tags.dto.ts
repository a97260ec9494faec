import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize } from 'class-validator';
import { field } from '../../http/request/field';
import { HasCharacters, IsCleanText } from '../../http/request/field-rules';
import { IdProperty } from '../../openapi/properties';

const MAX_NAMES = 100;
const MAX_LENGTH = 100;

const trimmed = (name: unknown): unknown => (typeof name === 'string' ? name.trim() : name);

/** Body of a request that names tags. */
export class DocumentTagNamesDto {
  @field(
    { description: 'Names of the tags.', example: ['guide'] },
    {
      kind: 'string[]',
      normalize: (value) => [...new Set((value as unknown[]).map(trimmed))],
      schema: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: MAX_LENGTH },
        minItems: 1,
        maxItems: MAX_NAMES,
      },
      message: `must be a list of 1 to ${MAX_NAMES} well-formed names of 1 to ${MAX_LENGTH} characters`,
      rules: (message) => [
        ArrayMinSize(1, message),
        ArrayMaxSize(MAX_NAMES, message),
        HasCharacters(1, MAX_LENGTH, { ...message, each: true }),
        IsCleanText({ ...message, each: true }),
      ],
    },
  )
  tagNames: string[];
}

/** A tag of documents. */
export class DocumentTagDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'guide' })
  name: string;
}
