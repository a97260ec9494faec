import { Injectable } from '@nestjs/common';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { type AuditedCaller } from '../access/caller';
import { SettingAuditService } from './setting-audit.service';
import { type RemoveReferences } from './setting-references';
import { type VersionRow, VersionRepository } from './data/version.repository';
import { type AddVersionDto } from './dto/add-version.dto';
import { type UpdateVersionDto } from './dto/update-version.dto';
import { type VersionDto } from './dto/version.dto';
import { changesOf, contentOf } from './version-activity';
import { toVersionDto } from './version.mapper';

/** Manages the versions of a project, which are also its milestones. Each change writes an activity. */
@Injectable()
export class VersionsService {
  private readonly references: RemoveReferences[] = [];

  constructor(
    private readonly versions: VersionRepository,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly activities: ActivitiesService,
    private readonly audit: SettingAuditService,
  ) {}

  /** Registers a module's handler for versions that are removed. */
  onRemoved(remove: RemoveReferences): void {
    this.references.push(remove);
  }

  /** Returns a project's versions in their order. */
  async list(projectId: number): Promise<VersionDto[]> {
    return (await this.versions.listOfProject(projectId)).map(toVersionDto);
  }

  /**
   * Adds a version as the last one. Writes activity 22.
   * @throws InvalidRequestError when the project already has one with that name or the version would end before it starts,
   * ResourceOverflowError when the project has too many
   */
  add(projectId: number, caller: AuditedCaller, body: AddVersionDto): Promise<VersionDto> {
    const { name, description, startDate = null, releaseDueDate = null } = body;
    const fields = { projectId, name, description, startDate, releaseDueDate, archived: false };
    checkDates(fields, body);
    return this.transactions.run(async (manager) => {
      const number = await this.counters.take(manager, projectId, 'version');
      const version = await this.versions.insert(manager, { ...fields, displayOrder: number - 1 });
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.MilestoneCreated,
        content: contentOf(version),
        author: caller,
      });
      const added = toVersionDto(version);
      await this.audit.record(manager, caller, 'version.add', { after: added });
      return added;
    });
  }

  /**
   * Changes the given fields. Writes activity 23 if anything has changed.
   * @throws InvalidRequestError when the project has another one with that name or the version would end before it starts
   */
  update(
    { id, projectId }: ProjectResource,
    caller: AuditedCaller,
    body: UpdateVersionDto,
  ): Promise<VersionDto> {
    const { name, description, startDate, releaseDueDate, archived } = body;
    return this.transactions.run(async (manager) => {
      const { before, after } = await this.versions.update(manager, id, {
        name,
        description,
        startDate,
        releaseDueDate,
        archived,
      });
      checkDates(after, body);
      const changes = changesOf(before, after);
      if (changes.length > 0) {
        await this.activities.record(manager, {
          projectId,
          type: ActivityType.MilestoneUpdated,
          content: { ...contentOf(after), changes },
          author: caller,
        });
      }
      const updated = toVersionDto(after);
      await this.audit.record(manager, caller, 'version.update', {
        before: toVersionDto(before),
        after: updated,
      });
      return updated;
    });
  }

  /** Removes a version, also from its issues, and returns it. Writes activity 24. */
  delete({ id, projectId }: ProjectResource, caller: AuditedCaller): Promise<VersionDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'version');
      const version = await this.versions.lock(manager, id);
      for (const remove of this.references) await remove(manager, id);
      await this.versions.remove(manager, id);
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.MilestoneDeleted,
        content: contentOf(version),
        author: caller,
      });
      const removed = toVersionDto(version);
      await this.audit.record(manager, caller, 'version.delete', { before: removed });
      return removed;
    });
  }
}

type Dates = Pick<VersionRow, 'startDate' | 'releaseDueDate'>;

/** @throws InvalidRequestError about the date that was given, when the version would end before it starts */
function checkDates({ startDate, releaseDueDate }: Dates, given: Partial<Dates>): void {
  if (startDate === null || releaseDueDate === null || startDate <= releaseDueDate) return;
  const field = given.releaseDueDate ? 'releaseDueDate' : 'startDate';
  throw InvalidRequestError.of(field, 'releaseDueDate must not be before startDate.');
}
