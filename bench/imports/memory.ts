import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure } from '../support/figures';
import { type DatabaseName, type DatabaseOptions } from '../support/options';
import { launchCommand, residentMemory, serviceEnvironment, startService } from '../support/processes';
import { progress } from '../support/progress';
import { productOf, type Workspace } from '../support/workspace';
import { writeCsv } from './csv-file';
import { type MoveSizes } from './population';
import { importSettings } from './settings';

const SMALL_ISSUES = 1000;
/** How much more memory a large import may take than a small one, in MiB. */
const GROWTH_TARGET = 64;
const POLL_MS = 50;

/** Imports a small and a large CSV file, and compares the memory of the command. */
export async function measureMemory(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  { issues, comments }: MoveSizes,
): Promise<Figure[]> {
  const memory: number[] = [];
  let label = '';
  for (const [index, count] of [SMALL_ISSUES, issues].entries()) {
    const url = await workspace.createDatabase(database, serverUrl, `memory-${index}.db`);
    label = productOf(url);
    progress(label, `importing ${count} issues with ${comments} comments each`);
    const settings = importSettings(workspace, `memory-${index}`);
    // The first start adds the administrator.
    await (await startService(workspace, url, settings)).stop();
    const words = await writeCsv(workspace.folder, `SIZE${index}`, { issues: count, comments });
    const begun = performance.now();
    const environment = { ...serviceEnvironment(url, workspace.folder), ...settings };
    const command = launchCommand(workspace, environment, 'import', ...words);
    memory.push(await mostMemory(command.pid, command.exited));
    const code = await command.exited;
    if (code !== 0) throw new Error(`The import has ended with ${code}: ${command.output()}`);
    const seconds = (performance.now() - begun) / 1000;
    progress(label, `${Math.round(memory[index] as number)} MiB, ${Math.round(seconds)} s`);
  }
  const [small = 0, large = 0] = memory;
  return [
    {
      ...{ database: label, scenario: `memory for ${issues} issues, more than for ${SMALL_ISSUES}` },
      ...{ value: large - small, unit: 'MiB', target: GROWTH_TARGET, isLeast: false },
    },
  ];
}

/** Returns the most memory that a process has had before its end, in MiB. */
async function mostMemory(pid: number, exited: Promise<unknown>): Promise<number> {
  const ended = exited.then(() => true);
  let most = 0;
  do {
    most = Math.max(most, (await residentMemory(pid).catch(() => undefined)) ?? 0);
  } while (!(await Promise.race([ended, sleep(POLL_MS, false)])));
  return most;
}
