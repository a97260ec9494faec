import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AttachmentLink, AttachmentLinksService } from '../attachments/attachment-links.service';
import { AttachmentsService } from '../attachments/attachments.service';
import { CommentsService } from '../comments/comments.service';
import { NotificationReason } from '../comments/notification-reason';
import { NotificationsService } from '../comments/notifications.service';
import { StarsService } from '../comments/stars.service';
import { TransactionsService } from '../database/transactions.service';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { ISSUE_FILES } from '../issues/attachments/issue-files';
import { IssuesService } from '../issues/issues.service';
import { CategoriesService } from '../project-settings/categories.service';
import { StandardStatus } from '../project-settings/standard-status';
import { ProjectSettingsService } from '../project-settings/project-settings.service';
import { StatusesService } from '../project-settings/statuses.service';
import { VersionsService } from '../project-settings/versions.service';
import { ProjectsService } from '../projects/projects.service';
import { PULL_REQUEST_FILES } from '../pull-requests/attachments/pull-request-files';
import { PullRequestsService } from '../pull-requests/pull-requests.service';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { WebhooksService } from '../webhooks/webhooks.service';
import { WIKI_FILES } from '../wikis/attachments/wiki-files';
import { WikisService } from '../wikis/wikis.service';

/** Ids of the demo project and its contents. */
export interface DemoProject {
  projectId: number;
  adminId: number;
  issueId: number;
  pullRequestId: number;
  wikiId: number;
}

/** Creates `DEMO`, a small project for a newcomer's first requests. */
@Injectable()
export class DemoDataService {
  constructor(
    private readonly users: UsersService,
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly issues: IssuesService,
    private readonly repositories: GitRepositoriesService,
    private readonly pullRequests: PullRequestsService,
    private readonly comments: CommentsService,
    private readonly wikis: WikisService,
    private readonly notifications: NotificationsService,
    private readonly stars: StarsService,
    private readonly statuses: StatusesService,
    private readonly categories: CategoriesService,
    private readonly versions: VersionsService,
    private readonly webhooks: WebhooksService,
    private readonly attachments: AttachmentsService,
    private readonly files: AttachmentLinksService,
    private readonly transactions: TransactionsService,
  ) {}

  /** Creates the project and its members, among them the administrator. */
  async load(manager: EntityManager, adminId: number): Promise<DemoProject> {
    const projectId = await this.projects.add(manager, { projectKey: 'DEMO', name: 'Demo project' });
    const developerId = await this.users.add(manager, {
      userId: 'dana',
      name: 'Dana Developer',
      roleType: RoleType.NormalUser,
      mailAddress: 'dana@example.com',
    });
    await this.projects.addMember(manager, projectId, adminId, true);
    await this.projects.addMember(manager, projectId, developerId, false);
    const issueId = await this.addIssue(manager, projectId, adminId, developerId);
    const pullRequestId = await this.addPullRequest(manager, projectId, adminId, developerId);
    const wikiId = await this.wikis.add(manager, {
      projectId,
      name: 'Home',
      content: '# Demo project\n\nAttach a file to this page.',
      createdUserId: adminId,
    });
    return { projectId, adminId, issueId, pullRequestId, wikiId };
  }

  /**
   * Adds one of everything else that the documentation's examples name. As for a client, each has its own transaction, because
   * files cannot be part of one.
   */
  async complete({ projectId, adminId, issueId, pullRequestId, wikiId }: DemoProject): Promise<void> {
    const admin = { id: adminId, roleType: RoleType.Administrator };
    await this.statuses.add(projectId, { name: 'In testing', color: '#b0be3c' });
    await this.categories.add(projectId, 'Documentation');
    await this.versions.add(projectId, admin, { name: '0.1', description: 'The first try.' });
    await this.addStar(admin, issueId);
    await this.addFile(admin, ISSUE_FILES, issueId, 'welcome.txt');
    await this.addFile(admin, PULL_REQUEST_FILES, pullRequestId, 'hello.txt');
    await this.addFile(admin, WIKI_FILES, wikiId, 'home.txt');
    // It subscribes to no events. `add` would look up its host name.
    await this.webhooks.register(projectId, admin, {
      name: 'Example',
      description: 'Choose events, and an address of yours.',
      hookUrl: 'https://hooks.example.com/demo',
      allEvent: false,
      activityTypeIds: [],
    });
  }

  private async addStar(caller: Caller, issueId: number): Promise<void> {
    const issue = await this.issues.findStarrable(caller, issueId);
    if (!issue) return;
    const { threadId, title, url } = issue;
    await this.transactions.run((manager) =>
      this.stars.add(manager, { threadId }, { presenterId: caller.id, title, url }),
    );
  }

  private async addFile(caller: Caller, link: AttachmentLink, ownerId: number, name: string): Promise<void> {
    const { id } = await this.attachments.store(
      caller,
      name,
      Readable.from(['A file of the demo project.\n']),
    );
    await this.transactions.run((manager) => this.files.attach(manager, link, ownerId, caller, [id]));
  }

  private async addIssue(
    manager: EntityManager,
    projectId: number,
    adminId: number,
    developerId: number,
  ): Promise<number> {
    const issue = await this.issues.add(manager, {
      projectId,
      issueTypeId: await this.settings.getFirstIssueTypeId(manager, projectId),
      statusId: await this.settings.getStandardStatusId(manager, projectId, StandardStatus.Open),
      summary: 'Welcome',
      description: 'Add a comment to this issue.',
      createdUserId: developerId,
    });
    const { threadId } = issue;
    await this.comments.add(manager, {
      projectId,
      threadId,
      content: 'This is the first comment.',
      changeLog: [],
      createdUserId: adminId,
      created: Date.now(),
    });
    const told = { projectId, threadId, senderId: developerId, reason: NotificationReason.IssueCreated };
    await this.notifications.add(manager, [adminId], told);
    return issue.id;
  }

  private async addPullRequest(
    manager: EntityManager,
    projectId: number,
    adminId: number,
    developerId: number,
  ): Promise<number> {
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
    return pullRequest.id;
  }
}
