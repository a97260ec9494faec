import { getMetadataArgsStorage } from 'typeorm';
import { entities } from '../app.entities';
import { type ForeignKey } from '../database/schema/foreign-keys';
import { type JsonShape, jsonShapeOf } from '../database/schema/columns';
import { toColumnName } from '../database/sql/statements';
import { type ArchivedTable, type IdPlaces } from '../manifest';
import { MANIFESTS } from '../manifests';

/** A kind of records in archives, with its table. */
export interface Kind extends ArchivedTable {
  name: string;
  table: string;
  /** The columns that refer to other records or to those of the same kind, with the kinds of these. */
  references: ReadonlyMap<string, string>;
  /** Those of them whose records are always in the archive; the others may have been removed. */
  firm: ReadonlySet<string>;
  /** The columns with foreign keys, and those that lead to the project, with the kinds that they refer to. */
  owners: ReadonlyMap<string, string>;
}

/** The kinds that the manifests declare, by their names. */
const DECLARED: ReadonlyMap<string, ArchivedTable> = new Map(
  MANIFESTS.flatMap(({ archived }) => Object.entries(archived ?? {})),
);

/** The ids in the contents of activities, by type. */
export const ACTIVITY_IDS: ReadonlyMap<number, IdPlaces> = new Map(
  MANIFESTS.flatMap(({ activityIds }) => Object.entries(activityIds ?? {})).map(([type, places]) => [
    Number(type),
    places,
  ]),
);

/** Returns the property of a column. */
export const toProperty = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

/**
 * Returns the kinds of records in the order of an archive: records refer only to earlier ones, and to those of the same kind.
 * @param foreignKeys of the database
 * @throws Error if two kinds refer to each other
 */
export function archiveKinds(foreignKeys: readonly ForeignKey[]): Kind[] {
  const byTable = new Map([...DECLARED].map(([name, { table }]) => [table ?? toColumnName(name), name]));
  const kinds = [...DECLARED].map(([name, declared]): Kind => {
    const { table = toColumnName(name), by = [], within = 'project', refersTo = {} } = declared;
    const keys = foreignKeys.flatMap(({ table: from, column, parent }): [string, string][] => {
      const kind = byTable.get(parent);
      return from === table && kind !== undefined ? [[column, kind]] : [];
    });
    const owners = new Map([
      ...keys,
      ...by.map((property): [string, string] => [toColumnName(property), within]),
    ]);
    const others = Object.entries(refersTo).map(([property, kind]): [string, string] => [
      toColumnName(property),
      kind,
    ]);
    const references = new Map([...owners, ...others]);
    // Users are never removed.
    const firm = new Set([
      ...owners.keys(),
      ...others.flatMap(([column, kind]) => (kind === 'user' ? [column] : [])),
    ]);
    return { ...declared, name, table, references, firm, owners };
  });
  return inOrder(kinds);
}

/** Returns the shapes of the columns of a kind with JSON values. */
export function jsonColumns(
  { table }: Pick<Kind, 'table'>,
  columns: readonly string[],
): Map<string, JsonShape> {
  const entity = entities.find((one) =>
    getMetadataArgsStorage().tables.some(({ target, name }) => target === one && name === table),
  );
  return new Map(
    columns.flatMap((column): [string, JsonShape][] => {
      const hasShape = entity && jsonShapeOf(entity, toProperty(column));
      return hasShape ? [[column, hasShape]] : [];
    }),
  );
}

function inOrder(kinds: readonly Kind[]): Kind[] {
  const ordered: Kind[] = [];
  const left = new Set(kinds);
  while (left.size > 0) {
    const placed = new Set(ordered.map(({ name }) => name));
    const next = [...left].find(({ name, references }) =>
      [...references.values()].every((kind) => kind === name || placed.has(kind)),
    );
    if (!next)
      throw new Error(`These kinds refer to each other: ${[...left].map(({ name }) => name).join(', ')}`);
    ordered.push(next);
    left.delete(next);
  }
  return ordered;
}
