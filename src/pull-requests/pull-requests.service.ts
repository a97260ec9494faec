import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { type GitRepositoryResource } from '../git-repositories/git-repository.loader';
import { IssuesService } from '../issues/issues.service';
import { NotificationReason } from '../notifications/notification-reason';
import { NotificationsService } from '../notifications/notifications.service';
import { type Starrable } from '../stars/stars.service';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { PullRequestRepository, type PullRequestTitle } from './data/pull-request.repository';
import { type AddPullRequestDto } from './dto/add-pull-request.dto';
import { type PullRequestDto } from './dto/pull-request.dto';
import { type PullRequest } from './entities/pull-request.entity';
import { PullRequestEventsService } from './pull-request-events.service';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { requireTwoBranches } from './branches';
import { type BranchHeads, BranchHeadsService, type BranchPair } from './merging/branch-heads.service';
import { PullRequestHeadsService } from './merging/pull-request-heads.service';
import { PullRequestReaderService } from './pull-request-reader.service';

/** A pull request to add. */
export type NewPullRequest = Pick<
  PullRequest,
  'projectId' | 'repositoryId' | 'summary' | 'description' | 'base' | 'branch' | 'createdUserId'
> &
  Partial<Pick<PullRequest, 'issueId' | 'assigneeId' | 'baseCommit' | 'branchCommit'>>;

/** Adds pull requests, and finds them for other modules. */
@Injectable()
export class PullRequestsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly pullRequests: PullRequestRepository,
    private readonly environment: Environment,
    private readonly repositories: GitRepositoriesService,
    private readonly issues: IssuesService,
    private readonly comments: CommentsService,
    private readonly notifications: NotificationsService,
    private readonly attachments: AttachmentLinksService,
    private readonly activities: ActivitiesService,
    private readonly events: PullRequestEventsService,
    private readonly reader: PullRequestReaderService,
    private readonly branches: BranchHeadsService,
    private readonly heads: PullRequestHeadsService,
  ) {}

  /**
   * Adds a pull request with its files, notifies the users concerned, and writes activity 18.
   * @throws InvalidRequestError for an invalid value, such as a branch that does not exist in git; nothing is stored
   */
  async create(
    repository: GitRepositoryResource,
    caller: Caller,
    body: AddPullRequestDto,
  ): Promise<PullRequestDto> {
    requireTwoBranches(body);
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
    const heads = await this.headsOf(repository.id, body, caller);
    const stored = await this.transactions.run(async (manager) => {
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
        baseCommit: heads?.get(body.base) ?? null,
        branchCommit: heads?.get(body.branch) ?? null,
      });
      await this.attachments.attach(manager, PULL_REQUEST_FILES, added.id, caller, body.attachmentId);
      const source = { projectId, threadId: added.threadId, senderId: caller.id };
      const assigned = assigneeId === null || assigneeId === caller.id ? [] : [assigneeId];
      const others = notified.map((user) => user.id).filter((userId) => !assigned.includes(userId));
      await this.notifications.add(manager, assigned, {
        ...source,
        reason: NotificationReason.PullRequestAssigned,
      });
      await this.notifications.add(manager, others, {
        ...source,
        reason: NotificationReason.PullRequestAdded,
      });
      const row = await this.pullRequests.lock(manager, added.id);
      const event = { type: ActivityType.PullRequestCreated, comment: null, changes: [] } as const;
      await this.activities.record(manager, {
        projectId,
        ...(await this.events.describe(manager, row, event)),
        author: caller,
        created: row.created,
      });
      return row;
    });
    if (heads) await this.heads.keepHead(stored, caller.id);
    return this.reader.get(stored.id);
  }

  /**
   * Adds a pull request with the git repository's next number, and a thread for its comments, within an open transaction that has not
   * used either before.
   * @throws NoResourceError when the git repository has been removed, InvalidRequestError when the issue has
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
    const id = await this.pullRequests.insert(manager, row);
    return { id, threadId, number };
  }

  /** Whether a thread is that of a pull request. */
  async ownsThread(threadId: number): Promise<boolean> {
    return (await this.pullRequests.findByThreadIds([threadId])).length > 0;
  }

  /** Returns a pull request for a star, if the caller can see it. */
  async findStarrable(caller: Caller, pullRequestId: number): Promise<Starrable | undefined> {
    if (!DEVELOPERS.includes(caller.roleType)) return undefined;
    const title = await this.pullRequests.findVisibleTitle(caller, pullRequestId);
    return title && this.toStarrable(title);
  }

  /** Returns the pull request of a thread, for stars on comments, if the caller can see it. */
  async findStarrableByThread(caller: Caller, threadId: number): Promise<Starrable | undefined> {
    if (!DEVELOPERS.includes(caller.roleType)) return undefined;
    const title = await this.pullRequests.findVisibleTitleByThread(caller, threadId);
    return title && this.toStarrable(title);
  }

  /** Returns the branch heads; undefined without git. @throws InvalidRequestError when a branch does not exist */
  private async headsOf(
    repositoryId: number,
    pair: BranchPair,
    caller: Caller,
  ): Promise<BranchHeads | undefined> {
    if (!(await this.branches.isKnown())) return undefined;
    return this.branches.require(repositoryId, pair, caller.id);
  }

  private toStarrable({
    threadId,
    projectId,
    createdUserId,
    number,
    summary,
    repositoryName,
    projectKey,
  }: PullRequestTitle): Starrable {
    return {
      threadId,
      projectId,
      authorId: createdUserId,
      developersOnly: true,
      title: `[${repositoryName}#${number}] ${summary}`,
      url: this.environment.webUrl(`/git/${projectKey}/${repositoryName}/pullRequests/${number}`),
    };
  }
}
