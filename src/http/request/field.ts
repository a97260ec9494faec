import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf, type ValidationOptions } from 'class-validator';

/** How the text of a query string or form is converted to a field's value. */
export type FieldKind = 'string' | 'integer' | 'number' | 'boolean' | 'integer[]' | 'string[]';

/** Options common to all fields of a request DTO. */
export interface FieldOptions {
  description: string;
  /** May be absent. */
  optional?: true;
  /** May be null: null in JSON, nothing after the `=` in a form or query. */
  nullable?: true;
  example?: unknown;
}

/** A field of a request, as its DTO declares it. */
export interface FieldDefinition {
  options: FieldOptions;
  kind: FieldKind;
  /** Applied to a value of the right type before it is validated, such as trimming. */
  normalize?: (value: unknown) => unknown;
  /** Its type in OpenAPI. */
  schema: {
    type?: string;
    anyOf?: object[];
    default?: unknown;
    enum?: unknown[];
    [keyword: string]: unknown;
  };
  /** The requirement, without the field's name; the message of every rule, so that a client always reads the whole requirement. */
  message: string;
  /** Decorators of class-validator, the cheapest first: validation of the field stops at the first that fails. */
  rules: (options: ValidationOptions) => PropertyDecorator[];
}

type FieldMap = Map<string, FieldDefinition>;

const FIELDS = Symbol('request fields');

/** Returns the fields of a request DTO by name, including inherited ones; undefined for any other class. */
export function fieldsOf(dto: abstract new () => unknown): FieldMap | undefined {
  return Reflect.getMetadata(FIELDS, dto.prototype as object) as FieldMap | undefined;
}

/** Registers, documents and validates a field in one declaration, so that the three cannot disagree. */
export function field(options: FieldOptions, parts: Omit<FieldDefinition, 'options'>): PropertyDecorator {
  const { optional, nullable } = options;
  const message = `$property ${parts.message}${nullable ? ', or null' : ''}.`;
  // Unlike @IsOptional(), which accepts null wherever a field may be absent.
  const isLeftOut = (value: unknown): boolean =>
    (optional === true && value === undefined) || (nullable === true && value === null);
  return applyDecorators(
    register({ ...parts, options }),
    document(options, parts.schema),
    ...(optional || nullable ? [ValidateIf((_dto, value) => !isLeftOut(value))] : []),
    ...parts.rules({ message }),
  );
}

function document(
  { description, optional, nullable, example }: FieldOptions,
  schema: FieldDefinition['schema'],
): PropertyDecorator {
  const alternatives = schema.type === undefined ? schema.anyOf : undefined;
  return ApiProperty({
    ...Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined)),
    ...(nullable &&
      alternatives === undefined && { nullable, ...(schema.enum && { enum: [...schema.enum, null] }) }),
    ...(alternatives && { type: Object, anyOf: nullable ? asNullable(alternatives) : alternatives }),
    description,
    required: !optional,
    ...(example !== undefined && { example }),
  });
}

/** In OpenAPI 3.0 `nullable` takes effect only beside `type`. */
const asNullable = ([first, ...rest]: object[]): object[] => [{ ...first, nullable: true }, ...rest];

function register(definition: FieldDefinition): PropertyDecorator {
  return (target, property) => {
    const fields: FieldMap = new Map(Reflect.getMetadata(FIELDS, target) as FieldMap | undefined);
    fields.set(property as string, definition);
    Reflect.defineMetadata(FIELDS, fields, target);
  };
}
