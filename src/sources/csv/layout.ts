import { SourceError } from '../source.error';
import { type CsvMap } from './csv-map';
import { type CustomType, type ColumnUse, type FieldName } from './fields';
import { didYouMean } from './nearest';

/** A column of a file that a map uses. */
export interface Column {
  index: number;
  header: string;
  use: ColumnUse;
}

/** The columns of a custom field. */
export interface CustomColumns {
  name: string;
  type: CustomType;
  columns: readonly Column[];
}

/** What the columns of one file are used for. */
export interface Layout {
  /** The columns of each field, in their order. */
  columns: ReadonlyMap<FieldName, readonly Column[]>;
  customs: readonly CustomColumns[];
  /** The columns that the map does not name. */
  unnamed: readonly { index: number; header: string }[];
}

/**
 * Finds the columns of a file that a map uses.
 * @param path as errors name the file
 * @throws SourceError if a column that the map names is missing
 */
export function layOut(header: readonly string[], map: CsvMap, path: string): Layout {
  const headers = header.map((name, index) => name.trim() || `column ${index + 1}`);
  const missing = map.required.find((name) => !headers.includes(name));
  if (missing !== undefined) {
    throw new SourceError(
      `${path} has no column ${JSON.stringify(missing)}, which the map names${didYouMean(missing, headers) || '.'}`,
    );
  }
  const columns = new Map<FieldName, Column[]>();
  const customs = new Map<string, CustomColumns & { columns: Column[] }>();
  const unnamed: { index: number; header: string }[] = [];
  for (const [index, name] of headers.entries()) {
    const use = map.useOf(name);
    if (!use) {
      unnamed.push({ index, header: name });
      continue;
    }
    const column = { index, header: name, use };
    const others = columns.get(use.field);
    if (others) others.push(column);
    else columns.set(use.field, [column]);
    if (use.field !== 'custom') continue;
    const field = use.name ?? name;
    const custom = customs.get(field) ?? { name: field, type: use.type ?? 'auto', columns: [] };
    if (custom.type !== (use.type ?? 'auto')) {
      throw new SourceError(`The map gives the custom field ${JSON.stringify(field)} two types.`);
    }
    custom.columns.push(column);
    customs.set(field, custom);
  }
  return { columns, customs: [...customs.values()], unnamed };
}
