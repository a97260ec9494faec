import { type SchemaObject, type SchemaOrReference, type Schemas } from './openapi-types';

/**
 * Assembles a complete value from the examples in a schema.
 * @throws when a property has no example, so that none is forgotten
 */
export function exampleOf(schema: SchemaOrReference, schemas: Schemas, place = 'A schema'): unknown {
  if ('$ref' in schema) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return exampleOf(schemas[name] ?? {}, schemas, name);
  }
  const given: unknown = schema.example === undefined ? schema.default : schema.example;
  if (given !== undefined) return given;
  if (schema.nullable) return null;
  const [model] = schema.anyOf ?? schema.allOf ?? [];
  if (model) return exampleOf(model, schemas, place);
  if (schema.format === 'binary') return 'The bytes of the file.';
  if (schema.properties) return objectExample(schema.properties, schemas, place);
  if (schema.type === 'array' && schema.items) return [exampleOf(schema.items, schemas, place)];
  throw new Error(`${place} has no example`);
}

const objectExample = (
  properties: NonNullable<SchemaObject['properties']>,
  schemas: Schemas,
  place: string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      exampleOf(property, schemas, `${place}.${name}`),
    ]),
  );
