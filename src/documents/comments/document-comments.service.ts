import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { ActivitiesService } from '../../activities/activities.service';
import { ActivityType } from '../../activities/activity-type';
import { notificationEntry } from '../../comments/change-log';
import { CommentPostingService } from '../../comments/comment-posting.service';
import { CommentsService } from '../../comments/comments.service';
import { notFoundIfDeleted } from '../../database/connections/database-errors';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { type Requester } from '../../event-loop/user-turns';
import { CountLimitsService } from '../../limits/count-limits.service';
import { NotificationReason } from '../../notifications/notification-reason';
import { ProjectPeopleService } from '../../projects/project-people.service';
import { type DocumentCommentKeys, DocumentCommentRepository } from '../data/document-comment.repository';
import { type DocumentResource } from '../document-resource';
import { DocumentsService } from '../documents.service';
import { type AddDocumentCommentDto, type DocumentCommentDto } from '../dto/document-comment.dto';
import { EditorTextService, MAX_COMMENT_JSON } from '../editor/editor-text.service';
import { type DocumentComment } from '../entities/document-comment.entity';
import { newUid } from '../uid';
import { DocumentCommentReaderService } from './document-comment-reader.service';
import { type DocumentCommentResource } from './document-comment.loader';

type CommentActivity =
  | ActivityType.DocumentCommentCreated
  | ActivityType.DocumentCommentUpdated
  | ActivityType.DocumentCommentDeleted
  | ActivityType.DocumentReplyCreated
  | ActivityType.DocumentReplyUpdated
  | ActivityType.DocumentReplyDeleted;

