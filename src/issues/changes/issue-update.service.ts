import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { inPast, originOf, type PastChange } from '../../access/past-change';
import {
  type ActivityChange,
  addition,
  attachmentAddition,
  type Named,
} from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { change, type ChangeLogEntry } from '../../comments/change-log';
import { CommentPostingService, newAssignment } from '../../comments/comment-posting.service';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { NotificationReason } from '../../notifications/notification-reason';
import { SettingsLookupService } from '../../project-settings/settings-lookup.service';
import { StandardStatus } from '../../project-settings/standard-status';
import { type NamedPeople, ProjectPeopleService } from '../../projects/project-people.service';
import { SearchIndexService } from '../../search-index/search-index.service';
import { SearchKind } from '../../search-index/search-kind';
import { ISSUE_FILES } from '../attachments/issue-files';
import { ISSUE_COMMENTED, ISSUE_UPDATED } from '../comments/issue-comment-kinds';
import { type CustomFieldChange, describeCustomFields } from '../custom-fields/custom-field-changes';
import { IssueCustomFieldsService } from '../custom-fields/issue-custom-fields.service';
import { IssueRepository } from '../data/issue.repository';
import { type IssueDto } from '../dto/issue.dto';
import { type UpdateIssueDto } from '../dto/update-issue.dto';
import { PastIssueChangesService } from '../imports/past-issue-changes.service';
import { issueCommentActivity } from '../issue-activity';
import { changedFields, type IssueState } from '../issue-fields';
import { IssueReaderService } from '../issue-reader.service';
import { type IssueResource } from '../issue.loader';
import { WatchersService } from '../watchings/watchers.service';
import { changedReferences, describeChanges, type IssueChanges } from './issue-changes';
import { checkDays } from './issue-days';
import { IssueHierarchyService } from './issue-hierarchy.service';
import { IssueNamesService } from './issue-names.service';
import { updatedState } from './requested-state';

/** Fields covered by the search index. */
const TEXTS = ['summary', 'description'] as const;

/** The changes of an update, and the people that it names. */
interface UpdateResult {
  before: IssueState;
  after: IssueState;
  customFields: readonly CustomFieldChange[];
  people: NamedPeople;
  /** Hash of the commit that triggered the update. */
  commit: string | undefined;
}

/** Circumstances of an update that no user requests today: a commit triggered it, or it is a past change. */
export interface Circumstances {
  reason?: UpdateReason;
  past?: PastChange;
}

/** Trigger of an update that no user requested. */
export interface UpdateReason {
  /** Hash of the commit that triggered the update; recorded in the comment's change log. */
  commit: string;
  /** A status that an issue keeps. */
  keeps: StandardStatus;
  /** Writes to make in the same transaction, after the issue is locked. */
  alongside: (manager: EntityManager) => Promise<void>;
}

