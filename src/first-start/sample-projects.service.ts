import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { IssuesService } from '../issues/issues.service';
import { ProjectSettingsService } from '../project-settings/project-settings.service';
import { StandardStatus } from '../project-settings/standard-status';
import { ProjectsService } from '../projects/projects.service';
import { PullRequestsService } from '../pull-requests/pull-requests.service';
import { WikisService } from '../wikis/wikis.service';

/** An issue or a pull request, with its author. */
interface SampleTicket {
  summary: string;
  description: string;
  createdUserId: number;
}

export type SamplePullRequest = SampleTicket & { branch: string };

/** A project with one of every entity that has comments or files. */
export interface SampleProject {
  projectKey: string;
  name: string;
  members: readonly { userId: number; isProjectAdministrator: boolean }[];
  issue: SampleTicket;
  repository: { name: string; createdUserId: number };
  pullRequest: SamplePullRequest;
  wiki: { name: string; content: string; createdUserId: number };
}

/** The ids of a sample project and its content. */
export interface SampleProjectIds {
  projectId: number;
  issueTypeId: number;
  /** The status Open. */
  statusId: number;
  issue: { id: number; threadId: number; keyId: number };
  repositoryId: number;
  pullRequest: { id: number; threadId: number; number: number };
  wikiId: number;
}

/**
 * Creates projects with one of every entity, without activities and notifications: the demo project, those of the tests, and the
 * basis of the benchmarks' data.
 */
@Injectable()
export class SampleProjectsService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly issues: IssuesService,
    private readonly repositories: GitRepositoriesService,
    private readonly pullRequests: PullRequestsService,
    private readonly wikis: WikisService,
  ) {}

  async add(manager: EntityManager, sample: SampleProject): Promise<SampleProjectIds> {
    const { projectKey, name } = sample;
    const projectId = await this.projects.add(manager, { projectKey, name });
    for (const { userId, isProjectAdministrator } of sample.members) {
      await this.projects.addMember(manager, projectId, userId, isProjectAdministrator);
    }
    const issueTypeId = await this.settings.getFirstIssueTypeId(manager, projectId);
    const statusId = await this.settings.getStandardStatusId(manager, projectId, StandardStatus.Open);
    const issue = await this.addIssue(manager, { projectId, issueTypeId, statusId }, sample.issue);
    const repositoryId = await this.repositories.add(manager, {
      projectId,
      description: '',
      ...sample.repository,
    });
    const pullRequest = await this.addPullRequest(manager, { projectId, repositoryId }, sample.pullRequest);
    const wikiId = await this.wikis.add(manager, { projectId, ...sample.wiki });
    return { projectId, issueTypeId, statusId, issue, repositoryId, pullRequest, wikiId };
  }

  /** Adds an open issue to a sample project. */
  addIssue(
    manager: EntityManager,
    { projectId, issueTypeId, statusId }: Pick<SampleProjectIds, 'projectId' | 'issueTypeId' | 'statusId'>,
    issue: SampleTicket,
  ): Promise<SampleProjectIds['issue']> {
    return this.issues.add(manager, { projectId, issueTypeId, statusId, ...issue });
  }

  /** Adds a pull request onto `main` to a sample project. */
  addPullRequest(
    manager: EntityManager,
    { projectId, repositoryId }: Pick<SampleProjectIds, 'projectId' | 'repositoryId'>,
    pullRequest: SamplePullRequest,
  ): Promise<SampleProjectIds['pullRequest']> {
    return this.pullRequests.add(manager, { projectId, repositoryId, base: 'main', ...pullRequest });
  }
}
