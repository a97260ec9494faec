import { parseArgs } from 'node:util';
import { type Figure, isReached, toMarkdown } from '../support/figures';
import { describeGit, hasGit } from '../support/git';
import { type DatabaseName, databasesOf } from '../support/options';
import { report } from '../support/report';
import { withWorkspace } from '../support/workspace';
import { measureMove } from './measure';
import { measureMemory } from './memory';
import { measureReads } from './reads';

const TIMEOUT_MS = 60 * 60_000;
const SCENARIOS = ['move', 'reads', 'memory'] as const;

const FULL = { issues: 1000, comments: 5, kills: 20, largeIssues: 100_000, seconds: 5 };

const QUICK = { issues: 50, comments: 2, kills: 2, largeIssues: 4000, seconds: 1 };

/**
 * Moves a space into another instance over its API, killed on the way, and compares both. Imports a large file, alone and beside other
 * users; see `docs/benchmark.md#imports`.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: 'sqlite' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      issues: { type: 'string' },
      comments: { type: 'string' },
      kills: { type: 'string' },
      'large-issues': { type: 'string' },
      'without-limits': { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  if (!hasGit()) throw new Error('There is no git on this machine.');
  const scenarios = SCENARIOS.filter((name) => name === (values.only ?? name));
  if (scenarios.length === 0) throw new Error(`--only must be one of ${SCENARIOS.join(', ')}.`);
  const options = databasesOf(values.database, process.env);
  const usual = values.quick ? QUICK : FULL;
  const sizes = {
    issues: Number(values.issues ?? usual.issues),
    comments: Number(values.comments ?? usual.comments),
    kills: Number(values.kills ?? usual.kills),
    hasLimits: !values['without-limits'],
  };
  const [database] = options.databases as [DatabaseName];
  const large = { issues: Number(values['large-issues'] ?? usual.largeIssues), comments: sizes.comments };
  const figures = await withWorkspace(TIMEOUT_MS, async (workspace) => {
    const measure = {
      move: () => measureMove(workspace, database, options, sizes),
      reads: () => measureReads(workspace, database, options, { ...large, seconds: usual.seconds }),
      memory: () => measureMemory(workspace, database, options, large),
    };
    const found: Figure[] = [];
    for (const name of scenarios) found.push(...(await measure[name]()));
    return found;
  });
  await report(toMarkdown(figures), {
    ...options,
    script: 'bench:imports',
    programs: [describeGit()],
    file: values.report,
  });
  if (values.strict && figures.some((figure) => !isReached(figure))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
