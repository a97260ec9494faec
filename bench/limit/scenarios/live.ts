import { join } from 'node:path';
import { load } from '../../support/load';
import { type Sizes } from '../../support/options';
import { startService } from '../../support/processes';
import { Prober } from '../../support/prober';
import { type Seeded } from '../../support/seed';
import { type Workspace } from '../../support/workspace';
import { addRequests } from '../add-requests';
import { bound, type BoundResult } from '../report';

const TARGET_MS = 10;
const SLOW_DISK_TARGET_MS = 15;
/** Duration of each sync of a slow disk, in milliseconds. */
const SLOW_SYNC_MS = 20;

/** Scenario 3: writes by 16 clients do not delay the responses to others, also on a slow disk. */
export async function measureLive(
  workspace: Workspace,
  databaseUrl: string,
  seeded: Seeded,
  sizes: Sizes,
): Promise<BoundResult[]> {
  const scenario = 'GET /health/live during additions, p99';
  return [
    bound(scenario, await responseTime(workspace, databaseUrl, seeded, sizes, {}), 'ms', TARGET_MS),
    bound(
      `${scenario}, each sync takes ${SLOW_SYNC_MS} ms`,
      await responseTime(workspace, databaseUrl, seeded, sizes, {
        NODE_OPTIONS: `--require "${join(__dirname, '../server/slow-disk.js')}"`,
        SLOW_SYNC_MS: String(SLOW_SYNC_MS),
      }),
      'ms',
      SLOW_DISK_TARGET_MS,
    ),
  ];
}

/** Returns the 99th percentile of the response times of a service with these settings, in milliseconds. */
async function responseTime(
  workspace: Workspace,
  databaseUrl: string,
  seeded: Seeded,
  { roundSeconds, rounds, warmUpSeconds }: Sizes,
  settings: Record<string, string>,
): Promise<number> {
  const service = await startService(workspace, databaseUrl, settings);
  const requests = addRequests(seeded);
  await load(service.origin, requests, warmUpSeconds);
  const prober = Prober.start(workspace);
  const [times] = await prober.during([service], () => load(service.origin, requests, rounds * roundSeconds));
  await service.stop();
  return times?.p99 ?? Infinity;
}
