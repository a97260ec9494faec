import { parseArgs } from 'node:util';
import { describeGit, hasGit } from '../support/git';
import { databasesOf } from '../support/options';
import { report } from '../support/report';
import { table } from '../support/table';
import { withWorkspace } from '../support/workspace';
import { measureStalls, type Stall } from './measure';
import { type StallSizes } from './seeding';

const TIMEOUT_MS = 20 * 60_000;
/** Maximum time without any response of the service, beyond that of an idle process, in milliseconds. */
const TARGET_MS = 50;

const FULL: StallSizes = {
  issues: 20_000,
  documents: 4000,
  deliveries: 20_000,
  comments: 20_000,
  wikiVersions: 300,
  auditLogEntries: 50_000,
  users: 1000,
  webhooks: 100,
  customFields: 100,
  commits: 1000,
  files: 10_000,
};

const QUICK: StallSizes = {
  issues: 200,
  documents: 200,
  deliveries: 1000,
  comments: 2000,
  wikiVersions: 110,
  auditLogEntries: 2000,
  users: 250,
  webhooks: 10,
  customFields: 20,
  commits: 100,
  files: 500,
};

/** Measures for how long bulk and background work keeps the service from answering; see `docs/benchmark.md#stalls`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: 'sqlite' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  if (!hasGit()) throw new Error('There is no git on this machine.');
  const options = databasesOf(values.database, process.env);
  const stalls: Stall[] = [];
  for (const database of options.databases) {
    const sizes = values.quick ? QUICK : FULL;
    const run = withWorkspace(TIMEOUT_MS, (workspace) =>
      measureStalls(workspace, database, options, sizes, values.only),
    );
    stalls.push(...(await run));
  }
  await report(toMarkdown(stalls), {
    ...options,
    script: 'bench:stalls',
    programs: [describeGit()],
    file: values.report,
  });
  if (values.strict && stalls.some((stall) => !isReached(stall))) process.exitCode = 1;
}

const stallBeyondIdle = ({ service, idle }: Stall): number => Math.max(0, service.own - idle.own);

const isReached = (stall: Stall): boolean => stallBeyondIdle(stall) <= TARGET_MS;

const toMarkdown = (stalls: readonly Stall[]): string =>
  table(
    [
      'database',
      'work',
      'took',
      'longest stall',
      'beside it',
      'own time',
      'beyond idle',
      `≤ ${TARGET_MS} ms`,
    ],
    stalls.map((stall) => [
      stall.database,
      stall.row,
      `${(stall.took / 1000).toFixed(1)} s`,
      milliseconds(stall.service.seen),
      milliseconds(stall.idle.seen),
      milliseconds(stall.service.own),
      milliseconds(stallBeyondIdle(stall)),
      isReached(stall) ? 'yes' : 'NO',
    ]),
  );

const milliseconds = (value: number): string => `${Math.round(value)} ms`;

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
