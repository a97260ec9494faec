import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Author } from '../access/caller';
import { originOf } from '../access/past-change';
import { type StatementRunner } from '../database/sql/statements';
import { NoResourceError } from '../errors/domain-errors';
import { type Requester } from '../event-loop/user-turns';
import { type IdPageQuery } from '../http/request/page-query';
import { type NotificationRow } from '../notifications/data/notification.repository';
import { type NotificationDto } from '../notifications/dto/notification.dto';
import { type NotificationReason } from '../notifications/notification-reason';
import { toNotificationDto } from '../notifications/notification.mapper';
import { NotificationsService } from '../notifications/notifications.service';
import { Page } from '../paging/page';
import {
  MAX_CANDIDATES,
  type SearchIndexReader,
  SearchIndexService,
} from '../search-index/search-index.service';
import { SearchKind } from '../search-index/search-kind';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { type ChangeLogEntry } from './change-log';
import { CommentBuilderService, type CommentReader, isTransaction } from './comment-builder.service';
import { CommentSearchRepository } from './data/comment-search.repository';
import { CommentThreadRepository } from './data/comment-thread.repository';
import { CommentRepository } from './data/comment.repository';
import { type CommentDto } from './dto/comment.dto';
import { ThreadRemovalService } from './thread-removal.service';

/** A comment to insert. */
export interface NewComment {
  projectId: number;
  threadId: number;
  content: string;
  changeLog: ChangeLogEntry[];
  author: Author;
  /** Milliseconds since 1970. */
  created: number;
}

/** Manages the comments of issues, pull requests and documents, with their notifications and stars. */
@Injectable()
export class CommentsService {
  constructor(
    private readonly comments: CommentRepository,
    private readonly threads: CommentThreadRepository,
    private readonly builder: CommentBuilderService,
    private readonly users: UsersService,
    private readonly notifications: NotificationsService,
    private readonly removal: ThreadRemovalService,
    private readonly searches: CommentSearchRepository,
    private readonly index: SearchIndexService,
  ) {}

  /** Adds the thread that holds the comments, stars and notifications of an issue, pull request, wiki page or document. */
  addThread(manager: EntityManager, projectId: number): Promise<number> {
    return this.threads.insert(manager, projectId);
  }

  /** Returns one page of a thread's comments, in two queries regardless of its length. */
  async list(threadId: number, query: IdPageQuery, requester: Requester): Promise<Page<CommentDto>> {
    const { items, next } = await this.comments.findPage(threadId, query);
    return new Page(await this.builder.build(items, requester), next);
  }

  /** Counts the comments of a thread. */
  count(threadId: number): Promise<number> {
    return this.comments.count(threadId);
  }

  /**
   * Returns one comment.
   * @throws NoResourceError when it does not exist
   */
  async get(id: number, reader: CommentReader): Promise<CommentDto> {
    const comment = (await this.findByIds([id], reader)).get(id);
    if (!comment) throw new NoResourceError('comment');
    return comment;
  }

  /** Returns the comments that exist among these ids, by id, in two queries. */
  async findByIds(ids: readonly number[], reader: CommentReader): Promise<Map<number, CommentDto>> {
    if (ids.length === 0) return new Map();
    const rows = await this.comments.findByIds(ids, isTransaction(reader) ? reader : undefined);
    const comments = await this.builder.build(rows, reader);
    return new Map(comments.map((comment) => [comment.id, comment]));
  }

  /** Returns the notifications of a comment, in two queries. */
  async listNotifications(id: number): Promise<NotificationDto[]> {
    const rows = await this.notifications.findByComment(id);
    const users = await this.users.findByIds(rows.map((row) => row.userId));
    return rows.map((row) => toNotificationDto(row, users));
  }

  /** Returns the ids of the users who have commented in a thread. */
  listAuthorIds(threadId: number, limit: number): Promise<number[]> {
    return this.comments.findAuthorIds(threadId, limit);
  }

  /** Returns the thread and the author of a comment, if it exists. */
  findPlace(id: number): Promise<{ threadId: number; authorId: number } | undefined> {
    return this.comments.findPlace(id);
  }

