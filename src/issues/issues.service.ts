import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller, type Caller } from '../access/caller';
import { inPast, originOf, type PastChange } from '../access/past-change';
import { ActivitiesService } from '../activities/activities.service';
import { type IssueHead } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { AuditLogService } from '../audit-log/audit-log.service';
import { CommentsService } from '../comments/comments.service';
import { Environment } from '../config/environment';
import { invalidIfDeleted } from '../database/connections/database-errors';
import { type StatementRunner } from '../database/sql/statements';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { NotificationReason } from '../notifications/notification-reason';
import { NotificationsService } from '../notifications/notifications.service';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { StandardStatus } from '../project-settings/standard-status';
import { ProjectCountersService } from '../projects/project-counters.service';
import { ProjectPeopleService } from '../projects/project-people.service';
import { ProjectsService } from '../projects/projects.service';
import { SearchIndexService } from '../search-index/search-index.service';
import { SearchKind } from '../search-index/search-kind';
import { type Starrable } from '../stars/stars.service';
import { type WithoutUsers } from '../users/without-users';
import { ISSUE_FILES } from './attachments/issue-files';
import { checkDays } from './changes/issue-days';
import { IssueCustomFieldsService } from './custom-fields/issue-custom-fields.service';
import { IssueHierarchyService } from './changes/issue-hierarchy.service';
import { newState } from './changes/requested-state';
import {
  type IssueAddress,
  IssueLookupRepository,
  type IssueReference,
  type WholeIssue,
} from './data/issue-lookup.repository';
import { IssueRepository } from './data/issue.repository';
import { type AddIssueDto } from './dto/add-issue.dto';
import { type IssueDto } from './dto/issue.dto';
import { type Issue } from './entities/issue.entity';
import { createdIssueActivity } from './issue-activity';
import { INITIAL_STATE, type NewState } from './issue-fields';
import { PastIssueChangesService } from './imports/past-issue-changes.service';
import { IssueReaderService } from './issue-reader.service';
import { type IssueResource } from './issue.loader';
import { issuePath, toIssueHead, toIssueKey } from './issue.mapper';

/** An issue to add. */
export type NewIssue = Pick<Issue, 'projectId' | 'createdUserId'> & NewState;

