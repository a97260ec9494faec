import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../database/conditions';
import { groupBy } from '../database/group-by';
import { countRows } from '../database/list-page';
import { insertRow } from '../database/rows';
import { columnsOf, inList, isEmbedded, lockRow, type StatementRunner } from '../database/statements';
import { NoResourceError, TooManyRequestsError } from '../errors/domain-errors';
import { loopTurns } from '../event-loop/loop-turns';
import { type IdPageQuery } from '../http/request/page-query';
import { Page, toIdPage } from '../paging/page';
import { Turns } from '../limits/turns';
import { type UserDto } from '../users/dto/user.dto';
import { collectUser, JOINED_USER_COLUMNS, type JoinedUser } from '../users/user.mapper';
import { UsersService } from '../users/users.service';
import { type ChangeLogEntry } from './change-log';
import { type CommentRow, type NotificationRow, toCommentDto, toNotificationDto } from './comment.mapper';
import { type CommentDto, type NotificationDto } from './dto/comment.dto';
import { CommentThread } from './entities/comment-thread.entity';
import { Comment } from './entities/comment.entity';
import { type NotificationReason } from './notification-reason';
import { NotificationsService } from './notifications.service';
import { findStarsAndNotifications, isStar, type StarOrNotification } from './stars-and-notifications';
import { ThreadRemovalService } from './thread-removal.service';

/** A comment to be written. */
export interface NewComment {
  projectId: number;
  threadId: number;
  content: string;
  changeLog: ChangeLogEntry[];
  createdUserId: number;
  /** Milliseconds since 1970. */
  created: number;
}

const COMMENT_COLUMNS =
  'id, content, change_log AS changeLog, created_user_id AS createdUserId, created, updated';
const SHOWN_COMMENT_COLUMNS = `${columnsOf('c', ['id', 'content', 'changeLog', 'createdUserId', 'created', 'updated'])},
  ${JOINED_USER_COLUMNS}`;
const BY_AUTHOR = 'JOIN user u ON u.id = c.created_user_id';

/** Stars and notifications of a list from which on they are read for a few comments at a time. */
const MANY_STARS_AND_NOTIFICATIONS = 2000;
const COMMENTS_AT_ONCE = 2;
/** Such a list can take 50 MB of memory until it is sent: one is made after the other. */
const LONG_LISTS = { atOnce: 1, maxWaiting: 100, maxWaitMs: 10_000 };

/** A comment with its author. */
type ShownComment = CommentRow & JoinedUser;

