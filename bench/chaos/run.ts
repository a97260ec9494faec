import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { ActivityType } from '../../src/activities/activity-type';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/connections/data-source';
import { Receiver } from '../support/receiver';
import { folderOfRepository, hasGit } from '../support/git';
import { addWebhook } from '../support/webhooks';
import { type DatabaseName } from '../support/options';
import { withSeeder } from '../support/seed';
import { productOf, type Workspace } from '../support/workspace';
import { Cluster } from '../support/cluster';
import { compareFinalState, type Subscription } from './comparison';
import { type Differences } from './differences';
import { Ledger } from './ledger';
import { Random } from '../support/random';
import { Pusher } from './pusher';
import { countPending, findRepositoryId, readRecordedRefs, readRecords } from './records';
import { readRefs, readRepository } from './repository';
import { Services } from './services';
import { readStorage } from './storage';
import { type Target, Writer } from './writer';

/** The databases of a run: those of the other benchmarks, or a cluster. */
export type ChaosDatabase = DatabaseName | 'galera';

/** The parameters of one run. */
export interface RunPlan {
  database: ChaosDatabase;
  serverUrl: string | undefined;
  processes: number;
  /** Number of processes killed; on a cluster, as many nodes are killed in between. */
  kills: number;
  writes: number;
  /** Percentage of the actions that are pushes, which are not counted as writes. */
  pushes: number;
  seed: number;
  /** Time after which the run ends early, in milliseconds. */
  timeout: number;
}

/** The result of one run. */
export interface RunResult extends Differences {
  database: string;
  processes: number;
  seed: number;
  kills: number;
  /** Number of cluster nodes killed. */
  nodeKills: number;
  acknowledged: number;
  /** Writes cut off by a kill, which may or may not exist. */
  cutOff: number;
  refused: number;
  /** Pushes confirmed by git; undefined without git. */
  pushes: number | undefined;
  pushesCutOff: number;
  deliveries: number;
  unexpected: string[];
  seconds: number;
}

const WRITERS = 8;
const WRITERS_ON_CLUSTER = 6;
const USERS = 30;
/** A page holds up to a hundred files. */
const WRITABLE = { comments: 4000, wikiPages: 200 };
const PAUSE_MS = 5;
/** Writers wait for a kill once they exceed their share of the writes by this factor. */
const LEAD = 1.25;
const DRAIN_TIMEOUT_MS = 90_000;
const LOOK_INTERVAL_MS = 200;
/** No limits on unattached files, because uploads whose attachment was refused are never attached later. */
const ALLOW = { WEBHOOK_ALLOW: '127.0.0.0/8', MAX_UNATTACHED_FILES: '0', MAX_UNATTACHED_BYTES: '0' };
/** Short leases and short retry delays, so that deliveries recover soon from kills and refusals. */
const QUICK = {
  ...ALLOW,
  WEBHOOK_TIMEOUT: '1',
  WEBHOOK_LEASE: '6',
  WEBHOOK_POLL_INTERVAL: '200',
  WEBHOOK_RETRY_DELAYS: Array(20).fill('1').join(','),
  WEBHOOK_CIRCUIT_FAILURES: '1000',
};

/** Writes to a service while its processes are killed, and compares the state afterwards. */
export async function run(workspace: Workspace, plan: RunPlan): Promise<RunResult> {
  const began = performance.now();
  const cluster = plan.database === 'galera' ? await Cluster.start(workspace) : undefined;
  const url = cluster
    ? await workspace.createDatabase('server', cluster.serverUrl)
    : await workspace.createDatabase(plan.database as DatabaseName, plan.serverUrl);
  const name = new URL(url).pathname.slice(1);
  const target = await withSeeder(workspace, url, async (seeder) => {
    const seeded = await seeder.seed({ comments: 0, users: USERS });
    return { ...seeded, ...(await seeder.seedWritable(seeded, WRITABLE)) };
  });
  const receiver = await Receiver.start(workspace);
  const isHealthy = plan.kills === 0;
  // A writer may upload through one process and attach through another.
  const urlOf = (position: number): string =>
    cluster ? `${cluster.urlFrom(position, name)}?wsrep-sync-wait=1` : url;
  const services = await Services.start(workspace, urlOf, plan.processes, isHealthy ? ALLOW : QUICK);
  const [origin = ''] = services.origins;
  const subscriptions = await subscribe(origin, receiver.origin, isHealthy ? '/hooks/some' : '/flaky/some');
  const ledger = new Ledger();
  const clones = hasGit() ? join(workspace.folder, 'clones') : undefined;
  const { kills, nodeKills } = await writeAndKill(plan, { services, cluster, clones }, ledger, {
    origins: services.origins,
    userIds: target.userIds.slice(1),
    wikiIds: target.wikiIds,
    reviewCommentIds: target.reviewCommentIds,
    pushes: plan.pushes / 100,
  });
  await services.ready();
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 1 }, entities, true);
  await dataSource.initialize();
  try {
    const repository =
      clones === undefined ? undefined : folderOfRepository(workspace, await findRepositoryId(dataSource));
    await drain(dataSource, repository);
    await services.stop();
    const records = await readRecords(dataSource);
    const differences = compareFinalState({
      ledger,
      records,
      received: await receiver.records(),
      repository: repository === undefined ? undefined : await readRepository(repository),
      storage: await readStorage(join(workspace.folder, 'files')),
      subscriptions,
    });
    differences.lost.push(...((await cluster?.differences(name)) ?? []));
    return {
      ...differences,
      database: cluster ? 'Galera' : productOf(url),
      processes: plan.processes,
      seed: plan.seed,
      kills,
      nodeKills,
      acknowledged: ledger.acknowledged,
      cutOff: ledger.cutOff,
      refused: ledger.refused,
      pushes: clones === undefined ? undefined : ledger.pushes.filter(({ isAccepted }) => isAccepted).length,
      pushesCutOff: ledger.pushesCutOff,
      unexpected: ledger.unexpected,
      deliveries: records.deliveries.length,
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    await dataSource.destroy();
  }
}

