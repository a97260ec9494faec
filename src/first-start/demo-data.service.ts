import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AttachmentLink } from '../attachments/attachment-link';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { AttachmentsService } from '../attachments/attachments.service';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { CommentsService } from '../comments/comments.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { DOCUMENT_FILES } from '../documents/attachments/document-files';
import { DocumentCommentsService } from '../documents/comments/document-comments.service';
import { DocumentsService } from '../documents/documents.service';
import { EditorTextService, MAX_DOCUMENT_JSON } from '../documents/editor/editor-text.service';
import { ISSUE_FILES } from '../issues/attachments/issue-files';
import { ISSUE_SHARED_FILES } from '../issues/shared-files/issue-shared-file-links';
import { IssuesService } from '../issues/issues.service';
import { WatchingsService } from '../issues/watchings/watchings.service';
import { NotificationReason } from '../notifications/notification-reason';
import { NotificationsService } from '../notifications/notifications.service';
import { CategoriesService } from '../project-settings/categories.service';
import { StatusesService } from '../project-settings/statuses.service';
import { VersionsService } from '../project-settings/versions.service';
import { PULL_REQUEST_FILES } from '../pull-requests/attachments/pull-request-files';
import { SharedFileChangesService } from '../shared-files/shared-file-changes.service';
import { SharedFileLinksService } from '../shared-files/shared-file-links.service';
import { StarsService } from '../stars/stars.service';
import { ProjectTeamsService } from '../teams/project-teams.service';
import { TeamsService } from '../teams/teams.service';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { WebhooksService } from '../webhooks/webhooks.service';
import { WIKI_FILES } from '../wikis/attachments/wiki-files';
import { WIKI_SHARED_FILES } from '../wikis/shared-files/wiki-shared-file-links';
import { DemoRepositoryService } from './demo-repository.service';
import { type SampleProjectIds, SampleProjectsService } from './sample-projects.service';

/** Ids of the demo project and its content. */
export interface DemoProject {
  projectId: number;
  adminId: number;
  developerId: number;
  issueId: number;
  repositoryId: number;
  pullRequestId: number;
  wikiId: number;
}

/** The ids used in the documentation's examples. */
const DEMO_DOCUMENT = '019a8f2f6c0070008000000000000001';
const DEMO_COMMENT = '019a8f2f6c0070008000000000000002';

/** Creates `DEMO`, a small project for a new user's first requests. */
@Injectable()
export class DemoDataService {
  constructor(
    private readonly users: UsersService,
    private readonly samples: SampleProjectsService,
    private readonly issues: IssuesService,
    private readonly watchings: WatchingsService,
    private readonly comments: CommentsService,
    private readonly notifications: NotificationsService,
    private readonly stars: StarsService,
    private readonly statuses: StatusesService,
    private readonly categories: CategoriesService,
    private readonly versions: VersionsService,
    private readonly webhooks: WebhooksService,
    private readonly teams: TeamsService,
    private readonly projectTeams: ProjectTeamsService,
    private readonly attachments: AttachmentsService,
    private readonly files: AttachmentLinksService,
    private readonly sharedFiles: SharedFileChangesService,
    private readonly sharedFileLinks: SharedFileLinksService,
    private readonly documents: DocumentsService,
    private readonly texts: EditorTextService,
    private readonly documentComments: DocumentCommentsService,
    private readonly repository: DemoRepositoryService,
    private readonly transactions: TransactionsService,
  ) {}

  /** Creates the project and its members, including the administrator. */
  async load(manager: EntityManager, adminId: number): Promise<DemoProject> {
    const developerId = await this.users.add(manager, {
      userId: 'dana',
      name: 'Dana Developer',
      roleType: RoleType.NormalUser,
      mailAddress: 'dana@example.com',
    });
    const sample = await this.samples.add(manager, {
      projectKey: 'DEMO',
      name: 'Demo project',
      members: [
        { userId: adminId, isProjectAdministrator: true },
        { userId: developerId, isProjectAdministrator: false },
      ],
      issue: {
        summary: 'Welcome',
        description: 'Add a comment to this issue.',
        createdUserId: developerId,
      },
      repository: { name: 'demo', createdUserId: adminId },
      pullRequest: {
        summary: 'Say hello',
        description: 'Adds a greeting.',
        branch: 'hello',
        createdUserId: developerId,
      },
      wiki: {
        name: 'Home',
        content: '# Demo project\n\nAttach a file to this page.',
        createdUserId: adminId,
      },
    });
    await this.discussIssue(manager, sample, adminId, developerId);
    await this.reviewPullRequest(manager, sample, adminId, developerId);
    const { projectId, issue, repositoryId, pullRequest, wikiId } = sample;
    return {
      projectId,
      adminId,
      developerId,
      issueId: issue.id,
      repositoryId,
      pullRequestId: pullRequest.id,
      wikiId,
    };
  }

