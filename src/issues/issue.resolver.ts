import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { isNumeric, parseId } from '../http/path-id';
import { ProjectsService, type VisibleProject } from '../projects/projects.service';
import { type Caller } from '../users/caller';

/** An issue that the path names. */
export interface IssueSubject extends AccessSubject {
  id: number;
  projectId: number;
  keyId: number;
  threadId: number;
  summary: string;
  description: string;
}

type IssueRow = Omit<IssueSubject, keyof AccessSubject>;

const ISSUE_COLUMNS =
  'id, project_id AS projectId, key_id AS keyId, thread_id AS threadId, summary, description';
const ISSUE_KEY = /^([A-Z][A-Z0-9_]{0,24})-([1-9][0-9]*)$/;

/** Finds the issue of `/issues/{issueIdOrKey}/…`; one in a project that the caller may not see is not there. */
@Injectable()
export class IssueResolver implements ResourceResolver<IssueSubject> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly projects: ProjectsService,
  ) {}

  async resolve({ issueIdOrKey = '' }: PathParameters, caller: Caller): Promise<IssueSubject> {
    const found = isNumeric(issueIdOrKey)
      ? await this.findById(issueIdOrKey, caller)
      : await this.findByKey(issueIdOrKey, caller);
    if (!found) throw new NoResourceError('issue');
    return found;
  }

  private async findById(text: string, caller: Caller): Promise<IssueSubject | undefined> {
    const id = parseId(text);
    const row = id === undefined ? undefined : await this.findWhere('id = ?', [id]);
    const project = row && (await this.projects.findVisibleById(caller, row.projectId));
    return row && project && toSubject(row, project);
  }

  private async findByKey(key: string, caller: Caller): Promise<IssueSubject | undefined> {
    const [, projectKey, number] = ISSUE_KEY.exec(key) ?? [];
    const keyId = parseId(number);
    if (projectKey === undefined || keyId === undefined) return undefined;
    const project = await this.projects.findVisible(caller, projectKey);
    const row = project && (await this.findWhere('project_id = ? AND key_id = ?', [project.id, keyId]));
    return row && toSubject(row, project);
  }

  private async findWhere(condition: string, parameters: number[]): Promise<IssueRow | undefined> {
    const [row] = await this.dataSource.query<IssueRow[]>(
      `SELECT ${ISSUE_COLUMNS} FROM issue WHERE ${condition}`,
      parameters,
    );
    return row;
  }
}

const toSubject = (row: IssueRow, project: VisibleProject): IssueSubject => ({
  ...row,
  isProjectAdministrator: project.isProjectAdministrator,
});
