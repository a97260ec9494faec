import {
  Column,
  type ColumnOptions,
  type EntityMetadata,
  type EntityOptions,
  PrimaryColumn,
  type ValueTransformer,
} from 'typeorm';
import { type ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { MAX_DATE_MS } from '../../time-range';

/** MySQL drivers may return 64-bit integers as strings; ids and times in this schema stay below 2^53. */
const safeInteger: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};

/** Table options: one collation for every engine of the MySQL family (`docs/decisions/0010-database-engines.md`). */
export const tableOptions: EntityOptions = {
  engine: 'InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
};

/** Generated 64-bit primary key. */
export const PrimaryId = (): PropertyDecorator =>
  PrimaryColumn({ type: 'bigint', generated: 'increment', transformer: safeInteger });

/** 64-bit integer column, such as a foreign key. */
export const BigIntColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ ...options, type: 'bigint', transformer: safeInteger });

/** Size in bytes. */
export const SizeColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  withColumnRule(BigIntColumn(options), (value) => Number(value) >= 0);

/** Foreign key that is the primary key or a part of it. */
export const PrimaryForeignKey = (): PropertyDecorator =>
  PrimaryColumn({ type: 'bigint', transformer: safeInteger });

/** Point in time: milliseconds since 1970-01-01T00:00:00Z, the same integer on every engine. */
export const TimeColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  withColumnRule(BigIntColumn(options), isTime);

/** Calendar day as `yyyy-MM-dd`, which compares correctly as text on every engine. */
export const DateColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  withColumnRule(Column({ ...options, type: 'varchar', length: 10 }), isDay);

/**
 * Small integer that is one of a fixed list.
 * @param values an enum, or the numbers
 */
export function EnumColumn(
  values: Readonly<Record<string, string | number>> | Iterable<number>,
  options: ColumnOptions = {},
): PropertyDecorator {
  const allowed = new Set<unknown>(Symbol.iterator in values ? values : Object.values(values));
  return withColumnRule(
    Column({ ...options, type: 'smallint' }),
    (value) => typeof value === 'number' && allowed.has(value),
  );
}

/** Text that `isValid` accepts. */
export const FormattedColumn = (
  isValid: (text: string) => boolean,
  options: ColumnOptions & { length: number },
): PropertyDecorator => withColumnRule(Column(options), (value) => isValid(String(value)));

/** Hours, stored as whole hundredths: one driver returns a decimal as a string, another as a float. */
export const HoursColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({
    ...options,
    type: 'integer',
    transformer: {
      to: (hours: unknown) => (typeof hours === 'number' ? toHundredths(hours) : hours),
      from: toHours,
    },
  });

const toHundredths = (hours: number): number => Math.round(hours * 100);
const toHours = (hundredths: number | null): number | null => (hundredths === null ? null : hundredths / 100);

/** Column that `lockRow` writes and nothing reads. Every table with lockable rows has it. */
export const LockVersionColumn = (): PropertyDecorator =>
  Column({ type: 'bigint', default: 0, select: false });

const LONG_TEXT = 'mediumtext';

/** Whether a column has texts of any length, as those of `LongTextColumn` and `JsonColumn` do. */
export const isLongText = ({ type }: Pick<ColumnMetadata, 'type'>): boolean => type === LONG_TEXT;

/** Text of up to 16 MiB. MySQL's `text` holds only 64 KiB, too little for 50,000 four-byte characters. */
export const LongTextColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ ...options, type: LONG_TEXT });

/** Whether a JSON value that is not null has the shape that its readers expect. @param row the properties beside it */
export type JsonShape = (value: unknown, row: Readonly<Record<string, unknown>>) => boolean;

/** The shapes of the properties with JSON values, by the class that declares them. */
const jsonShapes = new Map<unknown, Map<string | symbol, JsonShape>>();

/** Returns the shape of a property of an entity; undefined if it is not a JSON value stored as text. */
export const jsonShapeOf = (entity: new () => object, property: string): JsonShape | undefined =>
  jsonShapes.get(entity)?.get(property);

/**
 * JSON value stored as text, so that both engines store and compare it in the same way. Records of archives must have its shape; other
 * values come from code that keeps it anyway (`docs/decisions/0068-archives.md#reading`).
 */
export const JsonColumn =
  ({ hasShape = () => true, ...options }: ColumnOptions & { hasShape?: JsonShape } = {}): PropertyDecorator =>
  (prototype, property) => {
    const ofClass = jsonShapes.get(prototype.constructor) ?? new Map<string | symbol, JsonShape>();
    jsonShapes.set(prototype.constructor, ofClass.set(property, hasShape));
    jsonText(options)(prototype, property);
  };

const jsonText = (options: ColumnOptions): PropertyDecorator =>
  withColumnRule(
    Column({
      ...options,
      type: LONG_TEXT,
      transformer: {
        to: (value: unknown) => (value === null || value === undefined ? value : JSON.stringify(value)),
        from: (text: string | null) => (text === null ? null : (JSON.parse(text) as unknown)),
      },
    }),
    isJson,
  );

/** Returns whether a column may hold a value that is not null. */
export type ColumnRule = (value: string | number | boolean) => boolean;

/** The rules of an entity's properties, by its class. */
const rules = new Map<unknown, Map<string | symbol, ColumnRule>>();

/** Adds the rule that a restored row must keep (`docs/decisions/0033-backups.md`); other rows come from code that keeps it anyway. */
function withColumnRule(column: PropertyDecorator, rule: ColumnRule): PropertyDecorator {
  return (prototype, property) => {
    column(prototype, property);
    const ofClass = rules.get(prototype.constructor) ?? new Map<string | symbol, ColumnRule>();
    rules.set(prototype.constructor, ofClass.set(property, rule));
  };
}

/** Returns the rules of an entity's columns, by the columns' names in the database. */
export function columnRules(metadata: EntityMetadata): Map<string, ColumnRule> {
  const found = new Map<string, ColumnRule>();
  for (const { databaseName, propertyName } of metadata.columns) {
    for (
      let type: unknown = metadata.target;
      typeof type === 'function';
      type = Object.getPrototypeOf(type)
    ) {
      const rule = rules.get(type)?.get(propertyName);
      if (rule && !found.has(databaseName)) found.set(databaseName, rule);
    }
  }
  return found;
}

/** Not only what answers can express: backups may have leases and keys that end later. */
const isTime = (value: unknown): boolean => Math.abs(Number(value)) <= MAX_DATE_MS;

function isDay(value: unknown): boolean {
  const text = String(value);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function isJson(value: unknown): boolean {
  try {
    JSON.parse(String(value));
    return true;
  } catch {
    return false;
  }
}
