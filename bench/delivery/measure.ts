import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure } from '../support/figures';
import { type DatabaseName, type DatabaseOptions } from '../support/options';
import { residentMemory, type Server, startService } from '../support/processes';
import { withSeeder } from '../support/seed';
import { productOf, type Workspace } from '../support/workspace';
import { Backlog } from './backlog';
import { measureLatency } from './latency';
import { Receiver } from '../support/receiver';
import { addWebhook } from '../support/webhooks';

/** Number of deliveries in each scenario. */
export interface DeliverySizes {
  backlog: number;
  idleComments: number;
  isolationComments: number;
  /** Deliveries to each hanging endpoint. */
  hangingBacklog: number;
  pending: number;
}

const WEBHOOKS = 10;
const HANGING_WEBHOOKS = 5;
const IDLE_PAUSE_MS = 50;
const ISOLATION_PAUSE_MS = 40;
/** Time for the hanging endpoints to occupy all that they can, in milliseconds. */
const HANGING_LEAD_MS = 2000;
const MEMORY_INTERVAL_MS = 100;
const DRAIN_TIMEOUT_MS = 120_000;
const SETTINGS = { WEBHOOK_ALLOW: '127.0.0.0/8' };

const TARGETS: Record<DatabaseName, { rate: number; idle: number }> = {
  sqlite: { rate: 1000, idle: 250 },
  server: { rate: 500, idle: 500 },
};
const ISOLATION_TARGET_MS = 2000;
const START_TARGET_MS = 3000;
const MEMORY_TARGET = 1.15;

/** Measures the delivery on one database, with the service's own settings. */
export async function measureDelivery(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  sizes: DeliverySizes,
): Promise<Figure[]> {
  const url = await workspace.createDatabase(database, serverUrl);
  const label = productOf(url);
  const figures: Figure[] = [];
  const report = (scenario: string, value: number, unit: string, target: number, isLeast = false): void => {
    figures.push({ database: label, scenario, value, unit, target, isLeast });
  };
  await withSeeder(workspace, url, (seeder) => seeder.seed({ comments: 0, users: 2 }));
  const receiver = await Receiver.start(workspace);
  const start = (): Promise<Server> => startService(workspace, url, SETTINGS);

  let service = await start();
  const healthy = await addWebhooks(service, `${receiver.origin}/hooks`, WEBHOOKS);
  await service.stop();
  await withBacklog(url, (backlog) => backlog.add(sizes.backlog / WEBHOOKS, healthy));
  service = await start();
  const first = await deliver(service, receiver, sizes.backlog);
  report(
    `${count(sizes.backlog)} due deliveries to ${WEBHOOKS} webhooks`,
    first.rate,
    'per s',
    TARGETS[database].rate,
    true,
  );

  const idle = await measureLatency(service, receiver, {
    comments: sizes.idleComments,
    pause: IDLE_PAUSE_MS,
    webhooks: WEBHOOKS,
  });
  report('request to arrival, idle, p50', idle.p50, 'ms', TARGETS[database].idle);
  report('request to arrival, idle, p99', idle.p99, 'ms', TARGETS[database].idle);

  const hanging = await addWebhooks(service, `${receiver.origin}/hanging`, HANGING_WEBHOOKS);
  await service.stop();
  await withBacklog(url, (backlog) => backlog.add(sizes.hangingBacklog, hanging));
  service = await start();
  await sleep(HANGING_LEAD_MS);
  const beside = await measureLatency(service, receiver, {
    comments: sizes.isolationComments,
    pause: ISOLATION_PAUSE_MS,
    webhooks: WEBHOOKS,
  });
  report(
    `request to arrival beside ${HANGING_WEBHOOKS} that hang, p99`,
    beside.p99,
    'ms',
    ISOLATION_TARGET_MS,
  );
  // A graceful shutdown would wait for the hanging deliveries.
  await service.kill();

  await receiver.clear();
  await withBacklog(url, async (backlog) => {
    await backlog.removeWebhooks(hanging);
    await backlog.add(sizes.pending / WEBHOOKS, healthy);
  });
  service = await start();
  report(`ready with ${count(sizes.pending)} pending`, service.startTime, 'ms', START_TARGET_MS);
  const last = await deliver(service, receiver, sizes.backlog);
  if (first.memory !== undefined && last.memory !== undefined) {
    report(
      `memory delivering with ${count(sizes.pending)} pending, against ${count(sizes.backlog)}`,
      last.memory / first.memory,
      `× ${first.memory.toFixed(0)} MiB`,
      MEMORY_TARGET,
    );
  }
  await service.stop();
  return figures;
}

const count = (value: number): string => value.toLocaleString('en');

async function addWebhooks({ origin }: Server, hookUrl: string, amount: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < amount) ids.push(await addWebhook(origin, `${hookUrl}/${ids.length}`));
  return ids;
}

async function withBacklog(databaseUrl: string, work: (backlog: Backlog) => Promise<void>): Promise<void> {
  const backlog = await Backlog.open(databaseUrl);
  try {
    await work(backlog);
  } finally {
    await backlog.close();
  }
}

/** Waits for deliveries, and returns the number that arrived per second and the peak memory of the service, in MiB. */
async function deliver(
  { pid }: Server,
  receiver: Receiver,
  amount: number,
): Promise<{ rate: number; memory: number | undefined }> {
  let memory: number | undefined;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const now = await residentMemory(pid);
      if (now !== undefined) memory = Math.max(memory ?? 0, now);
      await sleep(MEMORY_INTERVAL_MS);
    }
  })();
  try {
    const { different, firstAt, lastAt } = await receiver.waitFor(amount, DRAIN_TIMEOUT_MS);
    return { rate: different / ((lastAt - firstAt) / 1000), memory };
  } finally {
    over.abort();
    await watching;
  }
}
