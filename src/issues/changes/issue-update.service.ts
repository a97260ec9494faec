import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../../activities/activities.service';
import { addition, type Named } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import {
  attachmentChange,
  issueUpdateNotificationChange,
  notificationChange,
} from '../../comments/change-log';
import { CommentsService } from '../../comments/comments.service';
import { NotificationReason } from '../../comments/notification-reason';
import { toHours } from '../../database/columns';
import { updateRow } from '../../database/rows';
import { columnsOf, inList } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { priorityOf } from '../../project-settings/priorities';
import { resolutionOf } from '../../project-settings/resolutions';
import { SettingsLookupService } from '../../project-settings/settings-lookup.service';
import { type PeopleNamed, ProjectPeopleService } from '../../projects/project-people.service';
import { type Caller } from '../../access/caller';
import { UsersService } from '../../users/users.service';
import { type IssueDto } from '../dto/issue.dto';
import { type UpdateIssueDto } from '../dto/update-issue.dto';
import { Issue } from '../entities/issue.entity';
import { issueCommentActivity } from '../issue-activity';
import {
  type NameLookup,
  namedByChanges,
  type ReferenceField,
  tellChanges,
  type ToldChanges,
} from './issue-changes';
import { checkDays } from './issue-days';
import { ISSUE_FILES } from '../attachments/issue-files';
import { checkParent, lockForHierarchy } from './issue-hierarchy';
import { findLists, type IssueLists, replaceList } from '../data/issue-links';
import { IssueReaderService } from '../issue-reader.service';
import {
  changedFields,
  type IssueField,
  type IssueState,
  LIST_FIELDS,
  ROW_FIELDS,
  type RowState,
} from './issue-state';
import { toIssueKey } from '../issue.mapper';
import { type IssueResource } from '../issue.loader';

const STATE_COLUMNS = columnsOf('i', ROW_FIELDS);

/** Changing issues, each change with the comment that tells of it. */
@Injectable()
export class IssueUpdateService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly people: ProjectPeopleService,
    private readonly settings: SettingsLookupService,
    private readonly comments: CommentsService,
    private readonly files: AttachmentLinksService,
    private readonly activities: ActivitiesService,
    private readonly reader: IssueReaderService,
  ) {}

  /**
   * Changes an issue, writes one comment that tells what has changed, tells who is to know, and writes activity 2, or 3 when no
   * field has changed.
   * @throws InvalidRequestError for anything that the body names and cannot be used, or when it asks for nothing; nothing is
   *   stored. NoResourceError when the issue has just been removed
   */
  async update(issue: IssueResource, caller: Caller, body: UpdateIssueDto): Promise<IssueDto> {
    const people = await this.people.peopleOf(issue.projectId, caller.id, body, { text: body.comment ?? '' });
    await this.transactions.run(async (manager) => {
      const ids = body.parentIssueId == null ? [issue.id] : [issue.id, body.parentIssueId];
      const places = await lockForHierarchy(manager, ids);
      if (!places.has(issue.id)) throw new NoResourceError('issue');
      // Before anything is read that is not locked, so that what is named is seen by all that follows.
      const resolved = await this.settings.resolve(manager, issue.projectId, body);
      const before = await readState(manager, issue.id);
      const after = stateAfter(before, body, resolved);
      checkDays(body, after);
      const fields = changedFields(before, after);
      if (fields.includes('parentIssueId') && after.parentIssueId !== null) {
        await checkParent(manager, places, issue.projectId, after.parentIssueId, issue.id);
      }
      if (fields.includes('assigneeId') && people.assigneeRefusal) throw people.assigneeRefusal;
      await this.write(manager, issue.id, caller, before, after);
      await this.tell(manager, issue, caller, body, { before, after, people });
    });
    return this.reader.get(issue.id);
  }

  private async write(
    manager: EntityManager,
    id: number,
    caller: Caller,
    before: IssueState,
    after: IssueState,
  ): Promise<void> {
    const { categoryIds: _, versionIds: __, milestoneIds: ___, ...row } = after;
    const changes = Object.fromEntries(
      Object.entries(row).filter(([field, value]) => value !== before[field as IssueField]),
    ) as Partial<RowState>;
    await updateRow(manager, Issue, id, { ...changes, updatedUserId: caller.id, updated: Date.now() });
    for (const field of LIST_FIELDS) await replaceList(manager, id, field, before[field], after[field]);
  }

  /** Writes the comment, the notifications and the activity. */
  private async tell(
    manager: EntityManager,
    issue: IssueResource,
    caller: Caller,
    { comment = '', attachmentId = [] }: UpdateIssueDto,
    { before, after, people }: { before: IssueState; after: IssueState; people: PeopleNamed },
  ): Promise<void> {
    const { changeLog, changes } = await this.toldChanges(manager, before, after);
    const attached = await this.files.attach(manager, ISSUE_FILES, issue.id, caller, attachmentId);
    const content = comment.trim() === '' ? '' : comment;
    if (changeLog.length === 0 && attached.length === 0 && content === '') {
      throw new InvalidRequestError('No comment content.');
    }
    const isUpdate = changeLog.length > 0;
    const { users, notified } = people;
    const assigned =
      after.assigneeId !== before.assigneeId && after.assigneeId !== caller.id
        ? [...users.values()].filter((user) => user.id === after.assigneeId)
        : [];
    const { projectId, threadId } = issue;
    const told = { createdUserId: caller.id, created: Date.now() };
    const written = await this.comments.post(
      manager,
      {
        projectId,
        threadId,
        content,
        changeLog: [
          ...changeLog,
          ...attached.map(attachmentChange),
          ...notified.map(isUpdate ? issueUpdateNotificationChange : notificationChange),
        ],
        ...told,
      },
      {
        users: notified.filter((user) => !assigned.includes(user)),
        reason: isUpdate ? NotificationReason.IssueUpdated : NotificationReason.IssueCommented,
      },
      users,
    );
    const source = { id: written.id, projectId, threadId, senderId: caller.id };
    await this.comments.notify(manager, source, assigned, NotificationReason.Assigned);
    await this.activities.record(manager, {
      projectId,
      type: isUpdate ? ActivityType.IssueUpdated : ActivityType.IssueCommented,
      content: issueCommentActivity(
        { ...issue, summary: after.summary, description: after.description },
        written,
        [...changes, ...attached.map((file) => addition('attachment', file.name))],
        attached,
      ),
      ...told,
    });
  }

  private async toldChanges(
    manager: EntityManager,
    before: IssueState,
    after: IssueState,
  ): Promise<ToldChanges> {
    const names = new Map<ReferenceField, ReadonlyMap<number, Named>>();
    for (const [field, ids] of namedByChanges(before, after)) {
      names.set(field, await this.findNames(manager, field, ids));
    }
    const lookUp: NameLookup = (field, id) => names.get(field)?.get(id) as Named;
    return tellChanges(before, after, lookUp);
  }

  /** What ids name, by id, whatever it is. */
  private async findNames(
    manager: EntityManager,
    field: ReferenceField,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, Named>> {
    switch (field) {
      case 'issueTypeId':
        return this.settings.issueTypesByIds(ids, manager);
      case 'statusId':
        return this.settings.statusesByIds(ids, manager);
      case 'categoryIds':
        return this.settings.categoriesByIds(ids, manager);
      case 'versionIds':
      case 'milestoneIds':
        return this.settings.versionsByIds(ids, manager);
      case 'assigneeId':
        return this.users.findByIds(ids, manager);
      case 'parentIssueId':
        return findKeys(manager, ids);
      case 'priorityId':
        return new Map(ids.map((id) => [id, priorityOf(id)]));
      case 'resolutionId':
        return new Map(ids.map((id) => [id, resolutionOf(id)]));
    }
  }
}

