import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../support/percentile';
import { ADMIN_KEY, BASE_PATH, type Server } from '../support/processes';
import { ISSUES, PROJECT_KEY } from '../support/seed';
import { type Receiver } from '../support/receiver';

/** Milliseconds from the start of a request to the arrival of its deliveries. */
export interface Latency {
  p50: number;
  p99: number;
}

const TIMEOUT_MS = 30_000;

/**
 * Adds comments one after another with pauses in between, and measures from before each request to the arrival of each of its
 * deliveries, which is longer than from the commit.
 * @param webhooks number of webhooks that receive each comment
 */
export async function measureLatency(
  { origin }: Server,
  receiver: Receiver,
  { comments, pause, webhooks }: { comments: number; pause: number; webhooks: number },
): Promise<Latency> {
  await receiver.clear();
  const startedById = new Map<number, number>();
  for (let index = 0; index < comments; index++) {
    const started = performance.timeOrigin + performance.now();
    startedById.set(await addComment(origin, index), started);
    await sleep(pause);
  }
  await receiver.waitFor(comments * webhooks, TIMEOUT_MS);
  const times: number[] = [];
  for (const { commentId, firstAt } of await receiver.records()) {
    const started = startedById.get(commentId);
    if (started !== undefined) times.push(firstAt - started);
  }
  if (times.length < comments * webhooks) throw new Error('Something else has arrived.');
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

async function addComment(origin: string, index: number): Promise<number> {
  const response = await fetch(
    `${origin}${BASE_PATH}/issues/${PROJECT_KEY}-${1 + (index % ISSUES)}/comments`,
    {
      method: 'POST',
      headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ content: `Comment ${index}` }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  const body = (await response.json()) as { id: number };
  if (response.status !== 201) throw new Error(`A comment was refused: ${JSON.stringify(body)}`);
  return body.id;
}
