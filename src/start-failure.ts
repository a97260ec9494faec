import { EnvironmentError } from './config/environment';
import { StartRefusedError } from './database/start-refused.error';

interface SystemError extends Error {
  code?: string;
  port?: number;
  address?: string;
}

/**
 * What went wrong at start, one clear line for each thing, for somebody who does not know the code.
 * @param failed says of anything unknown what could not be done
 */
export function explainStartFailure(error: unknown, failed = 'The service could not start'): string[] {
  if (error instanceof EnvironmentError) return error.problems.map((problem) => `Bad setting: ${problem}`);
  if (error instanceof StartRefusedError) return [error.message];
  const { code, port, address, message } = innermost(error);
  switch (code) {
    case 'EADDRINUSE':
      return [`Port ${port} is taken. Set PORT to a free one.`];
    case 'EADDRNOTAVAIL':
      return [`This machine has no address ${address}. Set HOST to one it has, or to 0.0.0.0.`];
    case 'EACCES':
      return [`Not allowed: ${message}.`];
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return [`The database cannot be reached: ${message || code}. Check DATABASE_URL.`];
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_DBACCESS_DENIED_ERROR':
    case 'ER_BAD_DB_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return [`The database refuses the connection: ${message}. Check DATABASE_URL.`];
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
    case 'SQLITE_READONLY':
      return [`The embedded database cannot be opened: ${message}. Check DATABASE_URL.`];
    default:
      return [`${failed}: ${message || String(error)}`];
  }
}

/** An `AggregateError` of several addresses says nothing itself; its first cause does. */
function innermost(error: unknown): SystemError {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error ? error : new Error(String(error));
}