/** Adds one webhook for every activity, and one for some, which in a run with kills refuses a request now and then. */
async function subscribe(origin: string, receiver: string, somePath: string): Promise<Subscription[]> {
  const some: readonly ActivityType[] = [ActivityType.IssueCommented, ActivityType.WikiUpdated];
  const allPath = '/hooks/all';
  return [
    {
      webhookId: await addWebhook(origin, receiver + allPath),
      path: allPath,
      wants: () => true,
    },
    {
      webhookId: await addWebhook(origin, receiver + somePath, some),
      path: somePath,
      wants: (type) => some.includes(type),
    },
  ];
}

/** The processes and nodes to write to and kill, and the parent folder of the clones. */
interface Surroundings {
  services: Services;
  cluster: Cluster | undefined;
  /** Undefined without git. */
  clones: string | undefined;
}

/** @returns the number of kills */
async function writeAndKill(
  plan: RunPlan,
  { services, cluster, clones }: Surroundings,
  ledger: Ledger,
  target: Target,
): Promise<{ kills: number; nodeKills: number }> {
  const end = performance.now() + plan.timeout;
  const writerCount = cluster ? WRITERS_ON_CLUSTER : WRITERS;
  let kills = 0;
  let nodeKills = 0;
  const isOver = (): boolean =>
    (kills >= plan.kills && ledger.acknowledged >= plan.writes) || performance.now() > end;
  // Spreads the writes over the kills, so that each kill hits writes.
  const allowed = (): number =>
    kills < plan.kills ? (plan.writes / plan.kills) * (kills + 1) * LEAD : Infinity;
  const share = Math.floor(target.reviewCommentIds.length / writerCount);
  const writers = Array.from({ length: writerCount }, async (_, index) => {
    const own = target.reviewCommentIds.slice(index * share, (index + 1) * share);
    const random = new Random(plan.seed + 1 + index);
    const name = `w${index}`;
    const pusher = clones === undefined ? undefined : await Pusher.make(name, clones, ledger, random);
    const writer = new Writer(name, { ...target, reviewCommentIds: own }, ledger, random, pusher);
    while (!isOver()) {
      if (ledger.acknowledged < allowed()) await writer.write();
      else await sleep(PAUSE_MS);
    }
  });
  const random = new Random(plan.seed);
  while (kills < plan.kills && !isOver()) {
    if (cluster) {
      await cluster.killOne(random);
      nodeKills++;
    }
    await services.killOne(random);
    kills++;
  }
  await Promise.all(writers);
  return { kills, nodeKills };
}

/**
 * Waits until the accepted pushes are recorded and no delivery is pending. After the timeout, the comparison reports the rest as
 * missing.
 * @param repository undefined without git
 */
async function drain(dataSource: DataSource, repository: string | undefined): Promise<void> {
  const deadline = performance.now() + DRAIN_TIMEOUT_MS;
  const isDone = async (): Promise<boolean> =>
    (repository === undefined || (await isRecorded(dataSource, repository))) &&
    (await countPending(dataSource)) === 0;
  while (!(await isDone()) && performance.now() < deadline) await sleep(LOOK_INTERVAL_MS);
}

/** Whether the database has the same branches and tags as the repository. */
async function isRecorded(dataSource: DataSource, repository: string): Promise<boolean> {
  const refs = await readRefs(repository);
  const recorded = await readRecordedRefs(dataSource, await findRepositoryId(dataSource));
  return refs.size === recorded.size && [...refs].every(([ref, hash]) => recorded.get(ref) === hash);
}