/** Comments, their notifications and stars, the same for issues and pull requests. */
@Injectable()
export class CommentsService {
  /**
   * MariaDB would read a thread from its end to where a page starts: of the index it uses the thread alone as soon as there
   * is a bound on the id, unless it is told.
   */
  private readonly threadIndex: string;
  private readonly authorIndex: string;
  private readonly longLists = new Turns<'all'>({
    ...LONG_LISTS,
    refusal: () => TooManyRequestsError.after(LONG_LISTS.maxWaiting, LONG_LISTS.maxWaitMs),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly notifications: NotificationsService,
    private readonly removal: ThreadRemovalService,
  ) {
    const forced = (index: string): string => (isEmbedded(dataSource) ? '' : `FORCE INDEX (${index})`);
    this.threadIndex = forced('ix_comment_thread_id_id');
    this.authorIndex = forced('ix_comment_created_user_id_thread_id');
  }

  /** Makes what an issue's or a pull request's comments hang on. */
  addThread(manager: EntityManager, projectId: number): Promise<number> {
    return insertRow(manager, CommentThread, { projectId });
  }

  /** One page of a thread's comments, in two queries whatever its length. */
  async list(threadId: number, query: IdPageQuery): Promise<Page<CommentDto>> {
    const conditions = ['c.thread_id = ?'];
    const parameters = [threadId];
    if (query.minId !== undefined) {
      conditions.push('c.id >= ?');
      parameters.push(query.minId);
    }
    if (query.maxId !== undefined) {
      conditions.push('c.id <= ?');
      parameters.push(query.maxId);
    }
    const rows = await this.dataSource.query<ShownComment[]>(
      `SELECT ${SHOWN_COMMENT_COLUMNS} FROM comment c ${this.threadIndex} ${BY_AUTHOR}
        WHERE ${conditions.join(' AND ')}
        ORDER BY c.id ${query.order === 'asc' ? 'ASC' : 'DESC'} LIMIT ${query.count + 1} OFFSET ${query.offset}`,
      parameters,
    );
    const page = toIdPage(rows, query);
    return new Page(await this.toDtos(page.items), page.next);
  }

  /** How many comments a thread has. */
  count(threadId: number): Promise<number> {
    const conditions = new Conditions().add('thread_id = ?', threadId);
    return countRows(this.dataSource, { from: 'comment', conditions });
  }

  /** One comment, which must exist. */
  async get(id: number, runner: StatementRunner = this.dataSource): Promise<CommentDto> {
    const comment = (await this.findByIds([id], runner)).get(id);
    if (!comment) throw new NoResourceError('comment');
    return comment;
  }

  /** The comments that exist of those asked for, by id, in two queries. */
  async findByIds(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, CommentDto>> {
    if (ids.length === 0) return new Map();
    const list = inList(ids);
    const rows = await runner.query<ShownComment[]>(
      `SELECT ${SHOWN_COMMENT_COLUMNS} FROM comment c ${BY_AUTHOR} WHERE c.id ${list.sql}`,
      list.parameters,
    );
    const comments = await this.toDtos(rows, runner);
    return new Map(comments.map((comment) => [comment.id, comment]));
  }

  /** Who has been told of a comment, in two queries. */
  async listNotifications(id: number): Promise<NotificationDto[]> {
    const rows = await this.notifications.findByComments(this.dataSource, [id]);
    const users = await this.users.findByIds(rows.map((row) => row.userId));
    return rows.map((row) => toNotificationDto(row, users));
  }

  /**
   * Who has written in a thread. One look into the index for each user of the space: a thread can hold a million comments,
   * which are not read.
   */
  async listAuthorIds(threadId: number, limit: number): Promise<number[]> {
    // No EXISTS, which MariaDB would turn round and answer from the thread's comments.
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT u.id AS id FROM user u
        WHERE (SELECT c.id FROM comment c ${this.authorIndex}
                WHERE c.created_user_id = u.id AND c.thread_id = ? LIMIT 1) IS NOT NULL
        ORDER BY u.id LIMIT ${limit}`,
      [threadId],
    );
    return rows.map((row) => row.id);
  }

  /** The thread of a comment, if there is one. */
  async findThreadId(id: number): Promise<number | undefined> {
    const [row] = await this.dataSource.query<{ threadId: number }[]>(
      'SELECT thread_id AS threadId FROM comment WHERE id = ?',
      [id],
    );
    return row?.threadId;
  }

  /** Writes a comment. */
  add(manager: EntityManager, { projectId: _, ...comment }: NewComment): Promise<number> {
    return insertRow(manager, Comment, { ...comment, updated: comment.created });
  }

  /**
   * Writes a comment, tells users of it, and gives it as the wire shows it, without asking the database again.
   * @param notified who is told, and why
   * @param users the author and the notified by id
   */
  async post(
    manager: EntityManager,
    comment: NewComment,
    notified: { users: readonly UserDto[]; reason: NotificationReason },
    users: ReadonlyMap<number, UserDto>,
  ): Promise<CommentDto> {
    const id = await this.add(manager, comment);
    const source = { ...comment, id, senderId: comment.createdUserId };
    const notifications = await this.notify(manager, source, notified.users, notified.reason);
    const row = { ...comment, id, updated: comment.created, changeLog: JSON.stringify(comment.changeLog) };
    return toCommentDto(row, { users, stars: [], notifications });
  }

  /** Changes the text. */
  async updateContent(manager: EntityManager, id: number, content: string): Promise<void> {
    await manager.query('UPDATE comment SET content = ?, updated = ? WHERE id = ?', [
      content,
      Date.now(),
      id,
    ]);
  }

  /**
   * Notifies users who are not notified of the comment yet; gives their notifications.
   * @param comment with who has caused it
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
   * Takes the comment's row for this transaction and gives what it says and whom it has told, so that what is added next
   * meets nobody else's addition. Has to be the transaction's first use of the row.
   */
  async lock(
    manager: EntityManager,
    id: number,
  ): Promise<{ content: string; changeLog: ChangeLogEntry[]; notifiedUserIds: Set<number> }> {
    await manager.query('UPDATE comment SET updated = updated WHERE id = ?', [id]);
    const [row] = await manager.query<CommentRow[]>(`SELECT ${COMMENT_COLUMNS} FROM comment WHERE id = ?`, [
      id,
    ]);
    if (!row) throw new NoResourceError('comment');
    const notifications = await this.notifications.findByComments(manager, [id]);
    return {
      content: row.content,
      changeLog: JSON.parse(row.changeLog) as ChangeLogEntry[],
      notifiedUserIds: new Set(notifications.map((notification) => notification.userId)),
    };
  }

  /** Replaces the change log of a comment that this transaction holds. */
  async updateChangeLog(manager: EntityManager, id: number, changeLog: ChangeLogEntry[]): Promise<void> {
    await manager.query('UPDATE comment SET change_log = ? WHERE id = ?', [JSON.stringify(changeLog), id]);
  }

  /**
   * Removes a comment with its stars and notifications, and gives what it was.
   * @throws NoResourceError when somebody else has been faster
   */
  async remove(manager: EntityManager, id: number): Promise<CommentDto> {
    await lockRow(manager, 'comment', id);
    const comment = await this.get(id, manager);
    await manager.query('DELETE FROM comment WHERE id = ?', [id]);
    return comment;
  }

  /**
   * Removes the thread of an issue, pull request or wiki page, with all that hangs on it. Its owner has to be removed before,
   * in the same transaction; what is more than that bears is removed after it.
   */
  removeThread(manager: EntityManager, threadId: number): Promise<void> {
    return this.removal.remove(manager, threadId);
  }

  /**
   * Removes comments and notifications of threads, and tells how many there were.
   * @param limit how many at most; fewer were all
   */
  removeComments(manager: EntityManager, threadIds: readonly number[], limit: number): Promise<number> {
    return this.removal.removeContent(manager, threadIds, limit);
  }

  /** Removes threads, whose owners are gone, with what is left of them. */
  removeThreads(manager: EntityManager, threadIds: readonly number[]): Promise<void> {
    return this.removal.removeEmpty(manager, threadIds);
  }

  private async toDtos(
    rows: readonly ShownComment[],
    runner: StatementRunner = this.dataSource,
  ): Promise<CommentDto[]> {
    if (rows.length === 0) return [];
    const users = new Map<number, UserDto>();
    for (const row of rows) collectUser(users, row);
    const found = await this.findStarsAndNotifications(rows, runner, MANY_STARS_AND_NOTIFICATIONS + 1);
    if (found.length <= MANY_STARS_AND_NOTIFICATIONS) return combine(rows, found, users);
    const build = (): Promise<CommentDto[]> => this.toDtosInSlices(rows, users, runner);
    // What is in a transaction holds locks, and must not wait for others.
    return runner === this.dataSource ? this.longLists.run('all', build) : build();
  }

  /** Each comment may have told a thousand people: a few comments at a time, so that others have their turn. */
  private async toDtosInSlices(
    rows: readonly ShownComment[],
    users: Map<number, UserDto>,
    runner: StatementRunner,
  ): Promise<CommentDto[]> {
    const dtos: CommentDto[] = [];
    for (let index = 0; index < rows.length; index += COMMENTS_AT_ONCE) {
      const some = rows.slice(index, index + COMMENTS_AT_ONCE);
      dtos.push(...combine(some, await this.findStarsAndNotifications(some, runner), users));
      await loopTurns.nextSlice();
    }
    return dtos;
  }

  private findStarsAndNotifications(
    rows: readonly ShownComment[],
    runner: StatementRunner,
    limit = Number.MAX_SAFE_INTEGER,
  ): Promise<StarOrNotification[]> {
    return findStarsAndNotifications(
      runner,
      rows.map((row) => row.id),
      limit,
    );
  }
}

/** Comments as the wire shows them, with their stars and notifications; collects whose they are. */
function combine(
  rows: readonly ShownComment[],
  starsAndNotifications: readonly StarOrNotification[],
  users: Map<number, UserDto>,
): CommentDto[] {
  for (const item of starsAndNotifications) collectUser(users, item);
  const byComment = groupBy(starsAndNotifications, (item) => item.commentId);
  return rows.map((row) => {
    const own = byComment.get(row.id) ?? [];
    return toCommentDto(row, {
      users,
      stars: own.filter(isStar),
      notifications: own.filter((item) => !isStar(item)),
    });
  });
}
