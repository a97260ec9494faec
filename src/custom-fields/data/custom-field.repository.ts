import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns, hydrateRows, selectRows } from '../../database/sql/rows';
import { selectForShare } from '../../database/sql/statements';
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

/** Stores custom fields. */
@Injectable()
export class CustomFieldRepository extends SettingRepository<CustomFieldRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, CustomField, 'custom_field', 'custom field', KEYS);
  }

  /** Returns the custom fields of a project; none can be changed, removed or added before the transaction ends. */
  async lockOfProject(manager: EntityManager, projectId: number): Promise<CustomFieldRow[]> {
    const columns = entityColumns(manager, CustomField, KEYS, '');
    const rows = await selectForShare<CustomFieldRow>(
      manager,
      `SELECT ${columns} FROM custom_field WHERE project_id = ? ORDER BY display_order, id`,
      [projectId],
    );
    return hydrateRows(manager, CustomField, KEYS, rows);
  }

  /** Returns the ids of a project's custom fields in a transaction that changes them. */
  async findIds(manager: EntityManager, projectId: number): Promise<number[]> {
    const rows = await selectRows(manager, CustomField, ['id'], 'WHERE project_id = ?', [projectId]);
    return rows.map(({ id }) => id);
  }
}
