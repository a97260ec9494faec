import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { residentMemory } from '../support/processes';

const HEALTH_INTERVAL_MS = 10;
const MEMORY_INTERVAL_MS = 10;

/** Runs work while polling the service's liveness endpoint, and returns the response times in milliseconds. */
export async function watchHealth<T>(
  origin: string,
  work: () => Promise<T>,
): Promise<{ result: T; times: number[] }> {
  const client = new Client(origin);
  const times: number[] = [];
  try {
    const result = await pollDuring(HEALTH_INTERVAL_MS, work, async () => {
      const began = performance.now();
      const response = await client.request({ method: 'GET', path: '/health/live' });
      await response.body.dump();
      times.push(performance.now() - began);
      if (response.statusCode !== 200) throw new Error(`/health/live: ${response.statusCode}`);
    });
    return { result, times };
  } finally {
    await client.close();
  }
}

/** Runs work, and returns the peak growth of the process's memory, in MiB; undefined where the system does not report it. */
export async function watchMemory(pid: number, work: () => Promise<unknown>): Promise<number | undefined> {
  const before = await residentMemory(pid);
  let most = before;
  await pollDuring(MEMORY_INTERVAL_MS, work, async () => {
    most = Math.max(most ?? 0, (await residentMemory(pid)) ?? 0);
  });
  return before === undefined || most === undefined ? undefined : most - before;
}

/** Calls `look` at an interval until the work is done. */
async function pollDuring<T>(
  interval: number,
  work: () => Promise<T>,
  look: () => Promise<void>,
): Promise<T> {
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      await look();
      await sleep(interval);
    }
  })();
  try {
    const [result] = await Promise.all([work().finally(() => over.abort()), looking]);
    return result;
  } finally {
    over.abort();
  }
}
