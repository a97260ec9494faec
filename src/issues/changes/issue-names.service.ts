import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Named } from '../../activities/activity-content';
import { priorityOf } from '../../project-settings/priorities';
import { resolutionOf } from '../../project-settings/resolutions';
import { SettingsLookupService } from '../../project-settings/settings-lookup.service';
import { UsersService } from '../../users/users.service';
import { IssueRepository } from '../data/issue.repository';
import { type ReferenceField } from '../issue-fields';
import { toIssueKey } from '../issue.mapper';

type Names = ReadonlyMap<number, Named>;

/** Looks up the names of the objects that issue fields refer to. */
@Injectable()
export class IssueNamesService {
  /** One lookup for each field that holds ids. */
  private readonly lookUps: Readonly<
    Record<ReferenceField, (ids: readonly number[], manager: EntityManager) => Names | Promise<Names>>
  > = {
    issueTypeId: (ids, manager) => this.settings.issueTypesByIds(ids, manager),
    statusId: (ids, manager) => this.settings.statusesByIds(ids, manager),
    categoryIds: (ids, manager) => this.settings.categoriesByIds(ids, manager),
    versionIds: (ids, manager) => this.settings.versionsByIds(ids, manager),
    milestoneIds: (ids, manager) => this.settings.versionsByIds(ids, manager),
    assigneeId: (ids, manager) => this.users.findByIds(ids, manager),
    parentIssueId: (ids, manager) => this.findKeys(ids, manager),
    priorityId: (ids) => new Map(ids.map((id) => [id, priorityOf(id)])),
    resolutionId: (ids) => new Map(ids.map((id) => [id, resolutionOf(id)])),
  };

  constructor(
    private readonly settings: SettingsLookupService,
    private readonly users: UsersService,
    private readonly issues: IssueRepository,
  ) {}

  /** Returns the names of the referenced objects by id, with at most one query per field. */
  async find(
    manager: EntityManager,
    references: ReadonlyMap<ReferenceField, readonly number[]>,
  ): Promise<ReadonlyMap<ReferenceField, Names>> {
    const names = new Map<ReferenceField, Names>();
    for (const [field, ids] of references) names.set(field, await this.lookUps[field](ids, manager));
    return names;
  }

  private async findKeys(ids: readonly number[], manager: EntityManager): Promise<Names> {
    const issues = await this.issues.findKeys(ids, manager);
    return new Map(issues.map((issue) => [issue.id, { id: issue.id, name: toIssueKey(issue) }]));
  }
}
