import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure } from '../support/figures';
import { type DatabaseName, type DatabaseOptions } from '../support/options';
import {
  ADMIN_KEY,
  type LaunchedCommand,
  launchCommand,
  residentMemory,
  type Server,
  serviceEnvironment,
  startService,
} from '../support/processes';
import { progress } from '../support/progress';
import { Random } from '../support/random';
import { productOf, type Workspace } from '../support/workspace';
import { CountingProxy } from './counting-proxy';
import { addressesOf, contentsOf, differences } from './contents';
import { type MoveSizes, populate, PROJECT } from './population';
import { importSettings } from './settings';
import { Space } from './space';

/** The extent of a measurement. */
export interface MeasuredSizes extends MoveSizes {
  kills: number;
  /** Whether the source has the limits of the family. */
  hasLimits: boolean;
}

/** The family's limits per minute. */
const LIMITS = { read: 600, search: 150 } as const;
const TIME_TARGET = 1.1;
const POLL_MS = 20;
/** On a server, the lease of a killed command lasts a minute. */
const LEASED = 'Another process works on import';
const LEASE_POLL_MS = 5000;
/** The part of the kills that hits the reading. */
const READING_KILLS = 0.75;
const SHOWN = 10;

/** Moves a project from one instance to another, and compares what both show. */
export async function measureMove(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  sizes: MeasuredSizes,
): Promise<Figure[]> {
  const [from, to] = [
    await workspace.createDatabase(database, serverUrl, 'from.db'),
    await workspace.createDatabase(database, serverUrl, 'to.db'),
  ];
  const label = productOf(from);
  const show = (step: string): void => progress(label, step);
  show(`adding ${sizes.issues} issues`);
  const settings = { RATE_LIMIT: 'off' };
  let source = await startService(workspace, from, settings);
  await populate(new Space(source.origin), workspace, sizes);
  if (sizes.hasLimits) {
    await source.stop();
    const limits = {
      RATE_LIMIT: 'on',
      RATE_LIMIT_READ: `${LIMITS.read}`,
      RATE_LIMIT_SEARCH: `${LIMITS.search}`,
    };
    source = await startService(workspace, from, limits);
  }
  const target = importSettings(workspace, 'to');
  // The first start adds the administrator.
  await (await startService(workspace, to, target)).stop();
  const proxy = await CountingProxy.start(workspace, source.origin);
  show('moving');
  const moved = await move(
    workspace,
    proxy,
    { ...serviceEnvironment(to, workspace.folder), ...target },
    sizes,
    show,
  );
  if (sizes.hasLimits) {
    await source.stop();
    source = await startService(workspace, from, settings);
  }
  show('comparing');
  const copy = await startService(workspace, to, { ...target, ...settings });
  const found = await compare(source, copy);
  for (const address of found.slice(0, SHOWN)) console.error(`differs: ${address}`);
  show(`the command has had ${Math.round(moved.memory)} MiB of memory`);
  return [
    {
      scenario: `objects that differ, after ${moved.kills} kills`,
      value: found.length,
      unit: 'addresses',
      target: 0,
    },
    { scenario: 'exit code', value: moved.exitCode, unit: '', target: 0 },
    ...(sizes.hasLimits
      ? [
          {
            scenario: 'reading, of the time that the limits dictate',
            value: moved.ratio,
            unit: '×',
            target: TIME_TARGET,
          },
        ]
      : []),
  ].map((figure) => ({ ...figure, database: label, isLeast: false }));
}

async function compare(source: Server, copy: Server): Promise<string[]> {
  const [before, after] = [new Space(source.origin), new Space(copy.origin)];
  const addresses = await addressesOf(before);
  return differences(await contentsOf(before, addresses), await contentsOf(after, addresses));
}

interface Moved {
  exitCode: number;
  kills: number;
  /** Time of the reading, divided by that which the limits dictate. */
  ratio: number;
  /** The most that a command has had, in MiB. */
  memory: number;
}

/** Runs the import, and kills it at random times, first of the reading and then of the writing. The same command goes on. */
async function move(
  workspace: Workspace,
  proxy: CountingProxy,
  environment: Record<string, string>,
  { kills, hasLimits }: MeasuredSizes,
  show: (step: string) => void,
): Promise<Moved> {
  const address = proxy.origin.replace('http', 'backlog+http');
  const words = ['import', address, '--key', ADMIN_KEY, '--project', PROJECT, '--keep-accounts'];
  const random = new Random(27);
  const moved: Moved = { exitCode: -1, kills: 0, ratio: 0, memory: 0 };
  const readingKills = Math.ceil(kills * READING_KILLS);
  for (;;) {
    const command = launchCommand(workspace, environment, ...words);
    const readingLimit =
      moved.kills < readingKills ? random.integer(2000, hasLimits ? 20_000 : 4000) : Infinity;
    const writingLimit = moved.kills < kills ? random.integer(0, 1500) : Infinity;
    const code = await ended(command, moved, { readingLimit, writingLimit });
    if (code === null) {
      moved.kills++;
      show(`kill ${moved.kills}: ${command.output().trim().split('\n').at(-1) ?? ''}`);
    } else if (command.output().includes(LEASED)) await sleep(LEASE_POLL_MS);
    else {
      moved.exitCode = code;
      if (code !== 0) console.error(command.output());
      moved.ratio = proxy.seconds / proxy.dictated(LIMITS);
      return moved;
    }
  }
}

/**
 * Waits for a command, and kills it after some time, in milliseconds: of reading, or of writing, which begins with the first line about it.
 * @returns its exit code; null if it was killed
 */
async function ended(
  command: LaunchedCommand,
  moved: Moved,
  { readingLimit, writingLimit }: { readingLimit: number; writingLimit: number },
): Promise<number | null> {
  const begun = performance.now();
  let writing: number | undefined;
  for (;;) {
    const code = await Promise.race([command.exited, sleep(POLL_MS).then(() => undefined)]);
    if (code !== undefined) return code;
    moved.memory = Math.max(moved.memory, (await residentMemory(command.pid).catch(() => undefined)) ?? 0);
    const now = performance.now();
    if (/import \d+\./i.test(command.output())) writing ??= now;
    if (now - begun > readingLimit || now - (writing ?? now) > writingLimit) {
      command.kill();
      return command.exited;
    }
  }
}
