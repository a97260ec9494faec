import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { type IssueHead } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { NotificationReason } from '../comments/notification-reason';
import { NotificationsService } from '../comments/notifications.service';
import { type Starrable } from '../comments/stars.service';
import { Environment } from '../config/environment';
import { refusingGone } from '../database/database-errors';
import { insertRow } from '../database/rows';
import { inList, lockRow, type StatementRunner } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { StandardStatus } from '../project-settings/standard-status';
import { ProjectCountersService } from '../projects/project-counters.service';
import { findVisible } from '../projects/project-resource';
import { ProjectPeopleService } from '../projects/project-people.service';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { type AddIssueDto } from './dto/add-issue.dto';
import { type IssueDto } from './dto/issue.dto';
import { Issue } from './entities/issue.entity';
import { createdIssueActivity } from './issue-activity';
import { checkDays } from './changes/issue-days';
import { ISSUE_FILES } from './attachments/issue-files';
import { checkParent, lockForHierarchy } from './changes/issue-hierarchy';
import { replaceList } from './data/issue-links';
import { IssueReaderService } from './issue-reader.service';
import { LIST_FIELDS } from './changes/issue-state';
import { issuePath, toIssueHead, toIssueKey } from './issue.mapper';
import { type IssueResource } from './issue.loader';

type RequiredField = 'projectId' | 'issueTypeId' | 'statusId' | 'summary' | 'description' | 'createdUserId';
type OptionalField =
  'priorityId' | 'assigneeId' | 'parentIssueId' | 'startDate' | 'dueDate' | 'estimatedHours' | 'actualHours';

/** An issue to be written. */
export type NewIssue = Pick<Issue, RequiredField> & Partial<Pick<Issue, OptionalField>>;

/** An issue as others name it. */
export type IssueReference = Pick<
  Issue,
  'id' | 'projectId' | 'keyId' | 'threadId' | 'summary' | 'description'
>;

const NORMAL_PRIORITY = 3;

