import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns, hydrateRows, selectRows } from '../../database/rows';
import { inList, selectForShare, type StatementRunner } from '../../database/statements';
import { SettingRepository } from '../../project-settings/data/setting.repository';
import { CustomField } from '../entities/custom-field.entity';

const KEYS = [
  'id',
  'projectId',
  'name',
  'displayOrder',
  'typeId',
  'description',
  'required',
  'settings',
  'version',
] as const;

/** The columns read of a custom field. */
export type CustomFieldRow = Pick<CustomField, (typeof KEYS)[number]>;

const HEAD_KEYS = ['id', 'projectId', 'name', 'typeId', 'displayOrder'] as const;

/** The columns that issues show of a custom field. */
export type CustomFieldHead = Pick<CustomField, (typeof HEAD_KEYS)[number]>;

/** Stores custom fields. */
@Injectable()
export class CustomFieldRepository extends SettingRepository<CustomFieldRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, CustomField, 'custom_field', 'custom field', KEYS);
  }

  /** Returns the custom fields of projects, in their order. */
  findHeads(
    projectIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<CustomFieldHead[]> {
    const list = inList(projectIds);
    return this.read(
      (sql, parameters) => runner.query<CustomFieldHead[]>(sql, [...parameters]),
      HEAD_KEYS,
      `WHERE project_id ${list.sql} ORDER BY display_order, id`,
      list.parameters,
    );
  }

  /** Returns the custom fields of a project; none can be changed, removed or added before the transaction ends. */
  lockOfProject(manager: EntityManager, projectId: number): Promise<CustomFieldRow[]> {
    return this.read(
      (sql, parameters) => selectForShare<CustomFieldRow>(manager, sql, parameters),
      KEYS,
      'WHERE project_id = ? ORDER BY display_order, id',
      [projectId],
    );
  }

  /** Returns the ids of a project's custom fields in a transaction that changes them. */
  async findIds(manager: EntityManager, projectId: number): Promise<number[]> {
    const rows = await selectRows(manager, CustomField, ['id'], 'WHERE project_id = ?', [projectId]);
    return rows.map(({ id }) => id);
  }

  private async read<Key extends (typeof KEYS)[number]>(
    query: (sql: string, parameters: readonly unknown[]) => Promise<Pick<CustomField, Key>[]>,
    keys: readonly Key[],
    rest: string,
    parameters: readonly unknown[],
  ): Promise<Pick<CustomField, Key>[]> {
    const columns = entityColumns(this.dataSource, CustomField, keys, '');
    const rows = await query(`SELECT ${columns} FROM custom_field ${rest}`, parameters);
    return hydrateRows(this.dataSource, CustomField, keys, rows);
  }
}
