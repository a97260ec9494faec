import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type DatabaseName, type DatabaseOptions, databasesOf } from '../../support/options';
import { ADMIN_KEY, BASE_PATH, type Server, serviceEnvironment, startService } from '../../support/processes';
import { progress } from '../../support/progress';
import { report } from '../../support/report';
import { withSeedDatabase } from '../../support/seed-database';
import { table } from '../../support/table';
import { productOf, withWorkspace, type Workspace } from '../../support/workspace';
import { amountsOf, COMMENTS_PER_ISSUE } from '../population';
import { type Parameters } from '../seeded-resource';
import { seedLists } from '../seeding/seed-lists';
import { type RunReport } from './run';

const TIMEOUT_MS = 60 * 60_000;
const COMMENTS = 1_000_000;
const QUICK_COMMENTS = 20_000;
const WRITE_INTERVAL_MS = 20;
const MIB = 1024 * 1024;

/** Measures backups and restores; see `docs/benchmark.md#backups`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string' },
      quick: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  const options = databasesOf(values.database, process.env);
  const comments = values.quick ? QUICK_COMMENTS : COMMENTS;
  const rows: string[][] = [];
  for (const database of options.databases) {
    rows.push(
      ...(await withWorkspace(TIMEOUT_MS, (workspace) => measure(workspace, database, options, comments))),
    );
  }
  const head = ['', 'Rows', 'Time', 'Rows a second', 'Peak memory', 'Archive', 'Slowest write meanwhile'];
  await report(table(head, rows), { ...options, script: 'bench:backup', file: values.report });
}

async function measure(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  comments: number,
): Promise<string[][]> {
  const url = await workspace.createDatabase(database, serverUrl);
  const label = productOf(url);
  progress(label, `seeding ${comments} comments`);
  const parameters = await withSeedDatabase(workspace, url, (seeded) =>
    seedLists(seeded, amountsOf(comments / COMMENTS_PER_ISSUE)),
  );
  const archive = join(workspace.folder, 'backup.tar.gz');
  const service = await startService(workspace, url);
  progress(label, 'backup');
  const writer = new Writer(service, parameters);
  const backup = await runProcess('backup', archive, serviceEnvironment(url, workspace.folder));
  const slowest = await writer.stop();
  await service.stop();
  const bytes = (await stat(archive)).size;
  progress(label, 'restore');
  const target = await workspace.createDatabase(database, serverUrl, 'restored.db');
  const settings = serviceEnvironment(target, join(workspace.folder, 'restored'));
  const restore = await runProcess('restore', archive, settings);
  const row = (name: string, run: RunReport, size: string, write: string): string[] => [
    `${label}: ${name}`,
    run.rows.toLocaleString('en'),
    `${run.seconds.toFixed(0)} s`,
    Math.round(run.rows / run.seconds).toLocaleString('en'),
    `${run.peakMemory.toFixed(0)} MiB`,
    size,
    write,
  ];
  return [
    row('backup', backup, `${(bytes / MIB).toFixed(0)} MiB`, `${slowest.toFixed(0)} ms`),
    row('restore', restore, '', ''),
  ];
}

/** Runs one command in a separate process, whose memory is measured. */
async function runProcess(
  action: 'backup' | 'restore',
  path: string,
  environment: Record<string, string>,
): Promise<RunReport> {
  const parameters = ['--disable-warning=ExperimentalWarning', join(__dirname, 'run.js'), action, path];
  const child = spawn(process.execPath, parameters, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The ${action} has ended with ${code}.`);
  return JSON.parse(output) as RunReport;
}

/** Adds a comment at intervals, and records the slowest response. */
class Writer {
  private readonly abort = new AbortController();
  private readonly done: Promise<number>;

  constructor(service: Server, parameters: Parameters) {
    this.done = this.write(`${service.origin}${BASE_PATH}/issues/${parameters.issueIdOrKey}/comments`);
  }

  /** Resolves with the duration of the slowest write, in milliseconds. */
  stop(): Promise<number> {
    this.abort.abort();
    return this.done;
  }

  private async write(url: string): Promise<number> {
    let slowest = 0;
    while (!this.abort.signal.aborted) {
      const began = performance.now();
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'X-API-Key': ADMIN_KEY, 'Content-Type': 'application/json' },
        body: JSON.stringify({ content: 'While a backup is made' }),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`The service has answered ${response.status}.`);
      slowest = Math.max(slowest, performance.now() - began);
      await sleep(WRITE_INTERVAL_MS);
    }
    return slowest;
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
