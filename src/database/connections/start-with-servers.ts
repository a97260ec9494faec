import { setTimeout as sleep } from 'node:timers/promises';
import { parseServerUrl } from '../../config/server-url';
import { isRefused, isUnavailable } from './database-errors';
import { NoWritableServerError } from '../mysql/no-writable-server.error';

/** How long startup is retried, in milliseconds: a cluster that has lost a node may need seconds to continue without it. */
const LIMIT_MS = 15_000;
const PAUSE_MS = 200;

/**
 * Runs the part of startup that uses the database, and retries it if no server accepts writes, or if `DATABASE_URL` names several servers and
 * the current one has failed, because another can take over. A failed attempt must leave nothing behind.
 * @param log receives a line for each reason for a retry
 */
export async function startWithServers<T>(
  databaseUrl: string,
  start: () => Promise<T>,
  log: (line: string) => void,
): Promise<T> {
  const hasSeveral = (parseServerUrl(databaseUrl)?.servers.length ?? 0) > 1;
  const end = performance.now() + LIMIT_MS;
  let logged: string | undefined;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const { message } = error as Error;
      const canRepeat =
        error instanceof NoWritableServerError || (hasSeveral && isUnavailable(error) && !isRefused(error));
      if (!canRepeat || performance.now() >= end) throw error;
      if (message !== logged) log(`Startup is retried, because the database cannot be used: ${message}`);
      logged = message;
      await sleep(PAUSE_MS);
    }
  }
}
