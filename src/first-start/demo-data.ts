import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CommentsService } from '../comments/comments.service';
import { NotificationReason } from '../comments/notification-reason';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { IssuesService } from '../issues/issues.service';
import { StandardStatus } from '../project-settings/standard-status';
import { ProjectSettingsService } from '../project-settings/project-settings.service';
import { ProjectsService } from '../projects/projects.service';
import { PullRequestsService } from '../pull-requests/pull-requests.service';
import { RoleType } from '../users/role-type';
import { UsersService } from '../users/users.service';
import { WikisService } from '../wikis/wikis.service';

/** The small project that a newcomer's first requests meet: `DEMO`. */
@Injectable()
export class DemoData {
  constructor(
    private readonly users: UsersService,
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly issues: IssuesService,
    private readonly repositories: GitRepositoriesService,
    private readonly pullRequests: PullRequestsService,
    private readonly comments: CommentsService,
    private readonly wikis: WikisService,
  ) {}

  /** Writes the project and its people, with the administrator among them. */
  async load(manager: EntityManager, adminId: number): Promise<void> {
    const projectId = await this.projects.add(manager, { projectKey: 'DEMO', name: 'Demo project' });
    const developerId = await this.users.add(manager, {
      userId: 'dana',
      name: 'Dana Developer',
      roleType: RoleType.NormalUser,
      mailAddress: 'dana@example.com',
    });
    await this.projects.addMember(manager, projectId, adminId, true);
    await this.projects.addMember(manager, projectId, developerId, false);
    await this.addIssue(manager, projectId, adminId, developerId);
    await this.addPullRequest(manager, projectId, adminId, developerId);
    await this.wikis.add(manager, {
      projectId,
      name: 'Home',
      content: '# Demo project\n\nAttach a file to this page.',
      createdUserId: adminId,
    });
  }

  private async addIssue(
    manager: EntityManager,
    projectId: number,
    adminId: number,
    developerId: number,
  ): Promise<void> {
    const issue = await this.issues.add(manager, {
      projectId,
      issueTypeId: await this.settings.getFirstIssueTypeId(manager, projectId),
      statusId: await this.settings.getStandardStatusId(manager, projectId, StandardStatus.Open),
      summary: 'Welcome',
      description: 'Add a comment to this issue.',
      createdUserId: developerId,
    });
    await this.comments.add(manager, {
      projectId,
      threadId: issue.threadId,
      content: 'This is the first comment.',
      changeLog: [],
      createdUserId: adminId,
      created: Date.now(),
    });
  }

  private async addPullRequest(
    manager: EntityManager,
    projectId: number,
    adminId: number,
    developerId: number,
  ): Promise<void> {
    const repositoryId = await this.repositories.add(manager, {
      projectId,
      name: 'demo',
      description: '',
      createdUserId: adminId,
    });
    const pullRequest = await this.pullRequests.add(manager, {
      projectId,
      repositoryId,
      summary: 'Say hello',
      description: 'Adds a greeting.',
      base: 'main',
      branch: 'hello',
      createdUserId: developerId,
    });
    const { threadId } = pullRequest;
    const reviewId = await this.comments.add(manager, {
      projectId,
      threadId,
      content: 'Looks good to me.',
      changeLog: [],
      createdUserId: adminId,
      created: Date.now(),
    });
    const developers = await this.users.findByIds([developerId], manager);
    await this.comments.notify(
      manager,
      { id: reviewId, projectId, threadId, senderId: adminId },
      [...developers.values()],
      NotificationReason.PullRequestCommented,
    );
  }
}
