import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { groupBy } from '../database/group-by';
import { insertRow } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { type IdPageQuery, Page, toIdPage } from '../http/paging';
import { parseId } from '../http/path-id';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { type ChangeLogEntry } from './change-log';
import { type CommentRow, type NotificationRow, toCommentDto } from './comment.mapper';
import { type CommentDto } from './dto/comment.dto';
import { CommentThread } from './entities/comment-thread.entity';
import { Comment } from './entities/comment.entity';
import { type NotificationReason } from './notification-reason';
import { NotificationsService } from './notifications.service';
import { StarsService } from './stars.service';

/** A comment as access rules need it. */
export interface CommentReference {
  id: number;
  createdUserId: number;
}

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

/** Comments, their notifications and stars, the same for issues and pull requests. */
@Injectable()
export class CommentsService {
  /**
   * MariaDB would read a thread from its end to where a page starts: of the index it uses the thread alone as soon as there
   * is a bound on the id, unless it is told.
   */
  private readonly threadIndex: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly notifications: NotificationsService,
    private readonly stars: StarsService,
  ) {
    const isEmbedded = dataSource.options.type === 'better-sqlite3';
    this.threadIndex = isEmbedded ? '' : 'FORCE INDEX (ix_comment_thread_id_id)';
  }

  /** Makes what an issue's or a pull request's comments hang on. */
  addThread(manager: EntityManager, projectId: number): Promise<number> {
    return insertRow(manager, CommentThread, { projectId });
  }

  /** One page of a thread's comments, in four queries whatever its length. */
  async list(threadId: number, query: IdPageQuery): Promise<Page<CommentDto>> {
    const conditions = ['thread_id = ?'];
    const parameters = [threadId];
    if (query.minId !== undefined) {
      conditions.push('id >= ?');
      parameters.push(query.minId);
    }
    if (query.maxId !== undefined) {
      conditions.push('id <= ?');
      parameters.push(query.maxId);
    }
    const rows = await this.dataSource.query<CommentRow[]>(
      `SELECT ${COMMENT_COLUMNS} FROM comment ${this.threadIndex} WHERE ${conditions.join(' AND ')}
        ORDER BY id ${query.order === 'asc' ? 'ASC' : 'DESC'} LIMIT ${query.count + 1} OFFSET ${query.offset}`,
      parameters,
    );
    const page = toIdPage(rows, query);
    return new Page(await this.toDtos(page.items), page.next);
  }

  /** One comment, which must exist. */
  async get(id: number): Promise<CommentDto> {
    const rows = await this.dataSource.query<CommentRow[]>(
      `SELECT ${COMMENT_COLUMNS} FROM comment WHERE id = ?`,
      [id],
    );
    const [comment] = await this.toDtos(rows);
    if (!comment) throw new NoResourceError('comment');
    return comment;
  }

  /**
   * The comment of a path's `commentId` in a thread.
   * @throws NoResourceError
   */
  async getInThread(threadId: number, commentId: string | undefined): Promise<CommentReference> {
    const id = parseId(commentId);
    const [row] =
      id === undefined
        ? []
        : await this.dataSource.query<CommentReference[]>(
            'SELECT id, created_user_id AS createdUserId FROM comment WHERE id = ? AND thread_id = ?',
            [id, threadId],
          );
    if (!row) throw new NoResourceError('comment');
    return row;
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

  private async toDtos(rows: readonly CommentRow[]): Promise<CommentDto[]> {
    if (rows.length === 0) return [];
    const ids = rows.map((row) => row.id);
    const stars = await this.stars.findByComments(ids);
    const notifications = await this.notifications.findByComments(this.dataSource, ids);
    const users = await this.users.findByIds([
      ...rows.map((row) => row.createdUserId),
      ...stars.map((star) => star.presenterId),
      ...notifications.map((notification) => notification.userId),
    ]);
    const starsByComment = groupBy(stars, (star) => star.commentId);
    const notificationsByComment = groupBy(notifications, (notification) => notification.commentId);
    return rows.map((row) =>
      toCommentDto(row, {
        users,
        stars: starsByComment.get(row.id) ?? [],
        notifications: notificationsByComment.get(row.id) ?? [],
      }),
    );
  }
}
