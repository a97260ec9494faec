import { expectedSchema, type ExpectedTable } from '../backup/data/expected-tables';
import { parseUrl } from '../config/parse-url';
import { type JsonShape } from '../database/schema/columns';
import { type ForeignKey } from '../database/schema/foreign-keys';
import { type Table, type TableColumn } from '../database/schema/tables';
import { type PortableRow } from '../database/snapshot/snapshot';
import { toColumnName } from '../database/sql/statements';
import { type ArchivedTable, type IdPlaces } from '../manifest';
import { ACTIVITY_IDS, archiveKinds, jsonColumns, type Kind, toProperty } from './archive-kinds';

/** The largest integer of 32 bits. */
const LARGEST_SHORT = 2 ** 31 - 1;

/** A record of an archive: the values of a row by the properties of its columns, and JSON as JSON. */
export type ArchivedRecord = Readonly<Record<string, unknown>>;

/** A field of the records of a kind. */
export interface RecordField {
  name: string;
  column: TableColumn;
  isJson: boolean;
  isNullable: boolean;
  maxLength?: number;
  /** The kind that it refers to. */
  refersTo?: string;
  /** Whether the record that it refers to is always in the archive. */
  isFirm: boolean;
  /** Whether an archive may hold this value. @param record all that the record says */
  isValid: (value: unknown, record: ArchivedRecord) => boolean;
}

/** A kind of records with its fields (`docs/format.md#records`). */
export interface RecordKind extends Kind {
  fields: readonly RecordField[];
  /** Its table, with only the columns of the fields. */
  columns: Table;
  /** The fields by which records are ordered and told apart. */
  key: readonly string[];
  /** The field by which others refer to its records, if it has one. */
  idField?: string;
}

/** Returns the kinds of records in the order of an archive, as this version of the service writes and reads them. */
export async function recordKinds(): Promise<readonly RecordKind[]> {
  const { tables, foreignKeys } = await expectedSchema();
  return recordKindsOf(tables, foreignKeys);
}

function recordKindsOf(
  tables: ReadonlyMap<string, ExpectedTable>,
  foreignKeys: readonly ForeignKey[],
): readonly RecordKind[] {
  return archiveKinds(foreignKeys).map((kind) => {
    const table = tables.get(kind.table);
    if (!table) throw new Error(`There is no table ${kind.table}`);
    const left = new Set([...Object.keys(kind.only ?? {}), ...(kind.without ?? [])].map(toColumnName));
    const columns = table.columns.filter(({ name }) => !left.has(name));
    const json = jsonColumns(
      kind,
      columns.map(({ name }) => name),
    );
    const fields = columns.map((column) => fieldOf(kind, table, column, json.get(column.name)));
    const { id = 'id' } = kind;
    return {
      ...kind,
      fields,
      columns: { name: table.name, key: table.key, columns },
      key: table.key.filter((name) => !left.has(name)).map(toProperty),
      ...(fields.some(({ name }) => name === id) && { idField: id }),
    };
  });
}

/** @param hasShape of a JSON value */
function fieldOf(
  kind: Kind,
  table: ExpectedTable,
  column: TableColumn,
  hasShape: JsonShape | undefined,
): RecordField {
  const isNullable = table.nullable.has(column.name);
  const maxLength = hasShape ? undefined : table.lengths.get(column.name);
  const refersTo = kind.references.get(column.name);
  const isValue = table.values.get(column.name) ?? (() => false);
  const isShort = table.shortIntegers.has(column.name);
  return {
    name: toProperty(column.name),
    column,
    isJson: hasShape !== undefined,
    isNullable,
    isFirm: kind.firm.has(column.name),
    isValid: hasShape
      ? (value, record) => (value === null ? isNullable : value !== undefined && hasShape(value, record))
      : (value) => isValue(value) && (!isShort || Math.abs(Number(value)) <= LARGEST_SHORT),
    ...(maxLength !== undefined && { maxLength }),
    ...(refersTo !== undefined && { refersTo }),
  };
}

/** Returns where a field of a record has ids; undefined for none (`docs/format.md#references`). */
export function idPlacesOf(
  { name, inside }: Kind,
  field: string,
  record: ArchivedRecord,
): IdPlaces | undefined {
  if (name === 'activity' && field === 'content') return ACTIVITY_IDS.get(record.type as number);
  return inside?.[field];
}

/** Returns the record of a row. */
export function toRecord({ fields, reduced = {} }: RecordKind, row: PortableRow): ArchivedRecord {
  const record: Record<string, unknown> = {};
  for (const { name, column, isJson } of fields) {
    const value = row[column.name] ?? null;
    const parsed = isJson && value !== null ? (JSON.parse(value as string) as unknown) : value;
    const reduction = reduced[name];
    record[name] = reduction === undefined ? parsed : REDUCTIONS[reduction](parsed);
  }
  return record;
}

/** Returns a row of a record, with the values of the columns that no record has. */
export function toRow({ fields, only = {} }: RecordKind, record: ArchivedRecord): PortableRow {
  const row: PortableRow = {};
  for (const [property, value] of Object.entries(only)) row[toColumnName(property)] = value;
  for (const { name, column, isJson } of fields) {
    const value = record[name];
    row[column.name] = isJson && value !== null ? JSON.stringify(value) : (value as PortableRow[string]);
  }
  return row;
}

type Reduction = NonNullable<ArchivedTable['reduced']>[string];

const REDUCTIONS: Readonly<Record<Reduction, (value: unknown) => unknown>> = {
  origin: (value) => originOf(String(value)),
  withoutMailAddresses,
};

/** Paths and queries of addresses may contain a secret. */
const originOf = (address: string): string => parseUrl(address)?.origin ?? '';

function withoutMailAddresses(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutMailAddresses);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === 'mailAddress' && typeof one === 'string' ? '' : withoutMailAddresses(one),
    ]),
  );
}
