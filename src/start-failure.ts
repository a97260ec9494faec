import { EnvironmentError } from './config/environment';
import { StartRefusedError } from './database/connections/start-refused.error';

interface SystemError extends Error {
  code?: string;
  port?: number;
  address?: string;
}

/**
 * Explains a failed start, one line per problem, to readers who do not know the code.
 * @param failed the beginning of the message for an unknown error
 */
export function explainStartFailure(error: unknown, failed = 'The service could not start'): string[] {
  if (error instanceof EnvironmentError) return error.problems.map((problem) => `Bad setting: ${problem}`);
  if (error instanceof StartRefusedError) return [error.message];
  const { code, port, address, message } = innermost(error);
  switch (code) {
    case 'EADDRINUSE':
      return [`Port ${port} is in use. Set PORT to a free one.`];
    case 'EADDRNOTAVAIL':
      return [`This machine has no address ${address}. Set HOST to one it has, or to 0.0.0.0.`];
    case 'EACCES':
      return [`Permission denied: ${message}.`];
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
    case 'NO_WRITABLE_SERVER':
      return [`${message} Check DATABASE_URL, and which server is the primary.`];
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
    case 'SQLITE_READONLY':
      return [`The embedded database cannot be opened: ${message}. Check DATABASE_URL.`];
    default:
      return [`${failed}: ${message || String(error)}`];
  }
}

/** An `AggregateError` of several addresses has no useful message of its own; its first cause does. */
function innermost(error: unknown): SystemError {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error ? error : new Error(String(error));
}
