import { createHash } from 'node:crypto';
import { ACTIVITY_IDS } from '../../src/archives/archive-kinds';
import { ARCHIVE_FORMAT } from '../../src/archives/archive-format';
import { type RecordField, recordKinds, type RecordKind } from '../../src/archives/record-kinds';
import { type IdPlaces } from '../../src/manifest';

/** Where the schema is. */
export const ARCHIVE_SCHEMA = 'docs/format.schema.json';

const LARGEST_ID = 2 ** 52;

/** Returns the JSON Schema of the records of archives, one definition for each kind, in the order of an archive. */
export async function archiveSchema(): Promise<string> {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Records of an archive of projects, by their kinds, in the order of an archive',
    'x-format': ARCHIVE_FORMAT,
    $defs: await definitions(),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Returns the fingerprint of the records of archives (`ARCHIVE_FINGERPRINT`). */
export async function archiveFingerprint(): Promise<string> {
  return createHash('sha256')
    .update(JSON.stringify(await definitions()))
    .digest('hex')
    .slice(0, 16);
}

async function definitions(): Promise<Record<string, object>> {
  return Object.fromEntries((await recordKinds()).map((kind) => [kind.name, recordSchema(kind)]));
}

function recordSchema(kind: RecordKind): object {
  return {
    type: 'object',
    'x-key': kind.key,
    properties: Object.fromEntries(kind.fields.map((field) => [field.name, fieldSchema(kind, field)])),
    required: kind.fields.map(({ name }) => name),
    additionalProperties: false,
  };
}

function fieldSchema(kind: RecordKind, field: RecordField): object {
  const { name, refersTo, isFirm, maxLength } = field;
  const places = kind.name === 'activity' && name === 'content' ? activityPlaces() : kind.inside?.[name];
  return {
    ...typeOf(field),
    ...(name === kind.idField && { minimum: 1, maximum: LARGEST_ID }),
    ...(maxLength !== undefined && { maxLength }),
    ...(refersTo !== undefined && { 'x-refers-to': refersTo }),
    ...(refersTo !== undefined && !isFirm && { 'x-may-be-lost': true }),
    ...(places && { 'x-ids': places }),
    ...(kind.texts?.includes(name) && { 'x-mentions': true }),
  };
}

/** Returns the ids in the contents of activities, by type. */
const activityPlaces = (): Record<string, IdPlaces> => Object.fromEntries(ACTIVITY_IDS);

function typeOf({ isJson, isNullable, column }: RecordField): object {
  const types = isJson ? ['object', 'array'] : [column.kind === 'text' ? 'string' : column.kind];
  const all = isNullable ? [...types, 'null'] : types;
  return { type: all.length === 1 ? all[0] : all };
}
