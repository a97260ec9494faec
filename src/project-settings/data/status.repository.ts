import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { insertRows, selectRow, selectRows } from '../../database/sql/rows';
import { inList, selectForShare } from '../../database/sql/statements';
import { IssueStatus } from '../entities/issue-status.entity';
import { foldName } from '../fold-name';
import { type StandardStatus } from '../standard-status';
import { toWireId, wireIdOf } from '../status-wire-id';
import { SettingRepository } from './setting.repository';

/** The columns read of a status. */
export const STATUS_KEYS = ['id', 'projectId', 'name', 'color', 'displayOrder', 'standard'] as const;

export type StatusRow = Pick<IssueStatus, (typeof STATUS_KEYS)[number]>;

/** Repository of statuses. Their row ids are not their wire ids. */
@Injectable()
export class StatusRepository extends SettingRepository<StatusRow> {
  constructor(dataSource: DataSource) {
    super(dataSource, IssueStatus, 'issue_status', 'status', STATUS_KEYS);
  }

  protected override readonly wireId = wireIdOf('issue_status');

  protected override wireIdOf(row: StatusRow): number {
    return toWireId(row);
  }

  /** Returns the row id of one of the project's standard statuses. */
  async findStandardId(
    manager: EntityManager,
    projectId: number,
    standard: StandardStatus,
  ): Promise<number | undefined> {
    const row = await selectRow(manager, IssueStatus, ['id'], 'WHERE project_id = ? AND standard = ?', [
      projectId,
      standard,
    ]);
    return row?.id;
  }

  /** Returns the row id of the project's status with a wire id. */
  async findIdOfWireId(projectId: number, wireId: number): Promise<number | undefined> {
    const condition = `WHERE project_id = ? AND ${wireIdOf('issue_status')} = ?`;
    const row = await selectRow(this.dataSource, IssueStatus, ['id'], condition, [projectId, wireId]);
    return row?.id;
  }

  /** Like `findIdOfWireId`; the row is kept until the transaction ends. */
  async lockIdOfWireId(
    manager: EntityManager,
    projectId: number,
    wireId: number,
  ): Promise<number | undefined> {
    const [row] = await selectForShare<{ id: number }>(
      manager,
      `SELECT s.id AS id FROM issue_status s WHERE s.project_id = ? AND ${wireIdOf('s')} = ?`,
      [projectId, wireId],
    );
    return row?.id;
  }

  /** Returns the row ids of the statuses with these wire ids in these projects. */
  async findIdsOfWireIds(
    wireIds: readonly number[],
    projectIds: readonly number[] | 'all',
  ): Promise<number[]> {
    const conditions = new Conditions().in(wireIdOf('issue_status'), wireIds);
    if (projectIds !== 'all') conditions.in('project_id', projectIds);
    const rows = await selectRows(
      this.dataSource,
      IssueStatus,
      ['id'],
      conditions.where,
      conditions.parameters,
    );
    return rows.map(({ id }) => id);
  }

  async insertAll(manager: EntityManager, statuses: readonly Omit<StatusRow, 'id'>[]): Promise<void> {
    await insertRows(
      manager,
      IssueStatus,
      statuses.map((status) => ({ ...status, nameKey: foldName(status.name) })),
    );
  }

  /** Locks all statuses of a project until the transaction ends, so that no other transaction moves or removes one. */
  lockOfProject(manager: EntityManager, projectId: number): Promise<StatusRow[]> {
    return this.lockAll(manager, 'WHERE project_id = ? ORDER BY id', [projectId]);
  }

  /** Moves the statuses of a project from position `start` up to, but not including, position `end` forward by one. */
  async moveForward(manager: EntityManager, projectId: number, start: number, end: number): Promise<void> {
    await manager.query(
      `UPDATE issue_status SET display_order = display_order - 1
        WHERE project_id = ? AND display_order >= ? AND display_order < ?`,
      [projectId, start, end],
    );
  }

  /** Writes the display order of statuses. */
  async updateDisplayOrders(
    manager: EntityManager,
    statuses: readonly Pick<StatusRow, 'id' | 'displayOrder'>[],
  ): Promise<void> {
    const list = inList(statuses.map(({ id }) => id));
    await manager.query(
      `UPDATE issue_status SET display_order = CASE id ${'WHEN ? THEN ? '.repeat(statuses.length)} END
        WHERE id ${list.sql}`,
      [...statuses.flatMap(({ id, displayOrder }) => [id, displayOrder]), ...list.parameters],
    );
  }
}
