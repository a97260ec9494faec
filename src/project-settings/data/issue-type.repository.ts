import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { selectRow } from '../../database/sql/rows';
import { IssueType } from '../entities/issue-type.entity';
import { SettingRepository } from './setting.repository';

/** The columns read of an issue type. */
export const ISSUE_TYPE_KEYS = [
  'id',
  'projectId',
  'name',
  'color',
  'displayOrder',
  'templateSummary',
  'templateDescription',
] as const;

export type IssueTypeRow = Pick<IssueType, (typeof ISSUE_TYPE_KEYS)[number]>;

/** Repository of issue types. */
@Injectable()
export class IssueTypeRepository extends SettingRepository<IssueTypeRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, IssueType, 'issue_type', 'issue type', ISSUE_TYPE_KEYS);
  }

  /** Returns the id of the project's first issue type. */
  async findFirstId(manager: EntityManager, projectId: number): Promise<number | undefined> {
    const first = 'WHERE project_id = ? ORDER BY display_order LIMIT 1';
    return (await selectRow(manager, IssueType, ['id'], first, [projectId]))?.id;
  }
}
