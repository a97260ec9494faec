import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { percentile } from './percentile';

/** A server to poll. */
export interface Polled {
  origin: string;
  pid: number;
}

/**
 * The servers to poll; the process sends an empty list once it polls them. An empty list ends the polling, and the process sends the
 * results.
 */
export type ProberCommand = readonly Polled[];

/** The response times of a server, in milliseconds. */
export interface ResponseTimes {
  /** The longest, as a client sees it. */
  seen: number;
  /** The longest without the server's wait for a processor; the same as `seen` where the system does not report that wait. */
  own: number;
  /** The 99th percentile, as a client sees it. */
  p99: number;
}

const PATH = '/health/live';
const INTERVAL_MS = 4;
const TIMEOUT_MS = 60_000;

let over = new AbortController();
let polling: Promise<ResponseTimes[]> = Promise.resolve([]);

/** Opens a connection to a server. */
async function connect({ origin }: Polled): Promise<Client> {
  const client = new Client(origin, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  await look(client);
  return client;
}

/** Polls a server until the end of the polling. */
async function poll(client: Client, pid: number, signal: AbortSignal): Promise<ResponseTimes> {
  const times: number[] = [];
  let [longest, own] = [0, 0];
  try {
    while (!signal.aborted) {
      const waited = waitedOf(pid);
      const seen = await look(client);
      times.push(seen);
      longest = Math.max(longest, seen);
      own = Math.max(own, seen - (waitedOf(pid) - waited));
      await sleep(INTERVAL_MS);
    }
    return { seen: longest, own, p99: percentile(times, 0.99) };
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

async function begin(servers: readonly Polled[]): Promise<void> {
  const clients = await Promise.all(servers.map(connect));
  over = new AbortController();
  const { signal } = over;
  polling = Promise.all(servers.map(({ pid }, index) => poll(clients[index] as Client, pid, signal)));
  process.send?.([]);
}

async function end(): Promise<void> {
  over.abort();
  process.send?.(await polling);
}

process.on('message', (servers: ProberCommand) => void (servers.length === 0 ? end() : begin(servers)));
process.on('disconnect', () => process.exit());
