import { SourceError } from '../source.error';
import { type CsvFile, type CsvRecord, readCsv } from './csv-reader';
import { type CsvMap } from './csv-map';
import { type FieldName } from './fields';
import { type Column, type CustomColumns, type Layout, layOut } from './layout';
import { type GivenPerson } from './csv-people';

const NO_COLUMNS: readonly Column[] = [];

/** A value of a row that is not empty, and its column. */
export interface Cell {
  text: string;
  column: Column;
}

/** A record of a file, by the fields that its columns give. */
export class Row {
  constructor(
    private readonly path: string,
    readonly layout: Layout,
    private readonly record: CsvRecord,
  ) {}

  /** Where the row is, for errors. */
  get place(): string {
    return `${this.path}, line ${this.record.line}`;
  }

  /** Whether a column gives a field. */
  gives(field: FieldName): boolean {
    return this.layout.columns.has(field);
  }

  /** Returns the first value of a field. */
  cell(field: FieldName): Cell | undefined {
    for (const column of this.layout.columns.get(field) ?? NO_COLUMNS) {
      const text = this.textAt(column.index);
      if (text !== '') return { text, column };
    }
    return undefined;
  }

  /** Returns the first value of a field; empty for none. */
  text(field: FieldName): string {
    return this.cell(field)?.text ?? '';
  }

  /** Returns the values of all columns of a field, each split at the separator of its column. */
  cells(field: FieldName): Cell[] {
    return this.cellsOf(this.layout.columns.get(field) ?? NO_COLUMNS);
  }

  /** Returns the values of a custom field. */
  custom({ columns }: CustomColumns): Cell[] {
    return this.cellsOf(columns);
  }

  /** Returns what the columns say of a person; undefined for nobody. */
  person(field: 'creator' | 'updater' | 'assignee'): GivenPerson | undefined {
    const person: GivenPerson = {};
    for (const column of this.layout.columns.get(field) ?? NO_COLUMNS) {
      const text = this.textAt(column.index);
      if (text !== '') person[column.use.as ?? 'any'] ??= text;
    }
    return Object.keys(person).length > 0 ? person : undefined;
  }

  /** Returns the people of a list. */
  people(field: 'watchers'): GivenPerson[] {
    return this.cells(field).map(({ text, column }) => ({ [column.use.as ?? 'any']: text }));
  }

  /** Returns the columns without a use that have a value. */
  *unnamed(): Generator<string> {
    for (const { index, header } of this.layout.unnamed) if (this.textAt(index) !== '') yield header;
  }

  /** Returns the error about a value. @param what such as `"x" is no number` */
  error({ header, use }: Column, what: string): SourceError {
    return new SourceError(`${this.place}, column ${JSON.stringify(header)} (${use.field}): ${what}.`);
  }

  private cellsOf(columns: readonly Column[]): Cell[] {
    return columns.flatMap((column) => {
      const text = this.textAt(column.index);
      const { separator } = column.use;
      if (text === '') return [];
      if (separator === undefined) return [{ text, column }];
      const parts = text.split(separator).map((part) => part.trim());
      return parts.filter((part) => part !== '').map((part) => ({ text: part, column }));
    });
  }

  private textAt(index: number): string {
    return this.record.fields[index]?.trim() ?? '';
  }
}

/** Yields the rows of files, one file after the other. @throws SourceError if a file cannot be read or lacks a column */
export async function* readRows(files: readonly CsvFile[], map: CsvMap): AsyncGenerator<Row> {
  for (const file of files) {
    let layout: Layout | undefined;
    for await (const record of readCsv(file)) {
      if (layout) yield new Row(file.path, layout, record);
      else layout = layOut(record.fields, map, file.path);
    }
    if (!layout) throw new SourceError(`${file.path} is empty: its first line names the columns.`);
  }
}

/** Returns a value for a message: quoted, and cut. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);
