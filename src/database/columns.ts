import {
  Column,
  type ColumnOptions,
  type EntityOptions,
  PrimaryColumn,
  type ValueTransformer,
} from 'typeorm';

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

/** 64-bit integer column, such as a foreign key or a size in bytes. */
export const BigIntColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ ...options, type: 'bigint', transformer: safeInteger });

/** Foreign key that is the primary key or a part of it. */
export const PrimaryForeignKey = (): PropertyDecorator =>
  PrimaryColumn({ type: 'bigint', transformer: safeInteger });

/** Point in time: milliseconds since 1970-01-01T00:00:00Z, the same integer on every engine. */
export const TimeColumn = (options: ColumnOptions = {}): PropertyDecorator => BigIntColumn(options);

/** Calendar day as `yyyy-MM-dd`, which compares correctly as text on every engine. */
export const DateColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ ...options, type: 'varchar', length: 10 });

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

export const toHundredths = (hours: number): number => Math.round(hours * 100);
export const toHours = (hundredths: number | null): number | null =>
  hundredths === null ? null : hundredths / 100;

/** Column that `lockRow` writes and nothing reads. Every table with lockable rows has it. */
export const LockVersionColumn = (): PropertyDecorator =>
  Column({ type: 'bigint', default: 0, select: false });

/** Text of up to 16 MiB. MySQL's `text` holds only 64 KiB, too little for 50,000 four-byte characters. */
export const LongTextColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ ...options, type: 'mediumtext' });

/** JSON value stored as text, so that both engines store and compare it in the same way. */
export const JsonColumn = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({
    ...options,
    type: 'mediumtext',
    transformer: {
      to: (value: unknown) => (value === null || value === undefined ? value : JSON.stringify(value)),
      from: (text: string | null) => (text === null ? null : (JSON.parse(text) as unknown)),
    },
  });
