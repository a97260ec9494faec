import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ProjectsService } from '../projects/projects.service';
import { CategoriesService } from './categories.service';
import { IssueTypesService } from './issue-types.service';
import { type SettingReferences } from './setting-references';
import { type StandardStatus } from './standard-status';
import { StatusesService } from './statuses.service';
import { VersionsService } from './versions.service';

/** The issue types of a new project. */
const STANDARD_ISSUE_TYPES = [
  { name: 'Task', color: '#7ea800' },
  { name: 'Bug', color: '#990000' },
  { name: 'Request', color: '#ff9200' },
  { name: 'Other', color: '#2779ca' },
];

/** Adds the initial settings of a project, and provides settings to other modules. */
@Injectable()
export class ProjectSettingsService implements OnModuleInit {
  constructor(
    private readonly projects: ProjectsService,
    private readonly issueTypes: IssueTypesService,
    private readonly statuses: StatusesService,
    private readonly categories: CategoriesService,
    private readonly versions: VersionsService,
  ) {}

  onModuleInit(): void {
    this.projects.onCreated((manager, projectId) => this.createDefaults(manager, projectId));
  }

  /** Registers a module that references settings, for the removal of one of them. */
  onRemoved({ replaceIssueType, replaceStatus, removeCategory, removeVersion }: SettingReferences): void {
    this.issueTypes.onReplaced(replaceIssueType);
    this.statuses.onReplaced(replaceStatus);
    this.categories.onRemoved(removeCategory);
    this.versions.onRemoved(removeVersion);
  }

  /** Returns the id of the project's first issue type. */
  getFirstIssueTypeId(manager: EntityManager, projectId: number): Promise<number> {
    return this.issueTypes.getFirstId(manager, projectId);
  }

  /** Returns the row id of one of the project's standard statuses. */
  getStandardStatusId(manager: EntityManager, projectId: number, standard: StandardStatus): Promise<number> {
    return this.statuses.getStandardId(manager, projectId, standard);
  }

  /** Adds the four statuses and the first issue types to a new project. */
  private async createDefaults(manager: EntityManager, projectId: number): Promise<void> {
    await this.statuses.insertStandard(manager, projectId);
    for (const issueType of STANDARD_ISSUE_TYPES) {
      await this.issueTypes.insert(manager, projectId, issueType);
    }
  }
}
