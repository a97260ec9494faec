import { parseArgs } from 'node:util';
import { isReached, toMarkdown } from '../support/figures';
import { describeGit, hasGit } from '../support/git';
import { type DatabaseName, databasesOf } from '../support/options';
import { report } from '../support/report';
import { withWorkspace } from '../support/workspace';
import { measureMove } from './measure';

const TIMEOUT_MS = 60 * 60_000;

/** Moves a space into another instance over its API, killed on the way, and compares both; see `docs/benchmark.md#imports`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: 'sqlite' },
      issues: { type: 'string', default: '1000' },
      comments: { type: 'string', default: '5' },
      kills: { type: 'string', default: '20' },
      'without-limits': { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  if (!hasGit()) throw new Error('There is no git on this machine.');
  const options = databasesOf(values.database, process.env);
  const sizes = {
    issues: Number(values.issues),
    comments: Number(values.comments),
    kills: Number(values.kills),
    hasLimits: !values['without-limits'],
  };
  const [database] = options.databases as [DatabaseName];
  const figures = await withWorkspace(TIMEOUT_MS, (workspace) =>
    measureMove(workspace, database, options, sizes),
  );
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
