import { type EntityManager } from 'typeorm';
import { refusingDuplicate } from '../database/database-errors';
import { insertRow, updateRow } from '../database/rows';
import { inList, selectForUpdate, type StatementRunner } from '../database/statements';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { foldName } from './fold-name';

interface SettingRow {
  id: number;
  projectId: number;
  name: string;
}

/** A kind of thing that projects are set up with, such as categories, and how its rows are read and written. */
export interface SettingKind<Row extends SettingRow, Dto> {
  /** Its name in "No such …". */
  what: string;
  /** Its entity; no two of a project have the same `nameKey`. */
  entity: new () => Row & { nameKey: string };
  /** Selects rows of its table, which is `t`, up to the WHERE. */
  select: string;
  toDto: (row: Row) => Dto;
}

/** Those of a project, in their order. */
export async function listOfProject<Row extends SettingRow, Dto>(
  runner: StatementRunner,
  { select, toDto }: SettingKind<Row, Dto>,
  projectId: number,
): Promise<Dto[]> {
  const rows = await runner.query<Row[]>(`${select} WHERE t.project_id = ? ORDER BY t.display_order, t.id`, [
    projectId,
  ]);
  return rows.map(toDto);
}

/** Those with these row ids, by row id, in one query. */
export async function mapByIds<Row extends SettingRow, Dto>(
  runner: StatementRunner,
  { select, toDto }: SettingKind<Row, Dto>,
  ids: readonly number[],
): Promise<Map<number, Dto>> {
  if (ids.length === 0) return new Map();
  const list = inList([...new Set(ids)]);
  const rows = await runner.query<Row[]>(`${select} WHERE t.id ${list.sql}`, list.parameters);
  return new Map(rows.map((row) => [row.id, toDto(row)]));
}

/**
 * Writes a new one.
 * @throws InvalidRequestError when the project has one of that name
 */
export async function insertSetting<Row extends SettingRow, Dto>(
  manager: EntityManager,
  { entity }: SettingKind<Row, Dto>,
  row: Omit<Row, 'id'> & Pick<Row, 'name'>,
): Promise<Row> {
  const written = { ...row, nameKey: foldName(row.name) } as unknown as Partial<Row & { nameKey: string }>;
  const id = await refusingDuplicate(insertRow(manager, entity, written), 'name', NAME_TAKEN);
  return { ...row, id } as unknown as Row;
}

/**
 * Changes what is not undefined of one, and gives it as it was and as it is.
 * @throws NoResourceError when it is gone, InvalidRequestError when the project has another of that name
 */
export async function changeSetting<Row extends SettingRow, Dto>(
  manager: EntityManager,
  kind: SettingKind<Row, Dto>,
  id: number,
  changes: Partial<Row>,
): Promise<{ before: Row; after: Row }> {
  const before = await takeRow(manager, kind, id);
  const nameKey = changes.name === undefined ? undefined : foldName(changes.name);
  const written = { ...changes, nameKey } as Partial<Row & { nameKey: string }>;
  await refusingDuplicate(updateRow(manager, kind.entity, id, written), 'name', NAME_TAKEN);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { before, after: { ...before, ...(Object.fromEntries(given) as Partial<Row>) } };
}

const NAME_TAKEN = 'The project has one of that name already.';

/**
 * Takes a row for the rest of the transaction and gives it as it is now.
 * @throws NoResourceError when somebody else has been faster and removed it
 */
export async function takeRow<Row extends SettingRow, Dto>(
  manager: EntityManager,
  { select, what }: SettingKind<Row, Dto>,
  id: number,
): Promise<Row> {
  const [row] = await selectForUpdate<Row>(manager, `${select} WHERE t.id = ?`, [id]);
  if (!row) throw new NoResourceError(what);
  return row;
}

/**
 * Takes a row that is to be removed, and the one of the same project that takes its place.
 * @param field names the substitute in the request
 * @throws NoResourceError when the row is gone, InvalidRequestError when the substitute cannot be one
 */
export async function takeWithSubstitute<Row extends SettingRow, Dto>(
  manager: EntityManager,
  { select, what }: SettingKind<Row, Dto>,
  id: number,
  substitute: { id: number | undefined; field: string },
): Promise<{ row: Row; substitute: Row }> {
  // In the order of their ids, so that two that take the same rows do not wait for each other.
  const rows = await selectForUpdate<Row>(manager, `${select} WHERE t.id IN (?, ?) ORDER BY t.id`, [
    id,
    substitute.id ?? id,
  ]);
  const row = rows.find((one) => one.id === id);
  if (!row) throw new NoResourceError(what);
  const other = rows.find((one) => one.id === substitute.id && one.projectId === row.projectId);
  if (!other || other === row) {
    throw InvalidRequestError.of(substitute.field, `The substitute must be another ${what} of the project.`);
  }
  return { row, substitute: other };
}
