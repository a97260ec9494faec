import { QueryFailedError } from 'typeorm';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import {
  isDuplicate,
  isRetryable,
  isUnavailable,
  notFoundIfDeleted,
  invalidIfDeleted,
} from './database-errors';
import { LockTimeoutError } from '../sqlite/exclusive-lock';

const driverError = (properties: object): Error => Object.assign(new Error('driver'), properties);

describe('database error handling', () => {
  it.each([
    // properties of the driver's error, retryable, unavailable, duplicate
    [{ errno: 1213, code: 'ER_LOCK_DEADLOCK' }, true, true, false],
    [{ errno: 1205, code: 'ER_LOCK_WAIT_TIMEOUT' }, true, true, false],
    [{ errno: 1020, code: 'ER_CHECKREAD' }, true, true, false],
    [{ errno: 1412, code: 'ER_TABLE_DEF_CHANGED' }, true, true, false],
    [{ code: 'SQLITE_BUSY' }, true, true, false],
    [{ code: 'SQLITE_BUSY_SNAPSHOT' }, true, true, false],
    [{ code: 'SQLITE_LOCKED' }, true, true, false],
    [{ code: 'ECONNREFUSED' }, false, true, false],
    [{ code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, false, true, false],
    [{ fatal: true }, false, true, false],
    [{ errno: 1040, code: 'ER_CON_COUNT_ERROR' }, false, true, false],
    [{ errno: 1290, code: 'ER_OPTION_PREVENTS_STATEMENT' }, false, true, false],
    [{ errno: 1792, code: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION' }, false, true, false],
    [{ errno: 1836, code: 'ER_READ_ONLY_MODE' }, false, true, false],
    [{ errno: 3032, code: 'ER_SERVER_OFFLINE_MODE' }, false, true, false],
    [{ code: 'NO_WRITABLE_SERVER' }, false, true, false],
    [{ errno: 1969, code: 'ER_STATEMENT_TIMEOUT' }, false, true, false],
    [{ errno: 3024, code: 'ER_QUERY_TIMEOUT' }, false, true, false],
    [{ code: 'PROTOCOL_SEQUENCE_TIMEOUT', fatal: true }, false, true, false],
    [{ code: 'THREAD_ENDED' }, false, true, false],
    [{ code: 'SQLITE_FULL' }, false, true, false],
    [{ code: 'SQLITE_IOERR' }, false, true, false],
    [{ code: 'SQLITE_CORRUPT' }, false, true, false],
    [{ code: 'SQLITE_NOTADB' }, false, true, false],
    [{ errno: 1062, code: 'ER_DUP_ENTRY' }, false, false, true],
    [{ code: 'SQLITE_CONSTRAINT_UNIQUE' }, false, false, true],
    [{ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' }, false, false, true],
    [{ errno: 1452, code: 'ER_NO_REFERENCED_ROW_2' }, false, false, false],
    [{ errno: 1064, code: 'ER_PARSE_ERROR' }, false, false, false],
    [{ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' }, false, false, false],
    [{ code: 'ERR_SQLITE_ERROR' }, false, false, false],
    [{ errno: -2, code: 'ENOENT' }, false, false, false],
    [{}, false, false, false],
  ])('classifies %j alike when bare and when wrapped', (properties, retryable, unavailable, duplicate) => {
    const bare = driverError(properties);
    for (const error of [bare, new QueryFailedError('SELECT 1', [], bare)]) {
      expect({
        retryable: isRetryable(error),
        unavailable: isUnavailable(error),
        duplicate: isDuplicate(error),
      }).toEqual({ retryable, unavailable, duplicate });
    }
  });

  it('classifies LockTimeoutError as unavailable and not retryable', () => {
    expect(isRetryable(new LockTimeoutError(10))).toBe(false);
    expect(isUnavailable(new LockTimeoutError(10))).toBe(true);
  });

  it.each([undefined, null, 'SQLITE_BUSY', 1213, {}])('assigns no class to the non-error %j', (value) => {
    expect([isRetryable(value), isUnavailable(value), isDuplicate(value)]).toEqual([false, false, false]);
  });

  it.each(['fk_notification_user_id', 'fk_issue_assignee_id', 'fk_comment_created_user_id'])(
    'keeps the original error when the user constraint %s is violated',
    async (constraint) => {
      const sqlMessage = `a foreign key constraint fails (\`x\`.\`y\`, CONSTRAINT \`${constraint}\` FOREIGN KEY (\`z\`))`;
      const error = new QueryFailedError('INSERT', [], driverError({ errno: 1452, sqlMessage }));
      await expect(notFoundIfDeleted(Promise.reject(error), 'issue')).rejects.toBe(error);
      await expect(invalidIfDeleted(Promise.reject(error), 'issueId', 'Gone.')).rejects.toBe(error);
    },
  );

  it('turns a missing referenced resource into InvalidRequestError', async () => {
    const refused = InvalidRequestError.of('projectId', 'There is no such project.');
    const gone = new QueryFailedError('INSERT', [], driverError({ errno: 1452 }));
    for (const error of [gone, new NoResourceError('project')]) {
      await expect(
        invalidIfDeleted(Promise.reject(error), 'projectId', 'There is no such project.'),
      ).rejects.toEqual(refused);
    }
  });

  it.each([{ errno: 1452 }, { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' }])(
    'turns %j into NoResourceError and passes other errors on',
    async (properties) => {
      const gone = new QueryFailedError('INSERT', [], driverError(properties));
      await expect(notFoundIfDeleted(Promise.reject(gone), 'issue')).rejects.toEqual(
        new NoResourceError('issue'),
      );
      const other = driverError({ errno: 1062 });
      await expect(notFoundIfDeleted(Promise.reject(other), 'issue')).rejects.toBe(other);
      await expect(notFoundIfDeleted(Promise.resolve(7), 'issue')).resolves.toBe(7);
    },
  );
});
