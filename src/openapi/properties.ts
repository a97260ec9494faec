import { type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

/** An id in a response. */
export const IdProperty = (options: {
  description?: string;
  nullable?: true;
  example: number | null;
}): PropertyDecorator => ApiProperty({ type: 'integer', format: 'int64', minimum: 1, ...options });

/** A time in a response: UTC, without a fraction (`docs/decisions/0001-wire-protocol.md#responses`). */
export const TimestampProperty = (
  options: { description?: string; nullable?: true; example?: string | null } = {},
): PropertyDecorator =>
  ApiProperty({
    type: 'string',
    format: 'date-time',
    pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`,
    example: '2026-01-31T09:30:00Z',
    ...options,
  });

/** A colour in a response. */
export const ColorProperty = (options: { example: string }): PropertyDecorator =>
  ApiProperty({ description: '`#rrggbb`.', pattern: '^#[0-9a-f]{6}$', ...options });

/** A position in an order. */
export const DisplayOrderProperty = (options: { example: number }): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'Position in the project, ascending.',
    ...options,
  });

/** An object that is always present, and `null` when the entry does not refer to it. */
export const NullableObjectProperty = (options: {
  description: string;
  properties: Record<string, { type: 'string' | 'integer'; format?: 'int64' }>;
  example?: object;
}): PropertyDecorator =>
  ApiProperty({
    type: 'object',
    // Not a reference: in OpenAPI 3.0 `nullable` takes effect only beside `type`.
    nullable: true,
    required: Object.keys(options.properties),
    selfRequired: true,
    ...options,
  });

/**
 * An object of another DTO, or null; its example defaults to the DTO's.
 * @param model the DTO, or its name where it belongs to a module that this one must not import
 */
export const NullableProperty =
  (
    model: (() => Type<unknown>) | string,
    options: { description?: string; example?: object | null } = {},
  ): PropertyDecorator =>
  (target, property) => {
    const schema = typeof model === 'string' ? model : model();
    if (typeof schema !== 'string') ApiExtraModels(schema)(target.constructor);
    ApiProperty({
      type: Object,
      // Nest would add `nullable` beside `allOf`, which does not permit null.
      anyOf: [{ $ref: getSchemaPath(schema) }, { type: 'object', nullable: true, enum: [null] }],
      ...options,
    })(target, property);
  };
