import { type EntityManager } from 'typeorm';
import { type RecordKind } from '../../archives/record-kinds';
import { type PortableRow } from '../../database/snapshot/snapshot';
import { forWrite, quoted, type StatementRunner } from '../../database/sql/statements';

/** A row of a kind with the columns of its records, and those of its key. */
export type KindRow = PortableRow;

const columnsOf = ({ columns: { columns, key } }: RecordKind): string[] => [
  ...new Set([...key, ...columns.map(({ name }) => name)]),
];

/** Returns some rows of a kind in the order of their keys. @param after the last row before them */
export function readRows(
  runner: StatementRunner,
  kind: RecordKind,
  after: KindRow | undefined,
  limit: number,
): Promise<KindRow[]> {
  const { key } = kind.columns;
  const list = key.map(quoted).join(', ');
  const condition = after ? `WHERE (${list}) > (${key.map(() => '?').join(', ')})` : '';
  return runner.query<KindRow[]>(
    `SELECT ${columnsOf(kind).map(quoted).join(', ')} FROM ${quoted(kind.table)} ${condition} ORDER BY ${list} LIMIT ${limit}`,
    after ? key.map((name) => after[name]) : [],
  );
}

/** Returns a row that no other transaction changes until this one ends; undefined if it is gone. */
export async function lockKindRow(
  manager: EntityManager,
  kind: RecordKind,
  row: KindRow,
): Promise<KindRow | undefined> {
  const [found] = await manager.query<KindRow[]>(
    `SELECT ${columnsOf(kind).map(quoted).join(', ')} FROM ${quoted(kind.table)} WHERE ${keyCondition(kind)}${forWrite(manager)}`,
    kind.columns.key.map((name) => row[name]),
  );
  return found;
}

/** Changes columns of a row. */
export async function changeRow(
  manager: EntityManager,
  kind: RecordKind,
  row: KindRow,
  changes: KindRow,
): Promise<void> {
  const names = Object.keys(changes);
  await manager.query(
    `UPDATE ${quoted(kind.table)} SET ${names.map((name) => `${quoted(name)} = ?`).join(', ')} WHERE ${keyCondition(kind)}`,
    [...names.map((name) => changes[name]), ...kind.columns.key.map((name) => row[name])],
  );
}

/** Deletes a row. */
export async function deleteRow(manager: EntityManager, kind: RecordKind, row: KindRow): Promise<void> {
  await manager.query(
    `DELETE FROM ${quoted(kind.table)} WHERE ${keyCondition(kind)}`,
    kind.columns.key.map((name) => row[name]),
  );
}

const keyCondition = ({ columns: { key } }: RecordKind): string =>
  key.map((name) => `${quoted(name)} = ?`).join(' AND ');
