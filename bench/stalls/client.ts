import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY, BASE_PATH } from '../support/processes';

const TIMEOUT_MS = 120_000;
const WORK_TIMEOUT_MS = 180_000;
const LOOK_INTERVAL_MS = 250;

export const METRICS_TOKEN = 'token-of-the-benchmark';

/** Sends the administrator's requests, and waits for background work. */
export class StallClient {
  constructor(readonly origin: string) {}

  /**
   * Sends a request and returns the body of its response.
   * @param refusal the status of the refusal that is expected; without it, a refusal is an error
   */
  async send<T = unknown>(method: string, path: string, body?: object, refusal?: number): Promise<T> {
    const isForm = body instanceof FormData;
    const response = await fetch(this.origin + BASE_PATH + path, {
      method,
      headers: { 'x-api-key': ADMIN_KEY, ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (refusal === undefined ? !response.ok : response.status !== refusal) {
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 1000)}`);
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return (isJson ? JSON.parse(text) : text) as T;
  }

  /** Sends the same request a number of times at once. */
  async sendAtOnce(count: number, ...request: Parameters<StallClient['send']>): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.send(...request)));
  }

  /** Does something that starts background work, and waits until a run of the work has ended. */
  async untilDone(work: string, start: () => Promise<unknown>): Promise<void> {
    const before = await this.countRuns(work);
    await start();
    await this.whenRun(work, before + 1);
  }

  /** Waits until background work has run a number of times since the start. @throws Error when a run has failed */
  async whenRun(work: string, times: number): Promise<void> {
    const deadline = performance.now() + WORK_TIMEOUT_MS;
    while ((await this.countRuns(work)) < times) {
      if (performance.now() > deadline) throw new Error(`${work} has not ended.`);
      await sleep(LOOK_INTERVAL_MS);
    }
  }

  private async countRuns(work: string): Promise<number> {
    const response = await fetch(`${this.origin}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`/metrics: ${response.status} ${text}`);
    const runs = text.split('\n').filter((line) => {
      return line.startsWith('pms_background_runs_total{') && line.includes(`work="${work}"`);
    });
    if (runs.some((line) => line.includes('result="failure"') && !line.endsWith(' 0')))
      throw new Error(`${work} has failed.`);
    return runs.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }
}
