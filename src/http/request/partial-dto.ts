import { field, type FieldDefinition, type FieldOptions, fieldsOf } from './field';

/** The fields of a DTO for a PATCH: each may be absent, and those named in `nullable` may be null. */
type Partially<Dto, Omitted extends keyof Dto, Nullable extends keyof Dto> = {
  [Name in Exclude<keyof Dto, Omitted>]?: Name extends Nullable ? Dto[Name] | null : Dto[Name];
};

/**
 * Derives the base class for the body of a PATCH from that of the POST: every field keeps its rules but is optional and has no
 * default, so that an absent field stays unchanged. Nest's `PartialType` would not copy our fields, and accepts null.
 * @param changes fields to omit, and fields that may be null here
 */
export function PartialDto<
  Dto extends object,
  Omitted extends keyof Dto & string = never,
  Nullable extends keyof Dto & string = never,
>(
  dto: new () => Dto,
  changes: { omit?: readonly Omitted[]; nullable?: readonly Nullable[] } = {},
): new () => Partially<Dto, Omitted, Nullable> {
  const omitted: readonly string[] = changes.omit ?? [];
  const nullable: readonly string[] = changes.nullable ?? [];
  const fields = [...(fieldsOf(dto) as Map<string, FieldDefinition>)].filter(
    ([name]) => !omitted.includes(name),
  );

  @OptionalFields(fields, nullable)
  class PartialClass {}
  return PartialClass;
}

const OptionalFields =
  (fields: [string, FieldDefinition][], nullable: readonly string[]): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, { options, ...parts }] of fields) {
      const optional: FieldOptions = { ...options, optional: true };
      if (nullable.includes(name)) optional.nullable = true;
      const schema = { ...parts.schema, default: undefined };
      field(optional, { ...parts, schema })(prototype as object, name);
    }
  };
