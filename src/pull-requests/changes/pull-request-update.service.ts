import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivityType } from '../../activities/activity-type';
import { CommentPostingService, newAssignment } from '../../comments/comment-posting.service';
import { TransactionsService } from '../../database/transactions.service';
import { InvalidRequestError } from '../../errors/domain-errors';
import { IssuesService } from '../../issues/issues.service';
import { NotificationReason } from '../../notifications/notification-reason';
import { type PeopleNamed } from '../../projects/project-people.service';
import { type Caller } from '../../access/caller';
import { PULL_REQUEST_COMMENTED, PULL_REQUEST_UPDATED } from '../comments/pull-request-comment-kinds';
import { PullRequestRepository, type PullRequestRow } from '../data/pull-request.repository';
import { type PullRequestDto } from '../dto/pull-request.dto';
import { type UpdatePullRequestDto } from '../dto/update-pull-request.dto';
import { changedFields, describeChanges, type PullRequestState } from './pull-request-changes';
import { PullRequestEventsService } from '../pull-request-events.service';
import { PullRequestReaderService } from '../pull-request-reader.service';
import { requireTwoBranches } from '../branches';
import { canMove, PullRequestStatus } from '../pull-request-status';
import { type PullRequestResource } from '../pull-request.loader';

/** Changes pull requests. */
@Injectable()
export class PullRequestUpdateService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly pullRequests: PullRequestRepository,
    private readonly issues: IssuesService,
    private readonly posting: CommentPostingService,
    private readonly events: PullRequestEventsService,
    private readonly reader: PullRequestReaderService,
  ) {}

  /**
   * Changes the fields given, and reports it in one comment and in activity 19, or 20 when no field has changed. Nothing
   * happens if there is no change, no text and nobody to notify.
   * @throws InvalidRequestError for a value that cannot be used or a status that cannot follow; nothing is stored
   */
  async update(
    { id, projectId }: PullRequestResource,
    caller: Caller,
    body: UpdatePullRequestDto,
  ): Promise<PullRequestDto> {
    const people = await this.events.peopleOf(projectId, caller, body, body.comment);
    if (body.issueId) await this.issues.getUsable(caller, projectId, body.issueId, 'issueId');
    await this.transactions.run(async (manager) => {
      const before = await this.pullRequests.lock(manager, id);
      const columns = changedColumns(before, body, caller);
      const after = { ...before, ...columns };
      const fields = changedFields(before, after);
      if (fields.includes('assigneeId') && people.assigneeRefusal) throw people.assigneeRefusal;
      if (fields.length > 0) await this.pullRequests.update(manager, id, columns);
      const { comment = '' } = body;
      const content = comment.trim() === '' ? '' : comment;
      if (fields.length > 0 || content !== '' || people.notified.length > 0) {
        await this.report(manager, caller, content, { before, after, people });
      }
    });
    return this.reader.get(id);
  }

  /** Writes the comment, the notifications and the activity. */
  private async report(
    manager: EntityManager,
    caller: Caller,
    content: string,
    { before, after, people }: { before: PullRequestRow; after: PullRequestRow; people: PeopleNamed },
  ): Promise<void> {
    const names = await this.events.namesOf(manager, after.projectId, [before, after]);
    const { changeLog, changes } = describeChanges(before, after, names);
    const isUpdate = changes.length > 0;
    await this.posting.post(manager, after, caller, {
      kind: isUpdate ? PULL_REQUEST_UPDATED : PULL_REQUEST_COMMENTED,
      content,
      changeLog,
      people,
      assignment: newAssignment(before, after, caller, NotificationReason.PullRequestAssigned),
      created: Date.now(),
      describe: (comment) =>
        this.events.describe(manager, after, {
          type: isUpdate ? ActivityType.PullRequestUpdated : ActivityType.PullRequestCommented,
          comment,
          changes,
        }),
    });
  }
}

type ChangedColumns = PullRequestState &
  Pick<PullRequestRow, 'closeAt' | 'mergeAt' | 'updatedUserId' | 'updated'>;

/**
 * The columns of a pull request after the body's changes.
 * @throws InvalidRequestError for a status that cannot follow, or for one branch as both
 */
function changedColumns(before: PullRequestRow, body: UpdatePullRequestDto, caller: Caller): ChangedColumns {
  const { summary, description, issueId, assigneeId } = body;
  const { base = before.base, branch = before.branch } = body;
  requireTwoBranches({ base, branch });
  const { statusId = before.statusId } = body;
  if (!canMove(before.statusId, statusId)) {
    const [from, to] = [PullRequestStatus[before.statusId], PullRequestStatus[statusId]];
    throw InvalidRequestError.of('statusId', `A pull request that is ${from} cannot become ${to}.`);
  }
  const now = Date.now();
  return {
    summary: summary ?? before.summary,
    description: description ?? before.description,
    base,
    branch,
    issueId: issueId === undefined ? before.issueId : issueId,
    assigneeId: assigneeId === undefined ? before.assigneeId : assigneeId,
    statusId,
    closeAt: statusId === PullRequestStatus.Closed ? (before.closeAt ?? now) : null,
    mergeAt: statusId === PullRequestStatus.Merged ? (before.mergeAt ?? now) : null,
    updatedUserId: caller.id,
    updated: now,
  };
}