/** Issues: adding and removing them, and finding them for others. */
@Injectable()
export class IssuesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly environment: Environment,
    private readonly projects: ProjectsService,
    private readonly people: ProjectPeopleService,
    private readonly counters: ProjectCountersService,
    private readonly settings: SettingsLookupService,
    private readonly comments: CommentsService,
    private readonly notifications: NotificationsService,
    private readonly files: AttachmentLinksService,
    private readonly activities: ActivitiesService,
    private readonly reader: IssueReaderService,
  ) {}

  /**
   * Adds an issue with its files, tells who is to know, and writes activity 1.
   * @throws InvalidRequestError for anything that the body names and cannot be used; nothing is stored
   */
  async create(caller: Caller, body: AddIssueDto): Promise<IssueDto> {
    const { projectId, assigneeId = null, parentIssueId = null } = body;
    await this.projects.getUsable(caller, projectId, 'projectId');
    checkDays(body);
    const { notified, assigneeRefusal } = await this.people.peopleOf(projectId, caller.id, body, {
      text: body.description,
    });
    if (assigneeRefusal) throw assigneeRefusal;
    const work = this.transactions.run(async (manager) => {
      if (parentIssueId !== null) {
        await checkParent(
          manager,
          await lockForHierarchy(manager, [parentIssueId]),
          projectId,
          parentIssueId,
        );
      }
      const { statusId } = await this.settings.resolve(manager, projectId, {
        ...body,
        statusId: StandardStatus.Open,
      });
      const { id, threadId } = await this.add(manager, {
        projectId,
        issueTypeId: body.issueTypeId,
        statusId: statusId as number,
        summary: body.summary,
        description: body.description,
        createdUserId: caller.id,
        priorityId: body.priorityId,
        assigneeId,
        parentIssueId,
        startDate: body.startDate,
        dueDate: body.dueDate,
        estimatedHours: body.estimatedHours,
        actualHours: body.actualHours,
      });
      const lists = {
        categoryIds: body.categoryId,
        versionIds: body.versionId,
        milestoneIds: body.milestoneId,
      };
      for (const field of LIST_FIELDS) await replaceList(manager, id, field, [], lists[field]);
      await this.files.attach(manager, ISSUE_FILES, id, caller, body.attachmentId);
      const assigned = assigneeId === null || assigneeId === caller.id ? [] : [assigneeId];
      const others = notified.map((user) => user.id).filter((userId) => !assigned.includes(userId));
      const told = { projectId, threadId, senderId: caller.id };
      await this.notifications.add(manager, assigned, { ...told, reason: NotificationReason.Assigned });
      await this.notifications.add(manager, others, { ...told, reason: NotificationReason.IssueCreated });
      const issue = await this.reader.get(id, { runner: manager });
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.IssueCreated,
        content: createdIssueActivity(issue),
        createdUserId: caller.id,
        created: Date.now(),
      });
      return issue;
    });
    // All else that the issue names is held by the transaction.
    return refusingGone(work, 'projectId', `There is no project ${projectId}.`);
  }

  /** One issue. */
  get({ id }: IssueResource, options?: { withChildren: boolean }): Promise<IssueDto> {
    return this.reader.get(id, options);
  }

  /**
   * Removes an issue with its files, comments and stars, writes activity 4, and gives what it was. Its children stay, and so
   * do pull requests about it.
   * @throws NoResourceError when somebody else has been faster
   */
  delete({ id, projectId, threadId, keyId }: IssueResource, caller: Caller): Promise<IssueDto> {
    return this.transactions.run(async (manager) => {
      if (!(await lockRow(manager, 'issue', id))) throw new NoResourceError('issue');
      const issue = await this.reader.get(id, { runner: manager });
      await this.files.detachAll(manager, ISSUE_FILES, [id]);
      await manager.query('DELETE FROM issue WHERE id = ?', [id]);
      await this.comments.removeThread(manager, threadId);
      await this.counters.giveBack(manager, projectId, 'issue');
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.IssueDeleted,
        content: { id, key_id: keyId },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return issue;
    });
  }

  /** Writes an issue with the project's next number and the thread of its comments, and tells nobody. */
  async add(
    manager: EntityManager,
    issue: NewIssue,
  ): Promise<{ id: number; threadId: number; keyId: number }> {
    const keyId = await this.counters.take(manager, issue.projectId, 'issue');
    const threadId = await this.comments.addThread(manager, issue.projectId);
    const now = Date.now();
    const id = await insertRow(manager, Issue, {
      projectId: issue.projectId,
      keyId,
      threadId,
      issueTypeId: issue.issueTypeId,
      statusId: issue.statusId,
      priorityId: issue.priorityId ?? NORMAL_PRIORITY,
      assigneeId: issue.assigneeId ?? null,
      parentIssueId: issue.parentIssueId ?? null,
      summary: issue.summary,
      description: issue.description,
      startDate: issue.startDate ?? null,
      dueDate: issue.dueDate ?? null,
      estimatedHours: issue.estimatedHours ?? null,
      actualHours: issue.actualHours ?? null,
      createdUserId: issue.createdUserId,
      created: now,
      updatedUserId: issue.createdUserId,
      updated: now,
    });
    return { id, threadId, keyId };
  }

  /** The issues of threads, by thread. Who may see them is asked elsewhere. */
  findByThreadIds(threadIds: readonly number[]): Promise<Map<number, IssueDto>> {
    return this.reader.findByThreadIds(threadIds);
  }

  /** The issues with these ids, by id. Who may see them is asked elsewhere. */
  async findByIds(ids: readonly number[]): Promise<Map<number, IssueDto>> {
    const issues = await this.reader.findByIds(ids);
    return new Map(issues.map((issue) => [issue.id, issue]));
  }

  /** What stars on an issue show of it; undefined when the caller may not see it or there is none. */
  findStarrable(caller: Caller, issueId: number): Promise<Starrable | undefined> {
    return this.findStarrableWhere(caller, 'i.id = ?', issueId);
  }

  /** The same by the thread, for stars on comments. */
  findStarrableByThread(caller: Caller, threadId: number): Promise<Starrable | undefined> {
    return this.findStarrableWhere(caller, 'i.thread_id = ?', threadId);
  }

  /**
   * The issue of a project that a request's body names.
   * @throws InvalidRequestError for the field when the project has no such issue, or the caller may not see it
   */
  async getUsable(
    caller: Caller,
    projectId: number,
    issueId: number,
    field: string,
  ): Promise<IssueReference> {
    const issue = await findVisible<IssueReference>(this.dataSource, caller, {
      select: REFERENCE_COLUMNS,
      from: 'issue i',
      projectId: 'i.project_id',
      where: 'i.id = ? AND i.project_id = ?',
      parameters: [issueId, projectId],
    });
    if (!issue) throw InvalidRequestError.of(field, `There is no issue ${issueId} in the project.`);
    return issue;
  }

  /** Issues as activities of other things name them, by id, in one query. */
  async findHeads(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, IssueHead>> {
    if (ids.length === 0) return new Map();
    const list = inList(ids);
    const rows = await runner.query<IssueReference[]>(
      `SELECT ${REFERENCE_COLUMNS} FROM issue i WHERE i.id ${list.sql}`,
      list.parameters,
    );
    return new Map(rows.map((row) => [row.id, toIssueHead(row)]));
  }

  /** An issue as activities of other things name it. */
  toIssueHead(issue: IssueReference): IssueHead {
    return toIssueHead(issue);
  }

  private async findStarrableWhere(
    caller: Caller,
    condition: string,
    value: number,
  ): Promise<Starrable | undefined> {
    const issue = await findVisible<Pick<Issue, 'threadId' | 'keyId' | 'summary'> & { projectKey: string }>(
      this.dataSource,
      caller,
      {
        select:
          'i.thread_id AS threadId, i.key_id AS keyId, i.summary AS summary, p.project_key AS projectKey',
        from: 'issue i',
        projectId: 'i.project_id',
        where: condition,
        parameters: [value],
      },
    );
    if (!issue) return undefined;
    const key = toIssueKey(issue);
    return {
      threadId: issue.threadId,
      title: `[${key}] ${issue.summary}`,
      url: this.environment.webUrl(issuePath(key)),
    };
  }
}

const REFERENCE_COLUMNS = `i.id AS id, i.project_id AS projectId, i.key_id AS keyId, i.thread_id AS threadId,
  i.summary AS summary, i.description AS description`;
