import { createRequire } from 'node:module';
import { LogSync } from '../../../src/database/sqlite/log-sync';
import { PAGE_CACHE } from '../../../src/database/sqlite/node-sqlite';
import { plannedOnce } from '../../../src/database/sqlite/planned-once';
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

interface Statement {
  all(...parameters: (string | number)[]): unknown[];
  run(...parameters: (string | number)[]): { lastInsertRowid: number | bigint };
}

interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): void;
}

interface NativeModule {
  DatabaseSync: new (file: string) => Database;
  StatementSync: { prototype: object };
}

const PRAGMAS = ['busy_timeout = 5000', 'journal_mode = WAL', 'foreign_keys = ON', PAGE_CACHE];

/**
 * The limit on the embedded database: one connection, every statement prepared and planned once.
 * @param isGrouping whether commits share syncs of the log beside other requests, as in the service; otherwise, SQLite syncs in each
 */
export function createSqliteLimit(file: string, authorId: number, isGrouping: boolean): Limit {
  const { DatabaseSync } = loadModule();
  const database = new DatabaseSync(file);
  for (const pragma of [...PRAGMAS, `synchronous = ${isGrouping ? 'NORMAL' : 'FULL'}`]) {
    database.exec(`PRAGMA ${pragma}`);
  }
  const log = isGrouping ? new LogSync(`${file}-wal`, Infinity) : undefined;
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(plannedOnce(sql));
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    list: ({ repository, number, projectKey, maxId }) => {
      const comments = prepared(listComments('')).all(repository, number, projectKey, maxId) as CommentRow[];
      const marks = prepared(LIST_MARKS).all(...markParameters(comments)) as MarkRow[];
      return listAnswer(comments, marks);
    },
    add: async (request) => {
      const memberIds = [...new Set([authorId, ...request.notifiedUserId])];
      const rows = prepared(findIssueWithMembers(memberIds.length)).all(
        request.keyId,
        request.projectKey,
        ...memberIds,
      ) as IssueRow[];
      const comment = new NewComment(request, rows, authorId);
      let answer: string;
      prepared('BEGIN IMMEDIATE').run();
      try {
        const { lastInsertRowid } = prepared(INSERT_COMMENT).run(...comment.commentParameters());
        const commentId = Number(lastInsertRowid);
        const insert = `${insertNotifications(request.notifiedUserId.length)} RETURNING id`;
        const notifications = prepared(insert).all(...comment.notificationParameters(commentId)) as {
          id: number;
        }[];
        prepared(INSERT_ACTIVITY).run(...comment.activityParameters(commentId));
        prepared(UPDATE_ISSUE).run(...comment.issueParameters());
        prepared('COMMIT').run();
        const ids = notifications.map(({ id }) => id);
        answer = comment.answer(commentId, ids);
      } catch (error) {
        prepared('ROLLBACK').run();
        throw error;
      }
      await log?.synced();
      return answer;
    },
  };
}

/** Loads the module that the service uses: Node's own where it is complete, otherwise the package with the same API. */
function loadModule(): NativeModule {
  const own = process.getBuiltinModule('node:sqlite') as unknown as NativeModule | undefined;
  if (own && 'columns' in own.StatementSync.prototype) return own;
  return createRequire(__filename)('@photostructure/sqlite') as NativeModule;
}