/** The issue as it is now: this transaction holds it. */
async function readState(manager: EntityManager, id: number): Promise<IssueState> {
  const [row] = await manager.query<[RowState]>(`SELECT ${STATE_COLUMNS} FROM issue i WHERE i.id = ?`, [id]);
  const lists = (await findLists(manager, [id])).get(id) as IssueLists;
  return {
    ...row,
    estimatedHours: toHours(row.estimatedHours),
    actualHours: toHours(row.actualHours),
    ...lists,
  };
}

async function findKeys(manager: EntityManager, ids: readonly number[]): Promise<Map<number, Named>> {
  const list = inList(ids);
  const rows = await manager.query<{ id: number; keyId: number; projectKey: string }[]>(
    `SELECT i.id AS id, i.key_id AS keyId, p.project_key AS projectKey
       FROM issue i JOIN project p ON p.id = i.project_id WHERE i.id ${list.sql}`,
    list.parameters,
  );
  return new Map(rows.map((row) => [row.id, { id: row.id, name: toIssueKey(row) }]));
}

/** The state that a request asks for. */
const stateAfter = (
  before: IssueState,
  body: UpdateIssueDto,
  resolved: { issueTypeId?: number; statusId?: number },
): IssueState => ({
  summary: body.summary ?? before.summary,
  description: body.description ?? before.description,
  issueTypeId: resolved.issueTypeId ?? before.issueTypeId,
  statusId: resolved.statusId ?? before.statusId,
  priorityId: body.priorityId ?? before.priorityId,
  resolutionId: given(body.resolutionId, before.resolutionId),
  assigneeId: given(body.assigneeId, before.assigneeId),
  parentIssueId: given(body.parentIssueId, before.parentIssueId),
  startDate: given(body.startDate, before.startDate),
  dueDate: given(body.dueDate, before.dueDate),
  estimatedHours: given(body.estimatedHours, before.estimatedHours),
  actualHours: given(body.actualHours, before.actualHours),
  categoryIds: ascending(body.categoryId) ?? before.categoryIds,
  versionIds: ascending(body.versionId) ?? before.versionIds,
  milestoneIds: ascending(body.milestoneId) ?? before.milestoneIds,
});

/** A field that may be cleared: null clears it, undefined leaves it alone. */
const given = <Value>(value: Value | null | undefined, before: Value | null): Value | null =>
  value === undefined ? before : value;

const ascending = (ids: readonly number[] | undefined): number[] | undefined =>
  ids && [...ids].sort((one, other) => one - other);