/** Adds and deletes issues, and looks them up for other modules. */
@Injectable()
export class IssuesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly issues: IssueRepository,
    private readonly lookups: IssueLookupRepository,
    private readonly hierarchy: IssueHierarchyService,
    private readonly environment: Environment,
    private readonly projects: ProjectsService,
    private readonly people: ProjectPeopleService,
    private readonly counters: ProjectCountersService,
    private readonly settings: SettingsLookupService,
    private readonly customFields: IssueCustomFieldsService,
    private readonly comments: CommentsService,
    private readonly notifications: NotificationsService,
    private readonly files: AttachmentLinksService,
    private readonly activities: ActivitiesService,
    private readonly auditLog: AuditLogService,
    private readonly reader: IssueReaderService,
    private readonly index: SearchIndexService,
    private readonly past: PastIssueChangesService,
  ) {}

  /**
   * Adds an issue with its files, notifies users, and records activity 1.
   * @param past when and by whom it was added; undefined for an issue of today
   * @throws InvalidRequestError when the body refers to something unusable; nothing is stored
   */
  async create(caller: Caller, body: AddIssueDto, past?: PastChange): Promise<IssueDto> {
    const { projectId, assigneeId = null, parentIssueId = null } = body;
    await this.projects.getUsable(caller, projectId, 'projectId');
    checkDays(body);
    const { notified, assigneeRefusal } = await this.people.peopleOf(projectId, caller, body, {
      text: body.description,
      past,
    });
    if (assigneeRefusal) throw assigneeRefusal;
    const add = inPast(past, async (manager) => {
      if (parentIssueId !== null) {
        const places = await this.issues.lockPlaces(manager, [parentIssueId]);
        await this.hierarchy.checkParent(manager, places, projectId, parentIssueId);
      }
      const { statusId } = await this.settings.resolve(manager, projectId, {
        ...body,
        statusId: StandardStatus.Open,
      });
      const fields = await this.customFields.lockForShare(manager, projectId, body.customFields);
      const target = { issueTypeId: body.issueTypeId, isNewOfType: true };
      const customFields = await this.customFields.changesOf(manager, fields, body.customFields, target);
      const { id, threadId } = await this.add(manager, {
        ...newState(body, statusId as number),
        projectId,
        createdUserId: caller.id,
      });
      await this.customFields.write(manager, id, customFields);
      await this.files.attach(manager, ISSUE_FILES, id, caller, body.attachmentId);
      const assigned = assigneeId === null || assigneeId === caller.id ? [] : [assigneeId];
      const others = notified.map((user) => user.id).filter((userId) => !assigned.includes(userId));
      const source = { projectId, threadId, senderId: caller.id };
      await this.notifications.add(manager, assigned, { ...source, reason: NotificationReason.Assigned });
      await this.notifications.add(manager, others, { ...source, reason: NotificationReason.IssueCreated });
      const issue = await this.reader.get(id, { runner: manager });
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.IssueCreated,
        content: createdIssueActivity(issue),
        author: caller,
      });
      await this.past.record(manager, 'issue.import', issue);
      return issue;
    });
    const work = this.transactions.run(add);
    // The transaction locks everything except the project.
    return invalidIfDeleted(work, 'projectId', `There is no project ${projectId}.`);
  }

  /** Returns the response of an issue that has been loaded. */
  get(issue: WholeIssue, withChildren: boolean): Promise<IssueDto> {
    return this.reader.complete(issue, withChildren);
  }

  /**
   * Deletes an issue with its files, comments and stars, records activity 4, and returns the issue's last state. Its children and the pull
   * requests that refer to it are kept.
   * @throws NoResourceError when it has been deleted concurrently
   */
  delete({ id, projectId, threadId, keyId }: IssueResource, caller: AuditedCaller): Promise<IssueDto> {
    return this.transactions.run(async (manager) => {
      if (!(await this.issues.lock(manager, id))) throw new NoResourceError('issue');
      const issue = await this.reader.get(id, { runner: manager });
      await this.files.detachAll(manager, ISSUE_FILES, [id]);
      await this.issues.delete(manager, [id]);
      await this.comments.removeThread(manager, threadId);
      await this.counters.giveBack(manager, projectId, 'issue');
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.IssueDeleted,
        content: { id, key_id: keyId },
        author: caller,
      });
      await this.auditLog.record(manager, caller, {
        action: 'issue.delete',
        subject: { id, name: `${issue.issueKey} ${issue.summary}` },
        projectId,
      });
      return issue;
    });
  }

  /** Stores an issue with the project's next number and a thread for its comments. Notifies no users. */
  async add(
    manager: EntityManager,
    { projectId, createdUserId: authorId, ...given }: NewIssue,
  ): Promise<{ id: number; threadId: number; keyId: number }> {
    const keyId = await this.counters.take(manager, projectId, 'issue');
    const threadId = await this.comments.addThread(manager, projectId);
    const { author, created, updatedUserId, updated } = originOf(manager, { id: authorId });
    const issue = { projectId, keyId, threadId, createdUserId: author.id, created };
    const edit = { updatedUserId, updated };
    const id = await this.issues.insert(manager, { ...issue, ...edit }, { ...INITIAL_STATE, ...given });
    await this.index.noteNew(manager, SearchKind.Issue, id);
    return { id, threadId, keyId };
  }

  /** Reads issues by id, regardless of who can see them. */
  readByIds(ids: readonly number[]): Promise<WithoutUsers<Map<number, IssueDto>>> {
    return this.reader.readByIds(ids);
  }

  /** Returns an issue as the subject of a star, or undefined when it does not exist or the caller cannot see it. */
  findStarrable(caller: Caller, issueId: number): Promise<Starrable | undefined> {
    return this.findStarrableAt(caller, { id: issueId });
  }

  /** Returns the issue of a thread, for stars on comments. */
  findStarrableByThread(caller: Caller, threadId: number): Promise<Starrable | undefined> {
    return this.findStarrableAt(caller, { threadId });
  }

  /**
   * Returns the issue of a project that a request body refers to.
   * @throws InvalidRequestError for the field when the project has no such issue or the caller cannot see it
   */
  async getUsable(
    caller: Caller,
    projectId: number,
    issueId: number,
    field: string,
  ): Promise<IssueReference> {
    const issue = await this.lookups.findVisibleInProject(caller, projectId, issueId);
    if (!issue) {
      throw InvalidRequestError.of(field, `There is no issue ${issueId} in the project.`, (limit) =>
        this.lookups.findFirstVisibleIds(caller, projectId, limit),
      );
    }
    return issue;
  }

  /** Returns issues by id for the activities of other resources, in one query. */
  async findHeads(ids: readonly number[], runner?: StatementRunner): Promise<Map<number, IssueHead>> {
    const issues = await this.lookups.findReferences(ids, runner);
    return new Map(issues.map((issue) => [issue.id, toIssueHead(issue)]));
  }

  private async findStarrableAt(caller: Caller, address: IssueAddress): Promise<Starrable | undefined> {
    const issue = await this.lookups.findTitle(caller, address);
    if (!issue) return undefined;
    const key = toIssueKey(issue);
    return {
      threadId: issue.threadId,
      projectId: issue.projectId,
      authorId: issue.createdUserId,
      title: `[${key}] ${issue.summary}`,
      url: this.environment.webUrl(issuePath(key)),
    };
  }
}
