import { type DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { columnsOf } from '../../database/sql/statements';
import { isVisible, joinProject, VISIBILITY_COLUMNS, type VisibilityRow } from '../visibility';

/** The query of `findVisible`. */
interface Lookup {
  select: string;
  /** The SQL between FROM and WHERE, without parameters. */
  from: string;
  /** The column with the project's id. */
  projectId: string;
  where: string;
  parameters: readonly unknown[];
}

/** Returns a row of a project that the caller may see, in one query. */
export async function findVisible<Row extends object>(
  dataSource: DataSource,
  caller: Caller,
  { select, from, projectId, where, parameters }: Lookup,
): Promise<(Row & { isProjectAdministrator: boolean }) | undefined> {
  const [row] = await dataSource.query<(Row & VisibilityRow)[]>(
    `SELECT ${select}, ${VISIBILITY_COLUMNS} FROM ${from} ${joinProject(projectId)} WHERE ${where}`,
    [caller.id, ...parameters],
  );
  if (!row || !isVisible(row, caller)) return undefined;
  const { ofProjectId: _, memberId: __, projectAdministrator, projectDeleted: ___, ...found } = row;
  return { ...(found as unknown as Row), isProjectAdministrator: Boolean(projectAdministrator) };
}

/** A table of project resources, and the columns to read. */
export interface VisibleTable {
  table: string;
  /** Properties besides `id` and `projectId`. */
  columns?: readonly string[];
  /** The property with the id of the owner. */
  owner?: string;
  /** An additional condition on the row `t`. */
  where?: string;
}

/** Returns the row with an id if it belongs to a project that the caller may see. */
export async function findVisibleById<Row extends object>(
  dataSource: DataSource,
  caller: Caller,
  id: number,
  { table, columns = [], owner, where }: VisibleTable,
): Promise<Row | undefined> {
  const names = ['id', 'projectId', ...columns];
  if (owner !== undefined && !names.includes(owner)) names.push(owner);
  const found = await findVisible<Row & Record<string, unknown>>(dataSource, caller, {
    select: columnsOf('t', names),
    from: `${table} t`,
    projectId: 't.project_id',
    where: where === undefined ? 't.id = ?' : `t.id = ? AND ${where}`,
    parameters: [id],
  });
  return found && owner !== undefined ? { ...found, ownerId: found[owner] as number } : found;
}
