import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';

/** A server to poll. */
export interface Polled {
  origin: string;
  pid: number;
}

/** The servers to poll; an empty list ends the polling, and the process sends the results. */
export type ProberCommand = readonly Polled[];

/** The longest response times of a server, in milliseconds. */
export interface Longest {
  /** As a client sees it. */
  seen: number;
  /** Without the time for which other processes had the processors; the same as `seen` where the system does not report that time. */
  own: number;
}

const PATH = '/health/live';
const INTERVAL_MS = 4;
const TIMEOUT_MS = 60_000;

let over = new AbortController();
let polling: Promise<Longest[]> = Promise.resolve([]);

/** Polls a server on one connection until the end of the polling. */
async function poll({ origin, pid }: Polled, signal: AbortSignal): Promise<Longest> {
  const client = new Client(origin, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const longest: Longest = { seen: 0, own: 0 };
  try {
    // Opens the connection.
    await look(client);
    while (!signal.aborted) {
      const waited = waitedOf(pid) + waitedOf(process.pid);
      const seen = await look(client);
      const own = seen - (waitedOf(pid) + waitedOf(process.pid) - waited);
      longest.seen = Math.max(longest.seen, seen);
      longest.own = Math.max(longest.own, own);
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

/** Returns for how long the main thread of a process has waited for a processor since its start, in milliseconds; 0 if it is unknown. */
function waitedOf(pid: number): number {
  try {
    const [, waited = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}

process.on('message', (servers: ProberCommand) => {
  if (servers.length === 0) {
    over.abort();
    void polling.then((longest) => process.send?.(longest));
    return;
  }
  over = new AbortController();
  const { signal } = over;
  polling = Promise.all(servers.map((server) => poll(server, signal)));
});
process.on('disconnect', () => process.exit());
