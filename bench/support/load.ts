import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { ADMIN_KEY } from './processes';

/** One request of a scenario; a round of load sends the requests of a scenario in turn. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

/** The result of one round of load. */
export interface Measurement {
  requestsPerSecond: number;
  /** In milliseconds. */
  p50: number;
  /** In milliseconds. */
  p99: number;
}

const CONNECTIONS = 16;
const SETTLE_MS = 250;
const SETTLE_TIMEOUT_MS = 10_000;

/** Returns the headers of a request; the limit ignores the key. */
export const headersOf = ({ body }: LoadRequest): Record<string, string> => ({
  'x-api-key': ADMIN_KEY,
  ...(body !== undefined && { 'content-type': 'application/json' }),
});

/** Puts load on a server for some seconds. @throws Error when a response is not a success */
export async function load(
  origin: string,
  requests: readonly LoadRequest[],
  seconds: number,
): Promise<Measurement> {
  const result = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    duration: seconds,
    timeout: 10,
    requests: requests.map((request) => ({ ...request, headers: headersOf(request) })),
  });
  await settle(origin);
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${origin}: ${result.non2xx} answers were no success, ${result.errors} requests failed.`);
  }
  return {
    requestsPerSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/** Waits for the requests still in flight at the end of a round, so that they do not overlap the next. */
async function settle(origin: string): Promise<void> {
  await sleep(SETTLE_MS);
  const response = await fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(SETTLE_TIMEOUT_MS) });
  await response.arrayBuffer();
}

/** A server and the requests to send to it. */
export interface Contender {
  origin: string;
  requests: readonly LoadRequest[];
}

/** Puts load on the contenders in turn, so that other activity affects them equally, and returns the medians of each. */
export async function compare<Name extends string>(
  contenders: Record<Name, Contender>,
  plan: { rounds: number; seconds: number; warmUpSeconds: number },
): Promise<Record<Name, Measurement>> {
  const names = Object.keys(contenders) as Name[];
  for (const name of names) {
    await load(contenders[name].origin, contenders[name].requests, plan.warmUpSeconds);
  }
  const rounds: Record<Name, Measurement>[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    // Every other round is reversed, so that no contender always follows the heaviest.
    const order = round % 2 === 0 ? names : names.toReversed();
    const measured: Partial<Record<Name, Measurement>> = {};
    for (const name of order) {
      measured[name] = await load(contenders[name].origin, contenders[name].requests, plan.seconds);
    }
    rounds.push(measured as Record<Name, Measurement>);
  }
  return Object.fromEntries(
    names.map((name) => [name, medianOf(rounds.map((round) => round[name]))]),
  ) as Record<Name, Measurement>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

const medianOf = (rounds: readonly Measurement[]): Measurement => ({
  requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
  p50: median(rounds.map((round) => round.p50)),
  p99: median(rounds.map((round) => round.p99)),
});
