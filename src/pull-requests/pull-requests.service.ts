import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActivityType } from '../activities/activity-type';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { NotificationReason } from '../comments/notification-reason';
import { NotificationsService } from '../comments/notifications.service';
import { type Starrable } from '../comments/stars.service';
import { Environment } from '../config/environment';
import { insertRow } from '../database/rows';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { type GitRepositoryResource } from '../git-repositories/git-repository.loader';
import { IssuesService } from '../issues/issues.service';
import { findVisible } from '../projects/project-resource';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { type AddPullRequestDto } from './dto/add-pull-request.dto';
import { type PullRequestDto } from './dto/pull-request.dto';
import { PullRequest } from './entities/pull-request.entity';
import { PullRequestEventsService } from './pull-request-events.service';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { PullRequestReaderService } from './pull-request-reader.service';
import { refusingMissingIssue } from './changes/refusing-missing-issue';

/** A pull request to be written. */
export type NewPullRequest = Pick<
  PullRequest,
  'projectId' | 'repositoryId' | 'summary' | 'description' | 'base' | 'branch' | 'createdUserId'
> &
  Partial<Pick<PullRequest, 'issueId' | 'assigneeId'>>;

/** Pull requests: adding them, and what other modules ask of them. */
@Injectable()
export class PullRequestsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly environment: Environment,
    private readonly repositories: GitRepositoriesService,
    private readonly issues: IssuesService,
    private readonly comments: CommentsService,
    private readonly notifications: NotificationsService,
    private readonly attachments: AttachmentLinksService,
    private readonly events: PullRequestEventsService,
    private readonly reader: PullRequestReaderService,
  ) {}

  /**
   * Adds a pull request with its files, tells whom it concerns, and writes activity 18.
   * @throws InvalidRequestError for what cannot be used; nothing is stored
   */
  async create(
    repository: GitRepositoryResource,
    caller: Caller,
    body: AddPullRequestDto,
  ): Promise<PullRequestDto> {
    if (body.base === body.branch)
      throw InvalidRequestError.of('branch', 'branch must be another than base.');
    const { projectId } = repository;
    const { issueId = null, assigneeId = null } = body;
    const { notified, assigneeRefusal } = await this.events.peopleOf(
      projectId,
      caller,
      body,
      body.description,
    );
    if (assigneeRefusal) throw assigneeRefusal;
    if (issueId !== null) await this.issues.getUsable(caller, projectId, issueId, 'issueId');
    const id = await this.transactions.run(async (manager) => {
      const added = await this.add(manager, {
        projectId,
        repositoryId: repository.id,
        summary: body.summary,
        description: body.description,
        base: body.base,
        branch: body.branch,
        issueId,
        assigneeId,
        createdUserId: caller.id,
      });
      await this.attachments.attach(manager, PULL_REQUEST_FILES, added.id, caller, body.attachmentId);
      const told = { projectId, threadId: added.threadId, senderId: caller.id };
      const assigned = assigneeId === null || assigneeId === caller.id ? [] : [assigneeId];
      const others = notified.map((user) => user.id).filter((userId) => !assigned.includes(userId));
      await this.notifications.add(manager, assigned, {
        ...told,
        reason: NotificationReason.PullRequestAssigned,
      });
      await this.notifications.add(manager, others, { ...told, reason: NotificationReason.PullRequestAdded });
      const row = await this.reader.lock(manager, added.id);
      await this.events.record(manager, row, {
        type: ActivityType.PullRequestCreated,
        comment: null,
        changes: [],
        caller,
        created: row.created,
      });
      return added.id;
    });
    return this.reader.get(id);
  }

  /**
   * Writes a pull request with the repository's next number, and the thread of its comments, in a transaction that is open
   * already and has used neither before.
   * @throws NoResourceError when the repository is gone, InvalidRequestError when the issue is
   */
  async add(
    manager: EntityManager,
    pullRequest: NewPullRequest,
  ): Promise<{ id: number; threadId: number; number: number }> {
    const number = await this.repositories.takePullRequestNumber(manager, pullRequest.repositoryId);
    const threadId = await this.comments.addThread(manager, pullRequest.projectId);
    const now = Date.now();
    const row = {
      ...pullRequest,
      number,
      threadId,
      created: now,
      updatedUserId: pullRequest.createdUserId,
      updated: now,
    };
    const id = await refusingMissingIssue(insertRow(manager, PullRequest, row));
    return { id, threadId, number };
  }

  /** The pull requests of threads as the wire shows them, by thread. Who may see them is asked elsewhere. */
  findByThreadIds(threadIds: readonly number[]): Promise<Map<number, PullRequestDto>> {
    return this.reader.findByThreads(threadIds);
  }

  /** A pull request that the caller may put a star on, if they see it at all. */
  findStarrable(caller: Caller, pullRequestId: number): Promise<Starrable | undefined> {
    return this.findStarrableWhere(caller, 'q.id = ?', pullRequestId);
  }

  /** The same by the thread, for stars on comments. */
  findStarrableByThread(caller: Caller, threadId: number): Promise<Starrable | undefined> {
    return this.findStarrableWhere(caller, 'q.thread_id = ?', threadId);
  }

  private async findStarrableWhere(
    caller: Caller,
    condition: string,
    value: number,
  ): Promise<Starrable | undefined> {
    if (!DEVELOPERS.includes(caller.roleType)) return undefined;
    const found = await findVisible<{
      threadId: number;
      number: number;
      summary: string;
      repositoryName: string;
      projectKey: string;
    }>(this.dataSource, caller, {
      select: `q.thread_id AS threadId, q.number AS number, q.summary AS summary, r.name AS repositoryName,
        p.project_key AS projectKey`,
      from: 'pull_request q JOIN git_repository r ON r.id = q.repository_id',
      projectId: 'q.project_id',
      where: condition,
      parameters: [value],
    });
    if (!found) return undefined;
    const { threadId, number, summary, repositoryName, projectKey } = found;
    return {
      threadId,
      title: `[${repositoryName}#${number}] ${summary}`,
      url: this.environment.webUrl(`/git/${projectKey}/${repositoryName}/pullRequests/${number}`),
    };
  }
}