  /** Inserts a comment. */
  async add(manager: EntityManager, comment: NewComment): Promise<number> {
    const { threadId, content, changeLog } = comment;
    const { author, created, updated } = originOf(manager, comment.author, comment.created);
    const id = await this.comments.insert(manager, {
      threadId,
      content,
      changeLog,
      createdUserId: author.id,
      agentKeyId: author.agent?.keyId ?? null,
      created,
      updated,
    });
    await this.index.noteNew(manager, SearchKind.Comment, id);
    return id;
  }

  /** Updates the text. A comment that an agent has changed is shown as its work from then on. */
  async updateContent(manager: EntityManager, id: number, author: Author, content: string): Promise<void> {
    const change = { content, updated: Date.now() };
    await this.comments.update(
      manager,
      id,
      author.agent ? { ...change, agentKeyId: author.agent.keyId } : change,
    );
    await this.index.noteChange(manager, SearchKind.Comment, id);
  }

  /**
   * Returns the threads that have comments with a word; undefined when the index does not help or there are many such comments.
   * @param runner a runner that can search texts (`keywordSearch`)
   */
  async findThreadsContaining(
    reader: SearchIndexReader,
    word: string,
    runner: StatementRunner,
  ): Promise<number[] | undefined> {
    const candidates = await reader.find(SearchKind.Comment, word, runner);
    return candidates && this.searches.findThreads(runner, word, candidates, MAX_CANDIDATES);
  }

  /**
   * Notifies users who are not notified of the comment yet, and returns their notifications.
   * @param comment the comment, with the user who caused the notifications
   */
  notify(
    manager: EntityManager,
    comment: { id: number; projectId: number; threadId: number; senderId: number },
    users: readonly UserDto[],
    reason: NotificationReason,
  ): Promise<NotificationRow[]> {
    const { id, projectId, threadId, senderId } = comment;
    const userIds = users.map((user) => user.id);
    return this.notifications.addForComment(manager, userIds, { projectId, threadId, senderId, reason }, id);
  }

  /**
   * Locks a comment and returns its text, change log and notified users, so that concurrent additions are serialized. Must be the
   * transaction's first use of the row.
   * @throws NoResourceError when it does not exist
   */
  async lock(
    manager: EntityManager,
    id: number,
  ): Promise<{ content: string; changeLog: ChangeLogEntry[]; notifiedUserIds: Set<number> }> {
    const comment = await this.comments.lock(manager, id);
    if (!comment) throw new NoResourceError('comment');
    const notifications = await this.notifications.findByComment(id, manager);
    return { ...comment, notifiedUserIds: new Set(notifications.map(({ userId }) => userId)) };
  }

  /** Replaces the change log of a comment that this transaction has locked. */
  updateChangeLog(manager: EntityManager, id: number, changeLog: ChangeLogEntry[]): Promise<void> {
    return this.comments.update(manager, id, { changeLog });
  }

  /**
   * Removes a comment with its stars and notifications, and returns its last state.
   * @throws NoResourceError when a concurrent request has removed it
   */
  async remove(manager: EntityManager, id: number): Promise<CommentDto> {
    await this.comments.lockForRemoval(manager, id);
    const comment = await this.get(id, manager);
    await this.comments.delete(manager, id);
    return comment;
  }

  /**
   * Removes the thread of an issue, pull request, wiki page or document with its contents. Its owner must be removed first, in the same
   * transaction. The rest of a very long thread is removed after the commit.
   */
  removeThread(manager: EntityManager, threadId: number): Promise<void> {
    return this.removal.remove(manager, threadId);
  }

  /**
   * Removes comments and notifications of threads, and returns the number removed.
   * @param limit the maximum number to remove; a smaller result means that none are left
   */
  removeComments(manager: EntityManager, threadIds: readonly number[], limit: number): Promise<number> {
    return this.removal.removeContent(manager, threadIds, limit);
  }

  /** Removes threads whose owners no longer exist, with their remaining contents. */
  removeThreads(manager: EntityManager, threadIds: readonly number[]): Promise<void> {
    return this.threads.delete(manager, threadIds);
  }
}
