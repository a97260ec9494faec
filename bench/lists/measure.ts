import { performance } from 'node:perf_hooks';
import { Client } from 'undici';
import { median } from '../support/load';
import { BASE_PATH } from '../support/processes';
import { CALLERS } from './callers';
import { type List } from './list';
import { fillIn, type ListOperation, recordsOf } from './operations';
import { type Parameters } from './seeded-resource';

/** How often each list is requested. */
export interface Effort {
  warmUps: number;
  /** Minimum number of pairs of requests, which are repeated for at least `time` milliseconds… */
  requests: number;
  time: number;
  /** …but for no more than this many milliseconds, once there are a few. */
  limit: number;
}

const FEWEST = 5;
const TIMEOUT_MS = 120_000;

/** A service on a database of one size, and the seeded values. */
export interface Side {
  client: Client;
  parameters: Parameters;
}

/** The result of one list on one size. */
export interface Measured {
  /** Median, in milliseconds. */
  time: number;
  /** Records in the response, or the value of the count. */
  records: number;
}

/** Opens one persistent connection. */
export const connect = (origin: string): Client =>
  new Client(origin, { pipelining: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });

/** Requests a list from both sizes in turn, so that other activity on the machine affects both equally. */
export async function measureBoth(
  small: Side,
  large: Side,
  operation: ListOperation,
  list: List,
  effort: Effort,
): Promise<{ small: Measured; large: Measured }> {
  const ask = { small: buildRequest(small, operation, list), large: buildRequest(large, operation, list) };
  const records = { small: recordsOf((await ask.small()).body), large: recordsOf((await ask.large()).body) };
  for (let warmUp = 1; warmUp < effort.warmUps; warmUp++) {
    if ((await ask.small()).time + (await ask.large()).time > effort.time) break;
  }
  const times: { small: number[]; large: number[] } = { small: [], large: [] };
  const began = performance.now();
  const isEnough = (): boolean => {
    const asked = times.small.length;
    const elapsed = performance.now() - began;
    return asked >= effort.requests ? elapsed >= effort.time : asked >= FEWEST && elapsed >= effort.limit;
  };
  while (!isEnough()) {
    times.small.push((await ask.small()).time);
    times.large.push((await ask.large()).time);
  }
  return {
    small: { time: median(times.small), records: records.small },
    large: { time: median(times.large), records: records.large },
  };
}

/** Builds the request for one side. Sending it throws when the response is not a success. */
function buildRequest(
  { client, parameters }: Side,
  operation: ListOperation,
  list: List,
): () => Promise<{ body: string; time: number }> {
  const inPath = Object.fromEntries(
    Object.entries(list.path).map(([name, value]) => [name, fillIn(value, parameters)]),
  );
  const query = fillIn(list.query, parameters);
  const path =
    BASE_PATH + fillIn(operation.path, { ...parameters, ...inPath }) + (query === '' ? '' : `?${query}`);
  const headers = { 'x-api-key': CALLERS[list.caller].key };
  return async () => {
    const began = performance.now();
    const response = await client.request({ method: 'GET', path, headers });
    const body = await response.body.text();
    const time = performance.now() - began;
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${body}`);
    return { body, time };
  };
}
