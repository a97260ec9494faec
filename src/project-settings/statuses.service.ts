import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { type LinkedIssue } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { insertRows } from '../database/rows';
import { inList, selectForUpdate } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { type Caller } from '../access/caller';
import { type AddStatusDto } from './dto/add-status.dto';
import { type StatusDto } from './dto/status.dto';
import { type UpdateStatusDto } from './dto/update-status.dto';
import { IssueStatus } from './entities/issue-status.entity';
import { foldName } from './fold-name';
import { changeSetting, insertSetting, listOfProject, takeWithSubstitute } from './setting-kind';
import { type Replace } from './setting-replacer';
import { StandardStatus } from './standard-status';
import { STATUSES, type StatusRow, toStatusDto } from './status.mapper';
import { displayOrderAt, isAllowedOrder, startOfCrowd } from './status-order';
import { findStatusRowId, toWireId } from './status-wire-id';

/** The statuses of a new project (`docs/decisions/0014-statuses.md`). */
const STANDARD_STATUSES = [
  { standard: StandardStatus.Open, name: 'Open', color: '#ed8077' },
  { standard: StandardStatus.InProgress, name: 'In Progress', color: '#4488c5' },
  { standard: StandardStatus.Resolved, name: 'Resolved', color: '#5eb5a6' },
  { standard: StandardStatus.Closed, name: 'Closed', color: '#a1af2f' },
];

/** Where a project's issues can stand. */
@Injectable()
export class StatusesService {
  private readonly replacers: Replace[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly activities: ActivitiesService,
  ) {}

  /** Has a module told of each status that another replaces. */
  onReplaced(replace: Replace): void {
    this.replacers.push(replace);
  }

  /** A project's statuses, in their order. */
  list(projectId: number): Promise<StatusDto[]> {
    return listOfProject(this.dataSource, STATUSES, projectId);
  }

  /** The row id of one of the project's standard statuses. */
  async getStandardId(manager: EntityManager, projectId: number, standard: StandardStatus): Promise<number> {
    const [row] = await manager.query<{ id: number }[]>(
      'SELECT id FROM issue_status WHERE project_id = ? AND standard = ?',
      [projectId, standard],
    );
    return (row as { id: number }).id;
  }

  /** Gives a new project its four statuses. */
  async insertStandard(manager: EntityManager, projectId: number): Promise<void> {
    await this.counters.take(manager, projectId, 'status', STANDARD_STATUSES.length);
    await insertRows(
      manager,
      IssueStatus,
      STANDARD_STATUSES.map((status, index) => ({
        projectId,
        ...status,
        nameKey: foldName(status.name),
        displayOrder: displayOrderAt(index),
      })),
    );
  }

  /**
   * Adds a status just before Closed (`docs/protocol.md#add-a-status-to-a-project`).
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, { name, color }: AddStatusDto): Promise<StatusDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.take(manager, projectId, 'status');
      const displayOrder = await this.makeRoomBeforeClosed(manager, projectId);
      const row = { projectId, name, color, displayOrder, standard: null };
      return toStatusDto(await insertSetting(manager, STATUSES, row));
    });
  }

  /**
   * Changes what the body has; the standard statuses can be called and look otherwise too.
   * @throws InvalidRequestError when the project has another of that name
   */
  update({ id }: ProjectResource, { name, color }: UpdateStatusDto): Promise<StatusDto> {
    return this.transactions.run(async (manager) => {
      const { after } = await changeSetting(manager, STATUSES, id, { name, color });
      return toStatusDto(after);
    });
  }

  /**
   * Puts the project's statuses in an order.
   * @param wireIds all of them
   * @throws InvalidRequestError when they are not all, or may not stand so
   */
  reorder(projectId: number, wireIds: readonly number[]): Promise<StatusDto[]> {
    return this.transactions.run(async (manager) => {
      const statuses = await takeStatuses(manager, projectId);
      const byWireId = new Map(statuses.map((status) => [toWireId(status), status]));
      const ordered = wireIds.flatMap((id) => byWireId.get(id) ?? []);
      if (ordered.length < wireIds.length || ordered.length < statuses.length) {
        throw InvalidRequestError.of('statusId', 'Every status of the project, and no other, must be named.');
      }
      if (!isAllowedOrder(ordered.map(({ standard }) => standard))) {
        throw InvalidRequestError.of(
          'statusId',
          'Open must be first, Closed last, and In Progress before Resolved.',
        );
      }
      const placed = ordered.map((status, index) => ({ ...status, displayOrder: displayOrderAt(index) }));
      await writePlaces(manager, placed);
      return placed.map(toStatusDto);
    });
  }

  /**
   * Removes a status that the project has added, and gives what it was; its issues get the substitute. Writes activity 34,
   * which names the first hundred of them.
   * @throws InvalidRequestError for a standard status, and when the substitute is none of the project's other statuses
   */
  async delete(
    { id, projectId }: ProjectResource,
    caller: Caller,
    substituteWireId: number,
  ): Promise<StatusDto> {
    // What row a wire id stands for never changes; whether it is still there is seen once it is taken.
    const substituteId = await findStatusRowId(this.dataSource, projectId, substituteWireId);
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'status');
      const { row, substitute } = await takeWithSubstitute(manager, STATUSES, id, {
        id: substituteId,
        field: 'substituteStatusId',
      });
      if (row.standard !== null) {
        throw new InvalidRequestError('Open, In Progress, Resolved and Closed cannot be deleted.');
      }
      const link: LinkedIssue[] = [];
      for (const replace of this.replacers)
        link.push(...(await replace(manager, projectId, id, substitute.id)));
      await manager.query('DELETE FROM issue_status WHERE id = ?', [id]);
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.StatusDeleted,
        content: {
          deletedStatus: { name: row.name },
          link,
          change: {
            field: 'status',
            new_value: String(toWireId(substitute)),
            old_value: String(toWireId(row)),
            type: 'standard',
          },
        },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return toStatusDto(row);
    });
  }

  /** The place just before Closed; those that crowd there move one down. */
  private async makeRoomBeforeClosed(manager: EntityManager, projectId: number): Promise<number> {
    const statuses = await takeStatuses(manager, projectId);
    const closed = statuses.find(({ standard }) => standard === StandardStatus.Closed) as StatusRow;
    const places = statuses.map(({ displayOrder }) => displayOrder);
    await manager.query(
      `UPDATE issue_status SET display_order = display_order - 1
        WHERE project_id = ? AND display_order >= ? AND display_order < ?`,
      [projectId, startOfCrowd(places, closed.displayOrder), closed.displayOrder],
    );
    return closed.displayOrder - 1;
  }
}

/** All statuses of a project, which nobody else moves, adds to or removes from until the transaction ends. */
const takeStatuses = (manager: EntityManager, projectId: number): Promise<StatusRow[]> =>
  selectForUpdate<StatusRow>(manager, `${STATUSES.select} WHERE t.project_id = ?`, [projectId]);

async function writePlaces(manager: EntityManager, statuses: readonly StatusRow[]): Promise<void> {
  const list = inList(statuses.map(({ id }) => id));
  await manager.query(
    `UPDATE issue_status SET display_order = CASE id ${'WHEN ? THEN ? '.repeat(statuses.length)} END
      WHERE id ${list.sql}`,
    [...statuses.flatMap(({ id, displayOrder }) => [id, displayOrder]), ...list.parameters],
  );
}
