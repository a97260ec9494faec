import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { attachmentAddition, type Named } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { CommentPostingService, newAssignment } from '../../comments/comment-posting.service';
import { NotificationReason } from '../../comments/notification-reason';
import { TransactionsService } from '../../database/transactions.service';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { SettingsLookupService } from '../../project-settings/settings-lookup.service';
import { type PeopleNamed, ProjectPeopleService } from '../../projects/project-people.service';
import { ISSUE_FILES } from '../attachments/issue-files';
import { ISSUE_COMMENTED, ISSUE_UPDATED } from '../comments/issue-comment-kinds';
import { IssueRepository } from '../data/issue.repository';
import { type IssueDto } from '../dto/issue.dto';
import { type UpdateIssueDto } from '../dto/update-issue.dto';
import { issueCommentActivity } from '../issue-activity';
import { changedFields, type IssueState } from '../issue-fields';
import { IssueReaderService } from '../issue-reader.service';
import { type IssueResource } from '../issue.loader';
import { changedReferences, describeChanges, type IssueChanges } from './issue-changes';
import { checkDays } from './issue-days';
import { IssueHierarchyService } from './issue-hierarchy.service';
import { IssueNamesService } from './issue-names.service';
import { updatedState } from './requested-state';

/** Updates issues, each with a comment that describes the changes. */
@Injectable()
export class IssueUpdateService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly issues: IssueRepository,
    private readonly hierarchy: IssueHierarchyService,
    private readonly names: IssueNamesService,
    private readonly people: ProjectPeopleService,
    private readonly settings: SettingsLookupService,
    private readonly posting: CommentPostingService,
    private readonly reader: IssueReaderService,
  ) {}

  /**
   * Updates an issue, writes one comment that describes the changes, notifies people, and writes activity 2, or activity 3 when
   * no field has changed.
   * @throws InvalidRequestError when the body refers to anything that cannot be used, or asks for nothing; nothing is stored.
   *   NoResourceError when the issue has just been deleted
   */
  async update(issue: IssueResource, caller: Caller, body: UpdateIssueDto): Promise<IssueDto> {
    const people = await this.people.peopleOf(issue.projectId, caller.id, body, { text: body.comment ?? '' });
    await this.transactions.run(async (manager) => {
      const ids = body.parentIssueId == null ? [issue.id] : [issue.id, body.parentIssueId];
      const places = await this.issues.lockPlaces(manager, ids);
      if (!places.has(issue.id)) throw new NoResourceError('issue');
      // Before any read without a lock, which would fix what the transaction sees from then on.
      const resolved = await this.settings.resolve(manager, issue.projectId, body);
      const before = await this.issues.findState(manager, issue.id);
      const after = updatedState(before, body, resolved);
      checkDays(body, after);
      const fields = changedFields(before, after);
      if (fields.includes('parentIssueId') && after.parentIssueId !== null) {
        await this.hierarchy.checkParent(manager, places, issue.projectId, after.parentIssueId, issue.id);
      }
      if (fields.includes('assigneeId') && people.assigneeRefusal) throw people.assigneeRefusal;
      const edit = { updatedUserId: caller.id, updated: Date.now() };
      await this.issues.update(manager, issue.id, { before, after }, edit);
      await this.publish(manager, issue, caller, body, { before, after, people });
    });
    return this.reader.get(issue.id);
  }

  /** Writes the comment, the notifications and the activity. */
  private async publish(
    manager: EntityManager,
    issue: IssueResource,
    caller: Caller,
    { comment = '', attachmentId = [] }: UpdateIssueDto,
    { before, after, people }: { before: IssueState; after: IssueState; people: PeopleNamed },
  ): Promise<void> {
    const { changeLog, changes } = await this.describe(manager, before, after);
    const content = comment.trim() === '' ? '' : comment;
    if (changeLog.length === 0 && attachmentId.length === 0 && content === '') {
      throw new InvalidRequestError('No comment content.');
    }
    const isUpdate = changeLog.length > 0;
    await this.posting.post(manager, issue, caller, {
      kind: isUpdate ? ISSUE_UPDATED : ISSUE_COMMENTED,
      content,
      changeLog,
      files: { link: ISSUE_FILES, attachmentIds: attachmentId },
      people,
      assignment: newAssignment(before, after, caller, NotificationReason.Assigned),
      created: Date.now(),
      describe: (written, attached) => ({
        type: isUpdate ? ActivityType.IssueUpdated : ActivityType.IssueCommented,
        content: issueCommentActivity(
          { ...issue, summary: after.summary, description: after.description },
          written,
          [...changes, ...attached.map(attachmentAddition)],
          attached,
        ),
      }),
    });
  }

  private async describe(
    manager: EntityManager,
    before: IssueState,
    after: IssueState,
  ): Promise<IssueChanges> {
    const names = await this.names.find(manager, changedReferences(before, after));
    return describeChanges(before, after, (field, id) => names.get(field)?.get(id) as Named);
  }
}