  /**
   * Adds one of everything else that the documentation's examples mention. As with a client, each has its own transaction,
   * because files cannot be part of one.
   */
  async complete({
    projectId,
    adminId,
    developerId,
    issueId,
    repositoryId,
    pullRequestId,
    wikiId,
  }: DemoProject): Promise<void> {
    const admin = { id: adminId, roleType: RoleType.Administrator, address: null };
    await this.statuses.add(projectId, admin, { name: 'In testing', color: '#b0be3c' });
    await this.categories.add(projectId, admin, 'Documentation');
    await this.versions.add(projectId, admin, { name: '0.1', description: 'The first try.' });
    const team = await this.teams.add(admin, { name: 'Developers', members: [developerId] });
    await this.projectTeams.add(projectId, admin, team.id);
    await this.addStar(admin, issueId);
    await this.watchings.add(admin, { issueIdOrKey: String(issueId) });
    await this.addFile(admin, ISSUE_FILES, issueId, 'welcome.txt');
    await this.addFile(admin, PULL_REQUEST_FILES, pullRequestId, 'hello.txt');
    await this.addFile(admin, WIKI_FILES, wikiId, 'home.txt');
    await this.addDocument(admin, projectId);
    await this.addSharedFile(admin, { projectId, issueId, wikiId });
    // Subscribes to no events. `add` would resolve its host name.
    await this.webhooks.register(projectId, admin, {
      name: 'Example',
      description: 'Choose events, and an address of yours.',
      hookUrl: 'https://hooks.example.com/demo',
      allEvent: false,
      activityTypeIds: [],
    });
    // Last, so that everything else has the same ids without git.
    await this.repository.fill(repositoryId, { adminId, developerId });
  }

  private async addDocument(caller: Caller, projectId: number): Promise<void> {
    const content = '# Demo project\n\nComment on this document.';
    const text = await this.texts.convert(content, MAX_DOCUMENT_JSON, caller.id);
    const { id, threadId } = await this.transactions.run((manager) =>
      this.documents.add(manager, {
        uid: DEMO_DOCUMENT,
        projectId,
        title: 'Home',
        emoji: null,
        text,
        createdUserId: caller.id,
      }),
    );
    await this.addFile(caller, DOCUMENT_FILES, id, 'document.txt');
    await this.documentComments.write(
      { projectId, threadId, uid: DEMO_COMMENT },
      caller,
      'The first comment.',
    );
  }

  private async addStar(caller: Caller, issueId: number): Promise<void> {
    const issue = await this.issues.findStarrable(caller, issueId);
    if (!issue) return;
    const { threadId, ...starrable } = issue;
    await this.transactions.run((manager) =>
      this.stars.add(manager, { threadId }, { ...starrable, presenterId: caller.id }),
    );
  }

  private async addFile(caller: Caller, link: AttachmentLink, ownerId: number, name: string): Promise<void> {
    const { id } = await this.store(caller, name);
    await this.transactions.run((manager) => this.files.attach(manager, link, ownerId, caller, [id]));
  }

  private async addSharedFile(
    caller: Caller,
    { projectId, issueId, wikiId }: Pick<DemoProject, 'projectId' | 'issueId' | 'wikiId'>,
  ): Promise<void> {
    const upload = await this.store(caller, 'start.txt');
    const { id } = await this.sharedFiles.put({ projectId, caller, folder: ['guides'], upload });
    await this.transactions.run(async (manager) => {
      await this.sharedFileLinks.link(manager, ISSUE_SHARED_FILES, { id: issueId, projectId }, [id]);
      await this.sharedFileLinks.link(manager, WIKI_SHARED_FILES, { id: wikiId, projectId }, [id]);
    });
  }

  private store(caller: Caller, name: string): Promise<AttachmentDto> {
    return this.attachments.store(caller, name, Readable.from(['A file of the demo project.\n']));
  }

  private async discussIssue(
    manager: EntityManager,
    { projectId, issue: { threadId } }: SampleProjectIds,
    adminId: number,
    developerId: number,
  ): Promise<void> {
    await this.comments.add(manager, {
      projectId,
      threadId,
      content: 'This is the first comment.',
      changeLog: [],
      author: { id: adminId },
      created: Date.now(),
    });
    const source = { projectId, threadId, senderId: developerId, reason: NotificationReason.IssueCreated };
    await this.notifications.add(manager, [adminId], source);
  }

  private async reviewPullRequest(
    manager: EntityManager,
    { projectId, pullRequest: { threadId } }: SampleProjectIds,
    adminId: number,
    developerId: number,
  ): Promise<void> {
    const reviewId = await this.comments.add(manager, {
      projectId,
      threadId,
      content: 'Looks good to me.',
      changeLog: [],
      author: { id: adminId },
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
