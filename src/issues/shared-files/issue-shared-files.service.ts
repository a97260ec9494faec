import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { ActivitiesService } from '../../activities/activities.service';
import { addition, removal } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { sharedFileChange, sharedFileRemoval } from '../../comments/change-log';
import { CommentsService } from '../../comments/comments.service';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { type SharedFileDto } from '../../shared-files/dto/shared-file.dto';
import { toSharedFileContent } from '../../shared-files/shared-file.mapper';
import { SharedFileLinksService } from '../../shared-files/shared-file-links.service';
import { ISSUE_UPDATED } from '../comments/issue-comment-kinds';
import { IssueRepository } from '../data/issue.repository';
import { issueCommentActivity } from '../issue-activity';
import { type IssueResource } from '../issue.loader';
import { WatchersService } from '../watchings/watchers.service';
import { ISSUE_SHARED_FILES } from './issue-shared-file-links';
import { type IssueSharedFileResource } from './issue-shared-file.loader';

/** The files that a request links or unlinks; the other list is empty. */
interface LinkChange {
  added: SharedFileDto[];
  removed: SharedFileDto[];
}

/** Manages the shared files linked to issues. */
@Injectable()
export class IssueSharedFilesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly links: SharedFileLinksService,
    private readonly comments: CommentsService,
    private readonly activities: ActivitiesService,
    private readonly issues: IssueRepository,
    private readonly watchers: WatchersService,
  ) {}

  /** Returns the files linked to an issue, ordered by id. */
  list({ id }: IssueResource): Promise<SharedFileDto[]> {
    return this.links.list(ISSUE_SHARED_FILES, id);
  }

  /**
   * Links files to an issue. If the links change, records a comment and activity 2, like every update.
   * @returns the files, in the order requested
   * @throws InvalidRequestError for a file that is not in the project; none is linked
   */
  link(issue: IssueResource, caller: Caller, fileIds: readonly number[]): Promise<SharedFileDto[]> {
    return this.transactions.run(async (manager) => {
      const texts = await this.lockTexts(manager, issue);
      const { files, added } = await this.links.link(manager, ISSUE_SHARED_FILES, issue, fileIds);
      if (added.length > 0)
        await this.publish(manager, { ...issue, ...texts }, caller, { added, removed: [] });
      return files;
    });
  }

  /** Unlinks a file and returns it. Records a comment and activity 2. */
  unlink({ sharedFileId, ...issue }: IssueSharedFileResource, caller: Caller): Promise<SharedFileDto> {
    return this.transactions.run(async (manager) => {
      const texts = await this.lockTexts(manager, issue);
      const file = await this.links.unlink(manager, ISSUE_SHARED_FILES, issue.id, sharedFileId);
      await this.publish(manager, { ...issue, ...texts }, caller, { added: [], removed: [file] });
      return file;
    });
  }

  private async lockTexts(manager: EntityManager, { id }: IssueResource) {
    const texts = await this.issues.lockTexts(manager, id);
    if (!texts) throw new NoResourceError('issue');
    return texts;
  }

  private async publish(
    manager: EntityManager,
    issue: IssueResource & { summary: string; description: string },
    caller: Caller,
    { added, removed }: LinkChange,
  ): Promise<void> {
    const edit = { author: caller, created: Date.now() };
    const commentId = await this.comments.add(manager, {
      projectId: issue.projectId,
      threadId: issue.threadId,
      content: '',
      changeLog: [...added.map(sharedFileChange), ...removed.map(sharedFileRemoval)],
      ...edit,
    });
    await this.issues.recordEdit(manager, issue.id, { updatedUserId: caller.id, updated: edit.created });
    await this.activities.record(manager, {
      projectId: issue.projectId,
      type: ActivityType.IssueUpdated,
      content: {
        ...issueCommentActivity(issue, { id: commentId, content: '' }, [
          ...added.map((file) => addition('sharedFile', pathOf(file))),
          ...removed.map((file) => removal('sharedFile', pathOf(file))),
        ]),
        shared_files: added.map(toSharedFileContent),
      },
      ...edit,
    });
    const { reason } = ISSUE_UPDATED;
    await this.watchers.notify(manager, issue, { senderId: caller.id, reason, commentId });
  }
}

const pathOf = ({ dir, name }: SharedFileDto): string => dir + name;
