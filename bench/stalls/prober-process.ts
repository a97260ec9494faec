import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';

/** The origins to poll; an empty list ends the polling, and the process sends the results. */
export type ProberCommand = readonly string[];

/** The longest response time of each origin, in milliseconds, in the order of the command. */
export type ProberResult = readonly number[];

const PATH = '/health/live';
const INTERVAL_MS = 4;
const TIMEOUT_MS = 60_000;

let over = new AbortController();
let polling: Promise<number[]> = Promise.resolve([]);

/** Polls an origin on one connection until the end of the polling, and returns the longest response time. */
async function poll(origin: string, signal: AbortSignal): Promise<number> {
  const client = new Client(origin, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  let longest = 0;
  try {
    // Opens the connection.
    await look(client);
    while (!signal.aborted) {
      longest = Math.max(longest, await look(client));
      await sleep(INTERVAL_MS);
    }
    return longest;
  } finally {
    await client.close();
  }
}

async function look(client: Client): Promise<number> {
  const began = performance.now();
  const { statusCode, body } = await client.request({ method: 'GET', path: PATH });
  await body.dump();
  if (statusCode !== 200) throw new Error(`${PATH}: ${statusCode}`);
  return performance.now() - began;
}

process.on('message', (origins: ProberCommand) => {
  if (origins.length === 0) {
    over.abort();
    void polling.then((longest) => process.send?.(longest));
    return;
  }
  over = new AbortController();
  const { signal } = over;
  polling = Promise.all(origins.map((origin) => poll(origin, signal)));
});
process.on('disconnect', () => process.exit());
