import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseName, type DatabaseOptions } from '../support/options';
import { startServer, startService } from '../support/processes';
import { Prober } from '../support/prober';
import { type ResponseTimes } from '../support/prober-process';
import { progress } from '../support/progress';
import { withSeedDatabase } from '../support/seed-database';
import { productOf, type Workspace } from '../support/workspace';
import { METRICS_TOKEN, StallClient } from './client';
import { STALL_ROWS, type StallContext } from './rows';
import { seedStalls, type StallSizes } from './seeding';

/** The longest response times of `/health/live` during some work. */
export interface Stall {
  database: string;
  row: string;
  /** Duration of the work, in milliseconds. */
  took: number;
  service: ResponseTimes;
  /** Those of a process that does nothing, at the same time. */
  idle: ResponseTimes;
}

const IDLE_MS = 5000;

/**
 * Drives all work on a new database, and measures how long the service answers no other request during it.
 * @param only measures only rows whose names contain this text
 */
export async function measureStalls(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  sizes: StallSizes,
  only = '',
): Promise<Stall[]> {
  const url = await workspace.createDatabase(database, serverUrl);
  const product = productOf(url);
  const show = (step: string): void => progress(product, step);
  show('seeding');
  const seeded = await withSeedDatabase(workspace, url, (seeding) => seedStalls(seeding, sizes));
  const idle = await startServer(workspace, join(__dirname, 'idle-server.js'), {});
  const prober = Prober.start(workspace);
  const service = await startService(workspace, url, { METRICS_TOKEN, RATE_LIMIT_ICON: '10000000' });
  const client = new StallClient(service.origin);
  const context: StallContext = { workspace, databaseUrl: url, client, seeded, sizes };

  const stalls: Stall[] = [];
  const measure = async (row: string, run: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    const [ofService, ofIdle] = (await prober.during([service, idle], run)) as [ResponseTimes, ResponseTimes];
    const took = performance.now() - began;
    show(`${row}: ${Math.round(ofService.own)} ms`);
    stalls.push({ database: product, row, took, service: ofService, idle: ofIdle });
  };
  for (const { name, prepare, run } of STALL_ROWS) {
    if (!name(sizes).includes(only)) continue;
    await prepare?.(context);
    await measure(name(sizes), () => run(context));
  }
  await measure('nothing', () => sleep(IDLE_MS));
  await service.stop();
  return stalls;
}
