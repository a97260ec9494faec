import { setTimeout as sleep } from 'node:timers/promises';
import { parseServerUrl } from '../config/server-url';
import { isRefused, isUnavailable } from './database-errors';

/** How long startup is retried, in milliseconds: a cluster that has lost a node may need seconds to continue without it. */
const LIMIT_MS = 15_000;
const PAUSE_MS = 200;

/**
 * Runs the part of startup that uses the database, and retries it if `DATABASE_URL` names several servers and the current one has failed,
 * because another can take over. A failed attempt must leave nothing behind.
 * @param log receives a line for each retry
 */
export async function startWithServers<T>(
  databaseUrl: string,
  start: () => Promise<T>,
  log: (line: string) => void,
): Promise<T> {
  const hasSeveral = (parseServerUrl(databaseUrl)?.servers.length ?? 0) > 1;
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const canRepeat = hasSeveral && isUnavailable(error) && !isRefused(error);
      if (!canRepeat || performance.now() >= end) throw error;
      log(`Startup is retried, because a database server has failed: ${(error as Error).message}`);
      await sleep(PAUSE_MS);
    }
  }
}
