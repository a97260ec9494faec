import { type DataSource, type EntityManager } from 'typeorm';
import { invalidIfDuplicate } from '../../database/connections/database-errors';
import { entityColumns, hydrateRows, insertRow, updateRow } from '../../database/sql/rows';
import { type Select } from '../../database/sql/select-together';
import {
  affectedRows,
  lockRows,
  inList,
  quoted,
  selectForShare,
  type StatementRunner,
} from '../../database/sql/statements';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { type ProjectSetting } from '../entities/project-setting.entity';
import { foldName } from '../fold-name';

const NAME_TAKEN = 'The project already has an entry with this name.';

/** The columns read of every setting. */
type SettingRow = Pick<ProjectSetting, 'id' | 'projectId' | 'name' | 'displayOrder'>;

/** The table in which another module links settings to issues, with `issue_id` and a column for the setting. */
export interface SettingLink {
  table: string;
  column: string;
}

/** A setting with the id of an issue that has it. */
export type LinkedSetting<Row> = Row & { issueId: number };

/** Repository of one kind of project setting, such as categories. Names are unique within a project. */
export abstract class SettingRepository<Row extends SettingRow> {
  /**
   * @param what name of the kind in "No such …"
   * @param keys properties to read
   */
  protected constructor(
    protected readonly dataSource: DataSource,
    private readonly entity: new () => Row & { nameKey: string },
    private readonly table: string,
    private readonly what: string,
    private readonly keys: readonly (keyof Row & string)[],
  ) {}

  /** Returns the settings of a project in their order. */
  listOfProject(projectId: number, runner: StatementRunner = this.dataSource): Promise<Row[]> {
    return this.select(runner, 'WHERE project_id = ? ORDER BY display_order, id', [projectId]);
  }

  /** Returns the ids of up to `limit` settings of a project by which clients name them. */
  async findFirstWireIds(projectId: number, limit: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number | string }[]>(
      `SELECT ${this.wireId} AS id FROM ${quoted(this.table)} WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** Returns the settings with these ids in one query, or without one for no ids. */
  async findByIds(ids: readonly number[], runner: StatementRunner = this.dataSource): Promise<Row[]> {
    if (ids.length === 0) return [];
    const list = inList([...new Set(ids)]);
    return this.select(runner, `WHERE id ${list.sql}`, list.parameters);
  }

  /** Selects the settings of issues. */
  selectOfIssues({ table, column }: SettingLink, ids: readonly number[]): Select<LinkedSetting<Row>> {
    return {
      entity: this.entity,
      alias: 'o',
      keys: this.keys,
      others: { issueId: 'l.issue_id' },
      from: `${table} l JOIN ${quoted(this.table)} o ON o.id = l.${column}`,
      column: 'l.issue_id',
      ids,
    };
  }

  /** Returns the ids that belong to the project; their rows are kept until the transaction ends. */
  async lockIds(manager: EntityManager, projectId: number, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const list = inList([...new Set(ids)]);
    const rows = await selectForShare<{ id: number; projectId: number }>(
      manager,
      `SELECT id, project_id AS projectId FROM ${quoted(this.table)} WHERE id ${list.sql}`,
      list.parameters,
    );
    return new Set(rows.filter((row) => row.projectId === projectId).map(({ id }) => id));
  }

  /**
   * Adds a setting and returns its row.
   * @throws InvalidRequestError when the project already has one with that name
   */
  async insert(manager: EntityManager, row: Omit<Row, 'id'> & Pick<Row, 'name'>): Promise<Row> {
    const written = { ...row, nameKey: foldName(row.name) } as unknown as Partial<Row & { nameKey: string }>;
    const id = await invalidIfDuplicate(insertRow(manager, this.entity, written), 'name', NAME_TAKEN);
    return { ...row, id } as unknown as Row;
  }

  /**
   * Changes the fields that are not undefined, and returns the row before and after.
   * @throws NoResourceError when it has been removed, InvalidRequestError when the project has another one with that name
   */
  async update(
    manager: EntityManager,
    id: number,
    changes: Partial<Row>,
  ): Promise<{ before: Row; after: Row }> {
    const before = await this.lock(manager, id);
    const nameKey = changes.name === undefined ? undefined : foldName(changes.name);
    const written = { ...changes, nameKey } as Partial<Row & { nameKey: string }>;
    await invalidIfDuplicate(updateRow(manager, this.entity, id, written), 'name', NAME_TAKEN);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    return { before, after: { ...before, ...(Object.fromEntries(given) as Partial<Row>) } };
  }

  /**
   * Locks a row until the transaction ends, and returns its current state.
   * @throws NoResourceError when another request has removed it
   */
  async lock(manager: EntityManager, id: number): Promise<Row> {
    const [row] = await this.lockAll(manager, 'WHERE id = ?', [id]);
    if (!row) throw new NoResourceError(this.what);
    return row;
  }

  /**
   * Locks a row to be removed, and the row of the same project that replaces it.
   * @param substitute its id, and the field of the request that names it
   * @throws NoResourceError when the row has been removed, InvalidRequestError when the substitute cannot be used
   */
  async lockWithSubstitute(
    manager: EntityManager,
    id: number,
    substitute: { id: number | undefined; field: string },
  ): Promise<{ row: Row; substitute: Row }> {
    // In the order of their ids, so that two transactions that lock the same rows do not deadlock.
    const rows = await this.lockAll(manager, 'WHERE id IN (?, ?) ORDER BY id', [id, substitute.id ?? id]);
    const row = rows.find((one) => one.id === id);
    if (!row) throw new NoResourceError(this.what);
    const other = rows.find((one) => one.id === substitute.id && one.projectId === row.projectId);
    if (!other || other === row) {
      throw InvalidRequestError.of(
        substitute.field,
        `The substitute must be another ${this.what} of the project.`,
        async (limit) => {
          const ids = await this.findFirstWireIds(row.projectId, limit + 1);
          return ids.filter((one) => one !== this.wireIdOf(row));
        },
      );
    }
    return { row, substitute: other };
  }

  async remove(manager: EntityManager, id: number): Promise<void> {
    await manager.query(`DELETE FROM ${quoted(this.table)} WHERE id = ?`, [id]);
  }

  /** Removes all settings of a project and returns their number, which is limited. */
  removeOfProject(manager: EntityManager, projectId: number): Promise<number> {
    return affectedRows(manager, `DELETE FROM ${quoted(this.table)} WHERE project_id = ?`, [projectId]);
  }

  /** SQL of the id by which clients name a setting. */
  protected readonly wireId: string = 'id';

  /** Returns the id by which clients name a setting. */
  protected wireIdOf(row: Row): number {
    return row.id;
  }

  /** Locks rows until the transaction ends, and returns their current state. */
  protected async lockAll(manager: EntityManager, rest: string, parameters: unknown[]): Promise<Row[]> {
    await lockRows(manager, this.table, rest, parameters);
    return this.select(manager, rest, parameters);
  }

  protected async select(runner: StatementRunner, rest: string, parameters: unknown[]): Promise<Row[]> {
    const columns = entityColumns(this.dataSource, this.entity, this.keys, '');
    const rows = await runner.query<Row[]>(
      `SELECT ${columns} FROM ${quoted(this.table)} ${rest}`,
      parameters,
    );
    return hydrateRows(this.dataSource, this.entity, this.keys, rows);
  }
}
