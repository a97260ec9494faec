import { parseArgs } from 'node:util';
import { type ChaosDatabase, run, type RunPlan, type RunResult } from './run';
import { hasGit } from '../support/git';
import { databasesOf, type DatabaseOptions } from '../support/options';
import { table } from '../support/table';
import { withWorkspace } from '../support/workspace';

/** Only for what hangs: three runs beside each other on a slow machine take as long as nine of a fast one. */
const TIMEOUT_MS = 70 * 60_000;
/** Time for seeding, starting, waiting for the last delivery and comparing. */
const REST_MS = 3 * 60_000;
const EXAMPLES = 10;
const PUSHES = 5;
const PROCESSES: Record<ChaosDatabase, number> = { sqlite: 1, server: 3, galera: 2 };

interface Options
  extends Omit<DatabaseOptions, 'databases'>, Pick<RunPlan, 'kills' | 'writes' | 'pushes' | 'seed'> {
  databases: ChaosDatabase[];
  /** Unset: three on a server, two on a cluster, one on the embedded database. */
  processes: number | undefined;
  /** True in a run without kills, in which no delivery may be repeated. */
  isHealthy: boolean;
}

/** Kills processes of the service under load and reports what was lost; see `docs/delivery.md#kills`. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (!hasGit()) console.log('There is no git on this machine: pushes are left out.');
  const results: RunResult[] = [];
  for (const database of options.databases) {
    const plan = planOf(database, options);
    console.log(`${database}: ${plan.kills} kills, ${plan.writes} writes, seed ${plan.seed}`);
    const result = await withWorkspace(TIMEOUT_MS + REST_MS, (workspace) => run(workspace, plan));
    for (const problem of problemsOf(result, plan, options)) {
      console.error(problem);
      process.exitCode = 1;
    }
    results.push(result);
  }
  console.log(`\n${toMarkdown(results)}`);
}

function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args,
    options: {
      database: { type: 'string' },
      engine: { type: 'string' },
      kills: { type: 'string' },
      writes: { type: 'string' },
      pushes: { type: 'string' },
      processes: { type: 'string' },
      seed: { type: 'string' },
      short: { type: 'boolean', default: false },
      healthy: { type: 'boolean', default: false },
    },
  });
  const isCluster = values.engine === 'galera';
  if (values.engine !== undefined && !isCluster) throw new Error('--engine must be galera.');
  const [kills, writes] = values.short ? [isCluster ? 3 : 8, 400] : [isCluster ? 20 : 200, 10_000];
  const { databases, serverUrl } = databasesOf(values.database, environment);
  return {
    databases: isCluster ? ['galera'] : databases,
    serverUrl,
    kills: values.healthy ? 0 : (integerOf('kills', values.kills) ?? kills),
    writes: integerOf('writes', values.writes) ?? writes,
    pushes: integerOf('pushes', values.pushes) ?? PUSHES,
    processes: integerOf('processes', values.processes),
    seed: integerOf('seed', values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    isHealthy: values.healthy,
  };
}

function integerOf(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${option} must be a whole number from 1.`);
  return Number(value);
}

function planOf(
  database: ChaosDatabase,
  { serverUrl, kills, writes, pushes, seed, processes }: Options,
): RunPlan {
  if (database === 'sqlite' && (processes ?? 1) > 1) {
    throw new Error('The embedded database is for one process.');
  }
  const count = processes ?? PROCESSES[database];
  return { database, serverUrl, kills, writes, pushes, seed, processes: count, timeout: TIMEOUT_MS };
}

/** Returns every unexpected result, with a few examples of each. */
function problemsOf(result: RunResult, plan: RunPlan, { isHealthy }: Options): string[] {
  const { lost, missing, phantom, unexpected } = result;
  const problems = Object.entries({ lost, missing, phantom, unexpected }).flatMap(([kind, found]) =>
    found.slice(0, EXAMPLES).map((example) => `${result.database}: ${kind}: ${example}`),
  );
  if (result.pushes === 0) problems.push(`${result.database}: no push was accepted.`);
  if (isHealthy && result.doubled > 0) problems.push(`${result.database}: ${result.doubled} doubled`);
  if (result.kills < plan.kills || result.acknowledged < plan.writes) {
    problems.push(
      `${result.database}: only ${result.kills} kills and ${result.acknowledged} writes in the time given.`,
    );
  }
  return problems;
}

const toMarkdown = (results: readonly RunResult[]): string =>
  table(
    [
      'database',
      'processes',
      'kills',
      'of nodes',
      'acknowledged',
      'cut off',
      'refused',
      'pushes',
      'cut off',
      'deliveries',
      'lost',
      'missing',
      'phantom',
      'doubled',
      'seed',
      'seconds',
    ],
    results.map((result) => [
      result.database,
      ...[
        result.processes,
        result.kills,
        result.nodeKills,
        result.acknowledged,
        result.cutOff,
        result.refused,
        result.pushes ?? 'no git',
        result.pushesCutOff,
        result.deliveries,
        result.lost.length,
        result.missing.length,
        result.phantom.length,
        result.doubled,
      ].map((value) => value.toLocaleString('en')),
      String(result.seed),
      result.seconds.toFixed(0),
    ]),
  );

main().catch((error: unknown) => {
  console.error(error);
  // Writers and pushers would go on without the services, which have been stopped.
  process.exit(1);
});
