import { createRequire } from 'node:module';
import { rowMaker } from '../sql/row-maker';
import { plannedOnce } from './planned-once';

/**
 * Common interface to the two SQLite builds the service runs on: Node's own `node:sqlite` where it has everything needed (22.16 and later,
 * with `columns()`), and a prebuilt package with the same API on older versions. The interface is the part of better-sqlite3 that TypeORM's
 * `better-sqlite3` driver calls.
 */

type SqlValue = null | number | bigint | string | NodeJS.ArrayBufferView;
type Row = Record<string, SqlValue>;

interface NativeStatement {
  columns(): { name: string }[];
  /** Missing in some versions that have the rest. */
  setReturnArrays?(enabled: boolean): void;
  all(...parameters: SqlValue[]): (Row | SqlValue[])[];
  get(...parameters: SqlValue[]): Row | undefined;
  iterate(...parameters: SqlValue[]): IterableIterator<Row | SqlValue[]>;
  run(...parameters: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

interface NativeDatabase {
  readonly isTransaction: boolean;
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  function(
    name: string,
    options: { deterministic: boolean },
    implementation: (...values: SqlValue[]) => SqlValue,
  ): void;
  close(): void;
}

interface NativeModule {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => NativeDatabase;
  StatementSync: { prototype: object };
}

/** Options of better-sqlite3's constructor that are honoured; `timeout` is SQLite's busy timeout in milliseconds. */
export interface SqliteOptions {
  readonly?: boolean;
  timeout?: number;
}

/**
 * SQLite's symbols by result code, as better-sqlite3 puts them on `error.code`. An extended code that is not listed has the symbol of its
 * primary code, which is its low byte.
 */
const SYMBOL_BY_RESULT_CODE: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  261: 'SQLITE_BUSY_RECOVERY',
  517: 'SQLITE_BUSY_SNAPSHOT',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
  275: 'SQLITE_CONSTRAINT_CHECK',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
};

/**
 * A prepared statement; `reader` is true if it returns rows. Rows are requested as arrays where possible: the driver takes nearly twice as
 * long to create objects as this class does.
 */
export class SqliteStatement {
  readonly reader: boolean;
  private readonly toRow: (values: readonly SqlValue[]) => Row;

  constructor(private readonly statement: NativeStatement) {
    const columns = statement.columns().map(({ name }) => name);
    this.reader = columns.length > 0;
    this.toRow = rowMaker(columns) as (values: readonly SqlValue[]) => Row;
    statement.setReturnArrays?.(true);
  }

  all(...parameters: unknown[]): Row[] {
    const values = parameters.map(toSqlValue);
    return withResultSymbol(() => {
      try {
        return this.statement.all(...values).map((row) => (Array.isArray(row) ? this.toRow(row) : row));
      } catch (error) {
        // The package's all() omits the result code, its get() does not. If get() succeeds where all() failed, the error still rolls back
        // the transaction.
        if (resultCodeOf(error) === undefined) this.statement.get(...values);
        throw error;
      }
    });
  }

  /** Yields the rows one by one; the statement must not run again before this has ended. */
  *iterate(...parameters: unknown[]): Generator<Row> {
    const values = parameters.map(toSqlValue);
    const rows = withResultSymbol(() => this.statement.iterate(...values));
    try {
      for (;;) {
        const next = withResultSymbol(() => rows.next());
        if (next.done) return;
        const row = next.value;
        yield Array.isArray(row) ? this.toRow(row) : row;
      }
    } finally {
      // A statement that is not at its end keeps its transaction open.
      rows.return?.();
    }
  }

  run(...parameters: unknown[]): { changes: number; lastInsertRowid: number } {
    const result = withResultSymbol(() => this.statement.run(...parameters.map(toSqlValue)));
    return { changes: Number(result.changes), lastInsertRowid: Number(result.lastInsertRowid) };
  }
}

/** Lets a connection keep up to 16 MiB of the file in memory instead of 2 MiB (`docs/decisions/0002-start-and-embedded-database.md`). */
export const PAGE_CACHE = 'cache_size = -16384';

/** A connection with the methods of better-sqlite3 that TypeORM uses. */
export class SqliteDatabase {
  private readonly database: NativeDatabase;

  constructor(file: string, options: SqliteOptions = {}) {
    const { DatabaseSync } = loadNativeModule();
    this.database = withResultSymbol(() => new DatabaseSync(file, { readOnly: options.readonly ?? false }));
    this.exec(`PRAGMA busy_timeout = ${options.timeout ?? 5000}`);
  }

  /** Whether a transaction is open. SQLite ends it itself after some errors. */
  get isTransaction(): boolean {
    return this.database.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    return withResultSymbol(() => new SqliteStatement(this.database.prepare(plannedOnce(sql))));
  }

  exec(sql: string): void {
    withResultSymbol(() => this.database.exec(sql));
  }

  pragma(source: string): Row[] {
    return this.prepare(`PRAGMA ${source}`).all();
  }

  /** Defines a SQL function. A function that is not deterministic is called for each row. */
  function(
    name: string,
    options: { deterministic: boolean },
    implementation: (...values: unknown[]) => SqlValue,
  ): void {
    this.database.function(name, options, implementation);
  }

  close(): void {
    this.database.close();
  }
}

let nativeModule: NativeModule | undefined;

function loadNativeModule(): NativeModule {
  nativeModule ??= ownModule() ?? packagedModule();
  return nativeModule;
}

/** Whether `close()` closes the file. With the package, it stays open until the statements of the connection are garbage-collected. */
export const closesAtOnce = (): boolean => loadNativeModule() === ownModule();

function ownModule(): NativeModule | undefined {
  const own = withoutWarnings(() => process.getBuiltinModule('node:sqlite') as NativeModule | undefined);
  return own && 'columns' in own.StatementSync.prototype ? own : undefined;
}

/** Suppresses Node's warning that its own module is experimental. */
function withoutWarnings<T>(load: () => T): T {
  // oxlint-disable-next-line typescript/unbound-method -- it is only put back where it was
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function packagedModule(): NativeModule {
  try {
    // Required only here, so that a machine with a Node that includes SQLite needs no native package.
    return createRequire(__filename)('@photostructure/sqlite') as NativeModule;
  } catch (error) {
    throw new Error(
      'The embedded database needs Node 22.16 or later, or the package @photostructure/sqlite, which could not be loaded.',
      { cause: error },
    );
  }
}

function toSqlValue(value: unknown): SqlValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  // SQLite would treat an object as named parameters and bind NULL.
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    throw new TypeError('An object cannot be a value of a column.');
  }
  return value as SqlValue;
}

/** Sets SQLite's symbol on `error.code`; the two builds have the number under different names. */
function withResultSymbol<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const resultCode = resultCodeOf(error) ?? 0;
    const symbol = SYMBOL_BY_RESULT_CODE[resultCode] ?? SYMBOL_BY_RESULT_CODE[resultCode & 0xff];
    if (symbol) (error as { code?: string }).code = symbol;
    // Until its stack is read, an error keeps the statement of its frames, and so the file open after `close()`.
    (error as Error).stack ??= '';
    throw error;
  }
}

function resultCodeOf(error: unknown): number | undefined {
  const { errcode, sqliteExtendedCode } = error as { errcode?: number; sqliteExtendedCode?: number };
  return errcode ?? sqliteExtendedCode;
}