/** Manages comments on documents and replies to them; "comment" means both where they do not differ. */
@Injectable()
export class DocumentCommentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly people: ProjectPeopleService,
    private readonly documents: DocumentsService,
    private readonly texts: EditorTextService,
    private readonly rows: DocumentCommentRepository,
    private readonly reader: DocumentCommentReaderService,
    private readonly comments: CommentsService,
    private readonly posting: CommentPostingService,
    private readonly activities: ActivitiesService,
    private readonly limits: CountLimitsService,
  ) {}

  /** Returns all comments on a document. */
  list({ threadId }: DocumentResource, requester: Requester): Promise<DocumentCommentDto[]> {
    return this.reader.list(threadId, requester);
  }

  /**
   * Adds a comment, notifies the users that it names or mentions and the author of the comment that it replies to, and records activity 40,
   * or 43 for a reply.
   * @returns the comment, or the one that it replies to
   * @throws InvalidRequestError for a text, comment or user that cannot be used, ResourceOverflowError when the document has too many
   *   comments, NoResourceError for a document in the trash
   */
  async add(
    document: DocumentResource,
    caller: Caller,
    { content, commentId: answeredUid, notifiedUserId }: AddDocumentCommentDto,
    requester: Requester,
  ): Promise<DocumentCommentDto> {
    const { id, projectId, threadId } = document;
    const text = await this.texts.convert(content, MAX_COMMENT_JSON, caller.id);
    const answered = await this.findAnswered(threadId, answeredUid);
    const people = await this.people.peopleOf(
      projectId,
      caller,
      { notifiedUserId },
      // The author of the comment replied to is notified like a mentioned user.
      { text: answered ? `${text.plain} <@U${answered.ownerId}>` : text.plain, roles: DEVELOPERS },
    );
    const uid = newUid();
    const write = async (manager: EntityManager): Promise<Omit<DocumentComment, 'comment'>> => {
      const { title } = await this.documents.lockActive(manager, id);
      if (answered && !(await this.rows.findKeys(threadId, answered.uid, manager)))
        throw unknownCommentError();
      this.limits.require('documentComment', (await this.rows.count(manager, threadId)) + 1);
      const written = await this.posting.post(manager, document, caller, {
        kind: {
          reason: answered ? NotificationReason.DocumentCommentReplied : NotificationReason.DocumentCommented,
          notificationEntry: notificationEntry('document.comment'),
        },
        content: text.plain,
        people,
        created: Date.now(),
        describe: () => ({
          type: answered ? ActivityType.DocumentReplyCreated : ActivityType.DocumentCommentCreated,
          content: { id: document.uid, title, comment: { id: uid, content: text.plain } },
        }),
      });
      const row = { commentId: written.id, uid, parentId: answered?.commentId ?? null, json: text.json };
      await this.rows.insert(manager, row);
      return row;
    };
    const add = async (): Promise<DocumentCommentDto> => {
      const { commentId, parentId } = await notFoundIfDeleted(this.transactions.run(write), 'document');
      return this.reader.get(parentId ?? commentId);
    };
    return answered ? this.reader.writeInTurn(answered.commentId, requester, add) : add();
  }

  /** Adds a comment with a given id. Notifies no users and emits no event. */
  async write(
    { projectId, threadId, uid }: Pick<DocumentResource, 'projectId' | 'threadId' | 'uid'>,
    author: { id: number },
    content: string,
  ): Promise<void> {
    const { json, plain } = await this.texts.convert(content, MAX_COMMENT_JSON, author.id);
    await this.transactions.run(async (manager) => {
      const comment = { projectId, threadId, content: plain, changeLog: [] };
      const commentId = await this.comments.add(manager, {
        ...comment,
        author,
        created: Date.now(),
      });
      await this.rows.insert(manager, { commentId, uid, parentId: null, json });
    });
  }

  /**
   * Updates the text of a comment, and records activity 41, or 44 for a reply. Notifies no users.
   * @returns the comment, or the one that it replies to
   */
  async update(
    comment: DocumentCommentResource,
    caller: Caller,
    content: string,
    requester: Requester,
  ): Promise<DocumentCommentDto> {
    const text = await this.texts.convert(content, MAX_COMMENT_JSON, caller.id);
    const shownId = comment.parentId ?? comment.commentId;
    return this.reader.writeInTurn(shownId, requester, async () => {
      await this.transactions.run(async (manager) => {
        const { title } = await this.lock(manager, comment);
        await this.comments.updateContent(manager, comment.commentId, caller, text.plain);
        await this.rows.updateJson(manager, comment.commentId, text.json);
        const type =
          comment.parentId === null ? ActivityType.DocumentCommentUpdated : ActivityType.DocumentReplyUpdated;
        await this.record(manager, comment, caller, type, title, text.plain);
      });
      return this.reader.get(shownId);
    });
  }

  /**
   * Removes a comment that has no replies, and records activity 42, or 45 for a reply.
   * @returns the last state of the comment, or of the one that it replies to
   * @throws InvalidRequestError for a comment that has replies
   */
  async delete(
    comment: DocumentCommentResource,
    caller: Caller,
    requester: Requester,
  ): Promise<DocumentCommentDto> {
    const shownId = comment.parentId ?? comment.commentId;
    const remove = async (manager: EntityManager): Promise<DocumentCommentDto> => {
      const { title } = await this.lock(manager, comment);
      const before = await this.reader.get(shownId, manager);
      if (comment.parentId === null && before.replies.length > 0) {
        throw InvalidRequestError.of('documentCommentId', 'Delete the replies to the comment first.');
      }
      const { content } = await this.comments.remove(manager, comment.commentId);
      const type =
        comment.parentId === null ? ActivityType.DocumentCommentDeleted : ActivityType.DocumentReplyDeleted;
      await this.record(manager, comment, caller, type, title, content);
      return before;
    };
    return this.reader.writeInTurn(shownId, requester, () => this.transactions.run(remove));
  }

  /** Returns the comment that a request replies to. */
  private async findAnswered(
    threadId: number,
    uid: string | undefined,
  ): Promise<DocumentCommentKeys | undefined> {
    if (uid === undefined) return undefined;
    const answered = await this.rows.findKeys(threadId, uid);
    if (answered?.parentId !== null) throw unknownCommentError();
    return answered;
  }

  /**
   * Locks the document of a comment, so that its comments cannot change concurrently.
   * @throws NoResourceError when either no longer exists, or the document is in the trash
   */
  private async lock(
    manager: EntityManager,
    { document, uid }: DocumentCommentResource,
  ): Promise<{ title: string }> {
    const state = await this.documents.lockActive(manager, document.id);
    if (!(await this.rows.findKeys(document.threadId, uid, manager))) {
      throw new NoResourceError('document comment');
    }
    return state;
  }

  private record(
    manager: EntityManager,
    { document, uid }: DocumentCommentResource,
    caller: Caller,
    type: CommentActivity,
    title: string,
    content: string,
  ): Promise<void> {
    return this.activities.record(manager, {
      projectId: document.projectId,
      type,
      content: { id: document.uid, title, comment: { id: uid, content } },
      author: caller,
    });
  }
}

const unknownCommentError = (): InvalidRequestError =>
  InvalidRequestError.of('commentId', 'commentId must be a comment on the document that is not a reply.');
