import { QueryFailedError } from 'typeorm';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { LockTimeoutError } from '../sqlite/exclusive-lock';

export interface DriverError {
  errno?: number;
  code?: string;
  message?: string;
  sqlMessage?: string;
  /** Set by the MySQL driver on an error that ended the connection; some of these have neither a number nor a code. */
  fatal?: boolean;
}

/**
 * Errors of transactions that lost a race and may be retried as a whole: deadlock, lock wait timeout, stale snapshot, a table that a migration has
 * changed since the snapshot, busy writer.
 */
const DEADLOCK_NUMBER = 1213;
const RETRYABLE_NUMBERS = new Set([1020, 1205, 1412, DEADLOCK_NUMBER]);
const RETRYABLE_CODES = new Set(['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED']);

/** The server rejects this account or does not have the database. */
const REFUSED_NUMBERS = new Set([1044, 1045, 1049]);

/** The server is read-only, by an option, by its storage engine or by the default of its transactions. */
const READ_ONLY_NUMBERS = new Set([1290, 1792, 1836]);

/** The server is unreachable, temporarily refuses to work, or was too slow. */
const UNAVAILABLE_NUMBERS = new Set([
  ...REFUSED_NUMBERS,
  ...READ_ONLY_NUMBERS,
  1037,
  1040,
  1041,
  1042,
  1047,
  1053,
  1077,
  1129,
  1152,
  1158,
  1159,
  1160,
  1161,
  1180,
  1203,
  1226,
  1317,
  1927,
  1969,
  3024,
  3032,
  4031,
]);
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'NO_WRITABLE_SERVER',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_CLOSED',
  'POOL_QUEUE_FULL',
  'THREAD_ENDED',
  'SQLITE_BUSY',
  'SQLITE_BUSY_RECOVERY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
  'SQLITE_IOERR',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
]);

/** Foreign key violations: a row is still referenced, or references a missing row. */
const REFERENCE_NUMBERS = new Set([1451, 1452]);

const DUPLICATE_NUMBER = 1062;
const DUPLICATE_CODES = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

/** Whether the whole transaction may succeed if retried. */
export function isRetryable(error: unknown): boolean {
  // The caller has already waited the maximum time for the writer.
  if (error instanceof LockTimeoutError) return false;
  const { errno, code } = driverErrorOf(error);
  return RETRYABLE_NUMBERS.has(errno ?? 0) || RETRYABLE_CODES.has(code ?? '');
}

/** Whether a server has ended a statement in favour of another one. */
export const isDeadlock = (error: unknown): boolean => driverErrorOf(error).errno === DEADLOCK_NUMBER;

/** Whether the database is unreachable or temporarily unable to work, which is not the fault of the caller's input. */
export function isUnavailable(error: unknown): boolean {
  const { errno, code, fatal } = driverErrorOf(error);
  return (
    isRetryable(error) ||
    fatal === true ||
    UNAVAILABLE_NUMBERS.has(errno ?? 0) ||
    UNAVAILABLE_CODES.has(code ?? '')
  );
}

/** Whether the server rejects the account or database of `DATABASE_URL`, which waiting alone does not change. */
export const isRefused = (error: unknown): boolean => REFUSED_NUMBERS.has(driverErrorOf(error).errno ?? 0);

/** Whether the server has refused a write because it is read-only, such as a primary that has become a replica. */
export const isReadOnlyError = (error: unknown): boolean =>
  READ_ONLY_NUMBERS.has(driverErrorOf(error).errno ?? 0);

/** Whether a row with the same unique key already exists. */
export function isDuplicate(error: unknown): boolean {
  const { errno, code } = driverErrorOf(error);
  return errno === DUPLICATE_NUMBER || DUPLICATE_CODES.has(code ?? '');
}

/** Whether a row references a missing row, or is still referenced by another. */
export function isReferenceError(error: unknown): boolean {
  const { errno, code } = driverErrorOf(error);
  return REFERENCE_NUMBERS.has(errno ?? 0) || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Foreign keys to users. Servers report the violated constraint, the embedded database does not. */
const USER_FOREIGN_KEY = /CONSTRAINT `fk_\w+_(?:user_id|assignee_id|presenter_id)`/;

/** Whether a row references a missing row that is not known to be a user: a missing user does not mean that the parent is gone. */
const lacksParent = (error: unknown): boolean =>
  isReferenceError(error) && !USER_FOREIGN_KEY.test(driverErrorOf(error).sqlMessage ?? '');

/**
 * Awaits a statement that writes a unique name.
 * @throws InvalidRequestError for the field if the name is taken
 */
export async function invalidIfDuplicate<T>(
  statement: Promise<T>,
  field: string,
  message: string,
): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (isDuplicate(error)) throw InvalidRequestError.of(field, message);
    throw error;
  }
}

/**
 * Awaits work that references something that another request may be deleting.
 * @throws InvalidRequestError for the field if it is gone
 */
export async function invalidIfDeleted<T>(work: Promise<T>, field: string, message: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (lacksParent(error) || error instanceof NoResourceError) throw InvalidRequestError.of(field, message);
    throw error;
  }
}

/**
 * Awaits work that adds to something that another request may be deleting.
 * @param what its name in "No such …"
 * @throws NoResourceError if it is gone
 */
export async function notFoundIfDeleted<T>(work: Promise<T>, what: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (lacksParent(error)) throw new NoResourceError(what);
    throw error;
  }
}

/** Returns the driver's error behind an error. */
export function driverErrorOf(error: unknown): DriverError {
  if (error instanceof QueryFailedError) return error.driverError as DriverError;
  return typeof error === 'object' && error !== null ? error : {};
}