/** Updates issues, and records a comment that describes the changes. */
@Injectable()
export class IssueUpdateService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly issues: IssueRepository,
    private readonly hierarchy: IssueHierarchyService,
    private readonly names: IssueNamesService,
    private readonly people: ProjectPeopleService,
    private readonly settings: SettingsLookupService,
    private readonly customFields: IssueCustomFieldsService,
    private readonly posting: CommentPostingService,
    private readonly reader: IssueReaderService,
    private readonly watchers: WatchersService,
    private readonly index: SearchIndexService,
    private readonly past: PastIssueChangesService,
  ) {}

  /** Updates an issue as `apply` does, and returns it. */
  async update(
    issue: IssueResource,
    caller: Caller,
    body: UpdateIssueDto,
    past?: PastChange,
  ): Promise<IssueDto> {
    await this.apply(issue, caller, body, { past });
    return this.reader.get(issue.id);
  }

  /**
   * Updates an issue, adds one comment that describes the changes, notifies users, and records activity 2, or activity 3 if no field
   * changes. Does nothing for a reason without a comment if the issue keeps its status.
   * @throws InvalidRequestError when the body refers to something unusable or requests no change; nothing is stored. NoResourceError when
   *   the issue has been deleted concurrently
   */
  async apply(
    issue: IssueResource,
    caller: Caller,
    body: UpdateIssueDto,
    { reason, past }: Circumstances = {},
  ): Promise<void> {
    const people = await this.people.peopleOf(issue.projectId, caller, body, {
      text: body.comment ?? '',
      past,
    });
    const update = inPast(past, async (manager) => {
      const ids = body.parentIssueId == null ? [issue.id] : [issue.id, body.parentIssueId];
      const places = await this.issues.lockPlaces(manager, ids);
      if (!places.has(issue.id)) throw new NoResourceError('issue');
      await reason?.alongside(manager);
      // Must precede any read without a lock, because that read fixes the transaction's snapshot.
      const resolved = await this.settings.resolve(manager, issue.projectId, body);
      const kept = await this.findKeptStatus(manager, issue, body, reason);
      const { before, customFields } = await this.prepare(manager, issue, body);
      if (before.statusId === kept) resolved.statusId = undefined;
      const after = updatedState(before, body, resolved);
      checkDays(body, after);
      const fields = changedFields(before, after);
      // The issue was given the status, or one to keep, after the commit was compared with it.
      if (reason && fields.length === 0 && body.comment === undefined) return;
      if (fields.includes('parentIssueId') && after.parentIssueId !== null) {
        await this.hierarchy.checkParent(manager, places, issue.projectId, after.parentIssueId, issue.id);
      }
      if (fields.includes('assigneeId') && people.assigneeRefusal) throw people.assigneeRefusal;
      await this.issues.update(manager, issue.id, { before, after }, originOf(manager, caller));
      if (TEXTS.some((text) => fields.includes(text))) {
        await this.index.noteChange(manager, SearchKind.Issue, issue.id);
      }
      await this.customFields.write(manager, issue.id, customFields);
      const result = { before, after, customFields, people, commit: reason?.commit };
      await this.publish(manager, issue, caller, body, result);
      await this.past.record(manager, 'issue.importUpdate', { ...issue, summary: after.summary });
    });
    await this.transactions.run(update);
  }

  /** Returns the id of the status that an issue keeps, if an update would change it. */
  private async findKeptStatus(
    manager: EntityManager,
    { projectId }: IssueResource,
    { statusId }: UpdateIssueDto,
    reason: UpdateReason | undefined,
  ): Promise<number | undefined> {
    if (!reason || statusId === undefined) return undefined;
    return (await this.settings.resolve(manager, projectId, { statusId: reason.keeps })).statusId;
  }

  /** Returns the state of the issue and the custom fields that change. Reads custom fields only if the body can affect them. */
  private async prepare(
    manager: EntityManager,
    { id, projectId }: IssueResource,
    { issueTypeId, customFields: given }: UpdateIssueDto,
  ): Promise<{ before: IssueState; customFields: CustomFieldChange[] }> {
    if (given.size === 0 && issueTypeId === undefined) {
      return { before: await this.issues.findState(manager, id), customFields: [] };
    }
    const fields = await this.customFields.lockForShare(manager, projectId, given);
    const before = await this.issues.findState(manager, id);
    const target = {
      issueId: id,
      issueTypeId: issueTypeId ?? before.issueTypeId,
      isNewOfType: issueTypeId !== undefined && issueTypeId !== before.issueTypeId,
    };
    return { before, customFields: await this.customFields.changesOf(manager, fields, given, target) };
  }

  /** Writes the comment, the notifications and the activity. */
  private async publish(
    manager: EntityManager,
    issue: IssueResource,
    caller: Caller,
    { comment = '', attachmentId = [] }: UpdateIssueDto,
    { before, after, customFields, people, commit }: UpdateResult,
  ): Promise<void> {
    const { changeLog, changes } = await this.describe(manager, before, after, customFields);
    const content = comment.trim() === '' ? '' : comment;
    if (changeLog.length === 0 && commit === undefined && attachmentId.length === 0 && content === '') {
      // The family's migration tools skip an update that is refused with these words.
      throw new InvalidRequestError('No comment content. Please change the status or post a comment.');
    }
    const isUpdate = changeLog.length > 0;
    const assignment = newAssignment(before, after, caller, NotificationReason.Assigned);
    const kind = isUpdate ? ISSUE_UPDATED : ISSUE_COMMENTED;
    const { id: commentId } = await this.posting.post(manager, issue, caller, {
      kind,
      content,
      changeLog: [...commitChanges(commit), ...changeLog],
      files: { link: ISSUE_FILES, attachmentIds: attachmentId },
      people,
      assignment,
      created: Date.now(),
      describe: (written, attached) => ({
        type: isUpdate ? ActivityType.IssueUpdated : ActivityType.IssueCommented,
        content: issueCommentActivity(
          { ...issue, summary: after.summary, description: after.description },
          written,
          [...commitAdditions(commit), ...changes, ...attached.map(attachmentAddition)],
          attached,
        ),
      }),
    });
    const notified = people.notified.map(({ id }) => id);
    if (assignment) notified.push(assignment.userId);
    await this.watchers.notify(manager, issue, {
      senderId: caller.id,
      reason: kind.reason,
      commentId,
      notified,
    });
  }

  private async describe(
    manager: EntityManager,
    before: IssueState,
    after: IssueState,
    customFields: readonly CustomFieldChange[],
  ): Promise<IssueChanges> {
    const names = await this.names.find(manager, changedReferences(before, after));
    const described = describeChanges(before, after, (field, id) => names.get(field)?.get(id) as Named);
    const custom = describeCustomFields(customFields);
    return {
      changeLog: [...described.changeLog, ...custom.changeLog],
      changes: [...described.changes, ...custom.changes],
    };
  }
}

const commitChanges = (commit: string | undefined): ChangeLogEntry[] =>
  commit === undefined ? [] : [change('commit', commit, '')];

const commitAdditions = (commit: string | undefined): ActivityChange[] =>
  commit === undefined ? [] : [addition('commit', commit)];
