import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { type LinkedIssue } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller } from '../access/caller';
import { StatusRepository, type StatusRow } from './data/status.repository';
import { type AddStatusDto } from './dto/add-status.dto';
import { type StatusDto } from './dto/status.dto';
import { type UpdateStatusDto } from './dto/update-status.dto';
import { SettingAuditService } from './setting-audit.service';
import { type Replace } from './setting-references';
import { STANDARD_STATUSES, StandardStatus } from './standard-status';
import { toStatusDto } from './status.mapper';
import { displayOrderAt, firstPositionToShift, isAllowedOrder } from './status-order';
import { toWireId } from './status-wire-id';

/** Manages the statuses of a project's issues. */
@Injectable()
export class StatusesService {
  private readonly replacers: Replace[] = [];

  constructor(
    private readonly statuses: StatusRepository,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly activities: ActivitiesService,
    private readonly audit: SettingAuditService,
  ) {}

  /** Registers a module's handler for statuses that are replaced by another. */
  onReplaced(replace: Replace): void {
    this.replacers.push(replace);
  }

  /** Returns a project's statuses in their order. */
  async list(projectId: number): Promise<StatusDto[]> {
    return (await this.statuses.listOfProject(projectId)).map(toStatusDto);
  }

  /** Returns the row id of one of the project's standard statuses. */
  async getStandardId(manager: EntityManager, projectId: number, standard: StandardStatus): Promise<number> {
    return (await this.statuses.findStandardId(manager, projectId, standard)) as number;
  }

  /** Adds the four standard statuses to a new project. */
  async insertStandard(manager: EntityManager, projectId: number): Promise<void> {
    await this.counters.take(manager, projectId, 'status', STANDARD_STATUSES.length);
    const statuses = STANDARD_STATUSES.map((status, index) => ({
      projectId,
      ...status,
      displayOrder: displayOrderAt(index),
    }));
    await this.statuses.insertAll(manager, statuses);
  }

  /**
   * Adds a status just before Closed (`docs/protocol.md#add-a-status-to-a-project`).
   * @throws InvalidRequestError when the project already has one with that name, ResourceOverflowError when it has too many
   */
  add(projectId: number, caller: AuditedCaller, { name, color }: AddStatusDto): Promise<StatusDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.take(manager, projectId, 'status');
      const displayOrder = await this.makeRoomBeforeClosed(manager, projectId);
      const row = { projectId, name, color, displayOrder, standard: null };
      const added = toStatusDto(await this.statuses.insert(manager, row));
      await this.audit.record(manager, caller, 'status.add', { after: added });
      return added;
    });
  }

  /**
   * Changes the given fields; the standard statuses can also get other names and colors.
   * @throws InvalidRequestError when the project has another one with that name
   */
  update(
    { id }: ProjectResource,
    caller: AuditedCaller,
    { name, color }: UpdateStatusDto,
  ): Promise<StatusDto> {
    return this.transactions.run(async (manager) => {
      const { before, after } = await this.statuses.update(manager, id, { name, color });
      const updated = toStatusDto(after);
      await this.audit.record(manager, caller, 'status.update', {
        before: toStatusDto(before),
        after: updated,
      });
      return updated;
    });
  }

  /**
   * Reorders the project's statuses.
   * @param wireIds all statuses, in the new order
   * @throws InvalidRequestError when statuses are missing or unknown, or the order is not allowed
   */
  reorder(
    project: Pick<VisibleProject, 'id' | 'projectKey'>,
    caller: AuditedCaller,
    wireIds: readonly number[],
  ): Promise<StatusDto[]> {
    return this.transactions.run(async (manager) => {
      const statuses = await this.statuses.lockOfProject(manager, project.id);
      const byWireId = new Map(statuses.map((status) => [toWireId(status), status]));
      const ordered = wireIds.flatMap((id) => byWireId.get(id) ?? []);
      if (ordered.length < wireIds.length || ordered.length < statuses.length) {
        throw InvalidRequestError.of('statusId', 'statusId must list each status of the project once.');
      }
      if (!isAllowedOrder(ordered.map(({ standard }) => standard))) {
        throw InvalidRequestError.of(
          'statusId',
          'Open must be first, Closed last, and In Progress before Resolved.',
        );
      }
      const placed = ordered.map((status, index) => ({ ...status, displayOrder: displayOrderAt(index) }));
      await this.statuses.updateDisplayOrders(manager, placed);
      const before = statuses.map(toWireId);
      await this.audit.recordOrder(manager, caller, project, { before, after: wireIds });
      return placed.map(toStatusDto);
    });
  }

  /**
   * Removes a status that the project added, and returns it; its issues get the substitute. Writes activity 34, which names the
   * first hundred of these issues.
   * @throws InvalidRequestError for a standard status, and when the substitute is not another status of the project
   */
  async delete(
    { id, projectId }: ProjectResource,
    caller: AuditedCaller,
    substituteWireId: number,
  ): Promise<StatusDto> {
    // The row of a wire id never changes; the lock shows whether it still exists.
    const substituteId = await this.statuses.findIdOfWireId(projectId, substituteWireId);
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'status');
      const { row, substitute } = await this.statuses.lockWithSubstitute(manager, id, {
        id: substituteId,
        field: 'substituteStatusId',
      });
      if (row.standard !== null) {
        throw new InvalidRequestError('Open, In Progress, Resolved and Closed cannot be deleted.');
      }
      const link: LinkedIssue[] = [];
      for (const replace of this.replacers) {
        link.push(...(await replace(manager, projectId, id, substitute.id)));
      }
      await this.statuses.remove(manager, id);
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
        author: caller,
      });
      const removed = toStatusDto(row);
      await this.audit.record(manager, caller, 'status.delete', { before: removed });
      return removed;
    });
  }

  /** Frees the position just before Closed, moving adjacent statuses if necessary, and returns it. */
  private async makeRoomBeforeClosed(manager: EntityManager, projectId: number): Promise<number> {
    const statuses = await this.statuses.lockOfProject(manager, projectId);
    const closed = statuses.find(({ standard }) => standard === StandardStatus.Closed) as StatusRow;
    const places = statuses.map(({ displayOrder }) => displayOrder);
    const end = closed.displayOrder;
    await this.statuses.moveForward(manager, projectId, firstPositionToShift(places, end), end);
    return end - 1;
  }
}
