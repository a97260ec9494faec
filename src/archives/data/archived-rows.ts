import { type Table } from '../../database/schema/tables';
import { portableRows, type PortableRow, type Snapshot } from '../../database/snapshot/snapshot';
import { quoted, toColumnName } from '../../database/sql/statements';
import { type Kind } from '../archive-kinds';

/** A file of an archive. */
export interface ArchivedFile {
  id: number;
  storageKey: string;
  size: number;
}

/** Selects the rows of projects from the tables that manifests declare. */
export class ArchivedRows {
  private readonly byName: ReadonlyMap<string, Kind>;
  private readonly conditions = new Map<string, string>();

  /** @param projectIds undefined for all projects */
  constructor(
    private readonly snapshot: Snapshot,
    private readonly kinds: readonly Kind[],
    private readonly projectIds: readonly number[] | undefined,
  ) {
    this.byName = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** Yields the rows of a kind, in the order of their keys. */
  rows(kind: Kind, table: Table): AsyncIterable<PortableRow> {
    return portableRows(this.snapshot, table, this.conditionOf(kind));
  }

  /** Yields the files of the records of attachments, in the order of their ids. */
  async *files(kind: Kind): AsyncGenerator<ArchivedFile> {
    const sql = `SELECT id AS id, storage_key AS storageKey, size AS size FROM ${quoted(kind.table)}
      WHERE ${this.conditionOf(kind)} ORDER BY id`;
    for await (const row of this.snapshot.stream(sql)) {
      yield { id: Number(row.id), storageKey: row.storageKey as string, size: Number(row.size) };
    }
  }

  /** Returns the ids of the rows of a kind. */
  async ids(kind: Kind): Promise<Set<number>> {
    const ids = new Set<number>();
    for await (const row of this.snapshot.stream(this.idsOf(kind))) ids.add(Number(row.id));
    return ids;
  }

  /** Returns the condition for the rows of a kind in the archive. */
  private conditionOf(kind: Kind): string {
    const known = this.conditions.get(kind.name);
    if (known !== undefined) return known;
    const condition = [
      ...Object.entries(kind.only ?? {}).map(
        ([property, value]) => `${columnOf(property)} ${value === null ? 'IS NULL' : `= ${literal(value)}`}`,
      ),
      ...this.placeOf(kind),
      ...this.removals(kind, kind.by?.map(toColumnName)).map((removal) => `NOT ${removal}`),
    ].join(' AND ');
    this.conditions.set(kind.name, condition);
    return condition;
  }

  private placeOf(kind: Kind): string[] {
    const { name, by, within = 'project', isOfSpace } = kind;
    if (name === 'project')
      return [this.projectIds ? `id IN (${this.projectIds.join(', ') || 'NULL'})` : '1 = 1'];
    if (by) return by.map((property) => `${columnOf(property)} IN (${this.idsOf(this.kind(within))})`);
    if (isOfSpace && !this.projectIds) return ['1 = 1'];
    const references = this.kinds.flatMap((other) =>
      other.name === name || this.isWithin(other, name)
        ? []
        : [...other.references]
            .filter(([, target]) => target === name)
            .map(
              ([column]) =>
                `SELECT ${quoted(column)} AS id FROM ${quoted(other.table)} WHERE ${this.conditionOf(other)} AND ${quoted(column)} IS NOT NULL`,
            ),
    );
    // Without the derived table, servers would run the statements of the union for each row.
    return [`${idOf(kind)} IN (SELECT r.id FROM (${references.join(' UNION ')}) r)`];
  }

  /**
   * Returns conditions of which one is true for a row whose removal has begun, or that refers to such a row.
   * @param except columns whose rows are known to stay
   */
  private removals(kind: Kind, except: readonly string[] = []): string[] {
    const { removedBy } = kind;
    const own = removedBy
      ? [`${idOf(kind)} IN (SELECT ${columnOf(removedBy.column)} FROM ${quoted(removedBy.table)})`]
      : [];
    const owned = [...kind.owners].flatMap(([column, owner]) => {
      const isKept = owner === kind.name || except.includes(column);
      const removals = isKept ? [] : this.removals(this.kind(owner));
      if (removals.length === 0) return [];
      const { table } = this.kind(owner);
      const ids = `SELECT ${idOf(this.kind(owner))} FROM ${quoted(table)} WHERE ${removals.join(' OR ')}`;
      return [`(${quoted(column)} IS NOT NULL AND ${quoted(column)} IN (${ids}))`];
    });
    return [...own, ...owned];
  }

  private idsOf(kind: Kind): string {
    return `SELECT ${idOf(kind)} AS id FROM ${quoted(kind.table)} WHERE ${this.conditionOf(kind)}`;
  }

  /** Whether the rows of a kind are in the archive because of rows of another. */
  private isWithin({ by, within = 'project' }: Kind, name: string): boolean {
    return (
      by !== undefined &&
      (within === name || (within !== 'project' && this.isWithin(this.kind(within), name)))
    );
  }

  private kind(name: string): Kind {
    const kind = this.byName.get(name);
    if (!kind) throw new Error(`No manifest declares the records ${name}`);
    return kind;
  }
}

/** Returns the ids of projects by their keys. */
export async function findProjectIds(
  snapshot: Snapshot,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const rows = await snapshot.query<{ id: number | string; projectKey: string }[]>(
    `SELECT id AS id, project_key AS projectKey FROM ${quoted('project')}
      WHERE deleted = 0 AND project_key IN (${keys.map(() => '?').join(', ')})`,
    [...keys],
  );
  return new Map(rows.map(({ id, projectKey }) => [projectKey, Number(id)]));
}

const idOf = ({ id = 'id' }: Kind): string => columnOf(id);

const columnOf = (property: string): string => quoted(toColumnName(property));

/** Returns a value of a manifest as SQL. */
const literal = (value: string | boolean): string =>
  typeof value === 'string' ? `'${value}'` : value ? '1' : '0';
