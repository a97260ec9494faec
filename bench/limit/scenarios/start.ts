import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../support/load';
import { type Sizes } from '../../support/options';
import { residentMemory, startService } from '../../support/processes';
import { bound, type BoundResult } from '../report';
import { type Workspace } from '../../support/workspace';

const START_TARGET_MS = 1500;
/** Newer versions of Node are larger programs. */
const MEMORY_TARGET_MIB = process.versions.node.startsWith('20.') ? 120 : 150;
const IDLE_MS = 5000;

/** Scenario 5: the time until the service is ready on an existing database, and its memory when idle. */
export async function measureStart(
  workspace: Workspace,
  databaseUrl: string,
  sizes: Sizes,
): Promise<BoundResult[]> {
  const times: number[] = [];
  let memory: number | undefined;
  for (let start = 1; start <= sizes.starts; start++) {
    const service = await startService(workspace, databaseUrl);
    times.push(service.startTime);
    if (start === sizes.starts) {
      await sleep(IDLE_MS);
      memory = await residentMemory(service.pid);
    }
    await service.stop();
  }
  return [
    bound('ready after the start', median(times), 'ms', START_TARGET_MS),
    ...(memory === undefined ? [] : [bound('resident memory, idle', memory, 'MiB', MEMORY_TARGET_MIB)]),
  ];
}
