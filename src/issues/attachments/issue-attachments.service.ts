import { Injectable } from '@nestjs/common';
import { ActivitiesService } from '../../activities/activities.service';
import { removal } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import { type AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { attachmentRemoval } from '../../comments/change-log';
import { CommentsService } from '../../comments/comments.service';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { type FileAnswer } from '../../http/response/file-answer';
import { type Caller } from '../../access/caller';
import { inPast, originOf, type PastChange } from '../../access/past-change';
import { ISSUE_UPDATED } from '../comments/issue-comment-kinds';
import { IssueRepository } from '../data/issue.repository';
import { issueCommentActivity } from '../issue-activity';
import { type IssueAttachmentResource } from './issue-attachment.loader';
import { ISSUE_FILES } from './issue-files';
import { PastIssueChangesService } from '../imports/past-issue-changes.service';
import { type IssueResource } from '../issue.loader';
import { WatchersService } from '../watchings/watchers.service';

/** Manages the files attached to issues. Files are added with an issue or a comment. */
@Injectable()
export class IssueAttachmentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly files: AttachmentLinksService,
    private readonly comments: CommentsService,
    private readonly activities: ActivitiesService,
    private readonly issues: IssueRepository,
    private readonly watchers: WatchersService,
    private readonly past: PastIssueChangesService,
  ) {}

  /** Returns the files of an issue, oldest first. */
  list(issue: IssueResource): Promise<AttachedFileDto[]> {
    return this.files.list(ISSUE_FILES, issue.id);
  }

  /** Returns the content of a file. */
  download({ attachmentId }: IssueAttachmentResource): Promise<FileAnswer> {
    return this.files.download(attachmentId);
  }

  /**
   * Removes a file and returns its last state. Records a comment and activity 2, like every update.
   * @param past when and by whom it was removed; undefined for a removal of today
   */
  delete(
    { attachmentId, ...issue }: IssueAttachmentResource,
    caller: Caller,
    past?: PastChange,
  ): Promise<AttachedFileDto> {
    const remove = inPast(past, async (manager) => {
      const texts = await this.issues.lockTexts(manager, issue.id);
      if (!texts) throw new NoResourceError('issue');
      const file = await this.files.detach(manager, ISSUE_FILES, issue.id, attachmentId);
      const origin = originOf(manager, caller);
      const edit = { author: origin.author, created: origin.created };
      const commentId = await this.comments.add(manager, {
        projectId: issue.projectId,
        threadId: issue.threadId,
        content: '',
        changeLog: [attachmentRemoval(file)],
        ...edit,
      });
      await this.issues.recordEdit(manager, issue.id, origin);
      await this.activities.record(manager, {
        projectId: issue.projectId,
        type: ActivityType.IssueUpdated,
        content: issueCommentActivity({ ...issue, ...texts }, { id: commentId, content: '' }, [
          removal('attachment', file.name),
        ]),
        ...edit,
      });
      const { reason } = ISSUE_UPDATED;
      await this.watchers.notify(manager, issue, { senderId: caller.id, reason, commentId });
      await this.past.record(manager, 'issue.importUpdate', { ...issue, summary: texts.summary });
      return file;
    });
    return this.transactions.run(remove);
  }
}
