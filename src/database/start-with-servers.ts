import { setTimeout as sleep } from 'node:timers/promises';
import { parseServerUrl } from '../config/server-url';
import { isRefused, isUnavailable } from './database-errors';

/** How long a start is begun again, in milliseconds: a cluster that has lost a node can need seconds to go on without it. */
const LIMIT_MS = 15_000;
const PAUSE_MS = 200;

/**
 * Runs what a start needs the database for, and runs it again where `DATABASE_URL` names several servers and the one in use has
 * failed meanwhile: another can take over. What has failed must have left nothing behind.
 * @param log receives a line for each repetition
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
      log(`The start is repeated, because a database server has failed: ${(error as Error).message}`);
      await sleep(PAUSE_MS);
    }
  }
}
