import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { attachmentAddition } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { CommentPostingService, newAssignment } from '../../comments/comment-posting.service';
import { ConflictError, InvalidRequestError } from '../../errors/domain-errors';
import { NotificationReason } from '../../notifications/notification-reason';
import { type NamedPeople } from '../../projects/project-people.service';
import { PULL_REQUEST_FILES } from '../attachments/pull-request-files';
import { requireKeptBranches, requireTwoBranches } from '../branches';
import { PULL_REQUEST_COMMENTED, PULL_REQUEST_UPDATED } from '../comments/pull-request-comment-kinds';
import { PullRequestRepository, type PullRequestRow } from '../data/pull-request.repository';
import { type UpdatePullRequestDto } from '../dto/update-pull-request.dto';
import { PullRequestEventsService } from '../pull-request-events.service';
import { canMove, PullRequestStatus } from '../pull-request-status';
import { changedFields, describeChanges, type PullRequestState } from './pull-request-changes';

/** A merge made by git. */
export interface CreatedMerge extends Pick<PullRequestRow, 'base' | 'branch'> {
  baseCommit: string;
  branchCommit: string;
  mergeCommit: string;
  /** Whether the merge was made for this change; if it is already recorded, that was on behalf of this change. */
  isOwn: boolean;
}

/** A change of a pull request by a user. */
export interface PullRequestChange {
  caller: Caller;
  body: UpdatePullRequestDto;
  people: NamedPeople;
  /** The heads of the branches after the change, when they may differ from those before. */
  heads?: ReadonlyMap<string, string>;
}

/** Writes changes of pull requests. */
@Injectable()
export class PullRequestWriterService {
  constructor(
    private readonly pullRequests: PullRequestRepository,
    private readonly posting: CommentPostingService,
    private readonly events: PullRequestEventsService,
  ) {}

  /**
   * Updates a pull request, and reports this in one comment and in activity 19, or 20 when no field has changed. Does nothing if
   * there is no change, no file, no text and no user to notify. It must be the transaction's first use of the row.
   * @param merge a merge made by git, which sets the status to Merged whatever the current one is
   * @throws InvalidRequestError for an invalid value or status transition, ConflictError when another request has merged it
   */
  async write(
    manager: EntityManager,
    id: number,
    change: PullRequestChange,
    merge?: CreatedMerge,
  ): Promise<PullRequestRow> {
    const { caller, body, people } = change;
    const before = await this.pullRequests.lock(manager, id);
    const isRecorded = merge?.isOwn === true && before.mergeCommit === merge.mergeCommit;
    if (merge && before.statusId === PullRequestStatus.Merged && !isRecorded) throw alreadyMergedError();
    const columns = changedColumns(before, change, merge);
    const after = { ...before, ...columns };
    const fields = changedFields(before, after);
    if (fields.includes('assigneeId') && people.assigneeRefusal) throw people.assigneeRefusal;
    const { comment = '', attachmentId = [] } = body;
    const content = comment.trim() === '' ? '' : comment;
    if (fields.length > 0 || content !== '' || attachmentId.length > 0 || people.notified.length > 0) {
      await this.pullRequests.update(manager, id, columns);
      await this.report(manager, { caller, content, attachmentId }, { before, after, people });
    }
    return after;
  }

  /**
   * Checks a change against the current state of a pull request, as `write` does.
   * @throws InvalidRequestError
   */
  check(before: PullRequestRow, change: PullRequestChange): void {
    const { assigneeId } = changedColumns(before, change);
    const { assigneeRefusal } = change.people;
    if (assigneeId !== before.assigneeId && assigneeRefusal) throw assigneeRefusal;
  }

  /** Writes the comment, the notifications and the activity. */
  private async report(
    manager: EntityManager,
    { caller, content, attachmentId }: { caller: Caller; content: string; attachmentId: readonly number[] },
    { before, after, people }: { before: PullRequestRow; after: PullRequestRow; people: NamedPeople },
  ): Promise<void> {
    const names = await this.events.namesOf(manager, after.projectId, [before, after]);
    const { changeLog, changes } = describeChanges(before, after, names);
    const isUpdate = changes.length > 0;
    await this.posting.post(manager, after, caller, {
      kind: isUpdate ? PULL_REQUEST_UPDATED : PULL_REQUEST_COMMENTED,
      content,
      changeLog,
      files: { link: PULL_REQUEST_FILES, attachmentIds: attachmentId },
      people,
      assignment: newAssignment(before, after, caller, NotificationReason.PullRequestAssigned),
      created: Date.now(),
      describe: (comment, attached) =>
        this.events.describe(manager, after, {
          type: isUpdate ? ActivityType.PullRequestUpdated : ActivityType.PullRequestCommented,
          comment,
          changes: [...changes, ...attached.map(attachmentAddition)],
        }),
    });
  }
}

/** Returns the error about a second merge. */
export const alreadyMergedError = (): ConflictError =>
  ConflictError.of('statusId', 'The pull request is already merged.');

type Commits = Pick<PullRequestRow, 'baseCommit' | 'branchCommit' | 'mergeCommit'>;
type ChangedColumns = PullRequestState &
  Commits &
  Pick<PullRequestRow, 'closeAt' | 'mergeAt' | 'updatedUserId' | 'updated'>;

/**
 * Returns the columns of a pull request after the body's changes.
 * @throws InvalidRequestError for an invalid status transition, when base and branch are the same, or when a pull request that was merged in git
 * would get others
 */
function changedColumns(
  before: PullRequestRow,
  { body, caller, heads }: PullRequestChange,
  merge?: CreatedMerge,
): ChangedColumns {
  const { summary, description, issueId, assigneeId } = body;
  const { base, branch } = merge ?? { base: body.base ?? before.base, branch: body.branch ?? before.branch };
  requireTwoBranches({ base, branch });
  // It may have been merged in git while this request looked for its branches.
  if (!merge && before.mergeCommit !== null) requireKeptBranches(before, { base, branch });
  const statusId = merge ? PullRequestStatus.Merged : (body.statusId ?? before.statusId);
  if (!merge && !canMove(before.statusId, statusId)) {
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
    ...(merge ? commitsOf(merge) : commitsAfter(before, { base, branch }, heads)),
    updatedUserId: caller.id,
    updated: now,
  };
}

const commitsOf = ({ baseCommit, branchCommit, mergeCommit }: CreatedMerge): Commits => ({
  baseCommit,
  branchCommit,
  mergeCommit,
});

/** Returns the heads that were found, or else the last known heads of unchanged branches. */
const commitsAfter = (
  before: PullRequestRow,
  { base, branch }: Pick<PullRequestRow, 'base' | 'branch'>,
  heads?: ReadonlyMap<string, string>,
): Commits => ({
  baseCommit: heads?.get(base) ?? (base === before.base ? before.baseCommit : null),
  branchCommit: heads?.get(branch) ?? (branch === before.branch ? before.branchCommit : null),
  mergeCommit: before.mergeCommit,
});
