import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ProjectsService } from '../projects/projects.service';
import { IssueTypesService } from './issue-types.service';
import { type SettingReplacer } from './setting-replacer';
import { type StandardStatus } from './standard-status';
import { StatusesService } from './statuses.service';

/** The issue types of a new project. */
const STANDARD_ISSUE_TYPES = [
  { name: 'Task', color: '#7ea800' },
  { name: 'Bug', color: '#990000' },
  { name: 'Request', color: '#ff9200' },
];

/** The settings that a project starts with, and the ones that other modules ask for. */
@Injectable()
export class ProjectSettingsService implements OnModuleInit {
  constructor(
    private readonly projects: ProjectsService,
    private readonly issueTypes: IssueTypesService,
    private readonly statuses: StatusesService,
  ) {}

  onModuleInit(): void {
    this.projects.onCreated((manager, projectId) => this.createDefaults(manager, projectId));
  }

  /** Registers a module that refers to issue types and statuses, so that it replaces those that are removed. */
  onReplaced({ replaceIssueType, replaceStatus }: SettingReplacer): void {
    this.issueTypes.onReplaced(replaceIssueType);
    this.statuses.onReplaced(replaceStatus);
  }

  /** The id of the project's first issue type. */
  getFirstIssueTypeId(manager: EntityManager, projectId: number): Promise<number> {
    return this.issueTypes.getFirstId(manager, projectId);
  }

  /** The row id of one of the project's standard statuses. */
  getStandardStatusId(manager: EntityManager, projectId: number, standard: StandardStatus): Promise<number> {
    return this.statuses.getStandardId(manager, projectId, standard);
  }

  /** Gives a new project its four statuses and its first issue types. */
  private async createDefaults(manager: EntityManager, projectId: number): Promise<void> {
    await this.statuses.insertStandard(manager, projectId);
    for (const issueType of STANDARD_ISSUE_TYPES) {
      await this.issueTypes.insert(manager, projectId, issueType);
    }
  }
}
