import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import {
  type CommentRow,
  type IssueRow,
  type Limit,
  listAnswer,
  type MarkRow,
  markParameters,
  NewComment,
} from './answers';
import {
  findIssueWithMembers,
  INSERT_ACTIVITY,
  INSERT_COMMENT,
  insertNotifications,
  LIST_MARKS,
  listComments,
  UPDATE_ISSUE,
} from './statements';

const LIST_COMMENTS = listComments('FORCE INDEX (ix_comment_thread_id_id)');

/** The service's default pool size. */
const POOL_SIZE = 10;

/** The limit on a server of the MySQL family: statements prepared on each connection of a pool. */
export function createMysqlLimit(databaseUrl: string, authorId: number): Limit {
  const url = new URL(databaseUrl);
  const hasReturning = url.protocol === 'mariadb:';
  const pool = createPool({
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    charset: 'utf8mb4_bin',
    connectionLimit: POOL_SIZE,
  });
  return {
    list: async ({ repository, number, projectKey, maxId }) => {
      const comments = await select<CommentRow>(pool, LIST_COMMENTS, [repository, number, projectKey, maxId]);
      const marks = await select<MarkRow>(pool, LIST_MARKS, markParameters(comments));
      return listAnswer(comments, marks);
    },
    add: async (request) => {
      const memberIds = [...new Set([authorId, ...request.notifiedUserId])];
      const connection = await pool.getConnection();
      try {
        const [rows] = await connection.execute<(IssueRow & RowDataPacket)[]>(
          findIssueWithMembers(memberIds.length),
          [request.keyId, request.projectKey, ...memberIds],
        );
        const comment = new NewComment(request, rows, authorId);
        await connection.query('START TRANSACTION');
        const [{ insertId: commentId }] = await connection.execute<ResultSetHeader>(
          INSERT_COMMENT,
          comment.commentParameters(),
        );
        const insert = insertNotifications(request.notifiedUserId.length);
        const [inserted] = await connection.execute<ResultSetHeader | ({ id: number } & RowDataPacket)[]>(
          hasReturning ? `${insert} RETURNING id` : insert,
          comment.notificationParameters(commentId),
        );
        await connection.execute(INSERT_ACTIVITY, comment.activityParameters(commentId));
        await connection.execute(UPDATE_ISSUE, comment.issueParameters());
        await connection.query('COMMIT');
        return comment.answer(commentId, idsOf(inserted, request.notifiedUserId.length));
      } catch (error) {
        await connection.query('ROLLBACK');
        throw error;
      } finally {
        connection.release();
      }
    },
  };
}

async function select<Row>(pool: Pool, sql: string, parameters: (string | number)[]): Promise<Row[]> {
  const [rows] = await pool.execute<(Row & RowDataPacket)[]>(sql, parameters);
  return rows;
}

/** Returns the inserted ids. MySQL has no RETURNING, but numbers the rows of one INSERT without gaps. */
const idsOf = (inserted: ResultSetHeader | { id: number }[], count: number): number[] =>
  Array.isArray(inserted)
    ? inserted.map(({ id }) => id)
    : Array.from({ length: count }, (_, index) => inserted.insertId + index);
