import { parseArgs } from 'node:util';
import { type GitSizes, measureGit } from './measure';
import { type Figure, isReached, toMarkdown } from '../support/figures';
import { describeGit, hasGit } from '../support/git';
import { databasesOf } from '../support/options';
import { report } from '../support/report';
import { withWorkspace } from '../support/workspace';

const TIMEOUT_MS = 10 * 60_000;

const FULL: GitSizes = {
  commits: 10_000,
  files: 10_000,
  changedFiles: 2000,
  megabytes: 200,
  rounds: 9,
  roundSeconds: 5,
  merges: 5,
};

const QUICK: GitSizes = {
  commits: 500,
  files: 500,
  changedFiles: 200,
  megabytes: 10,
  rounds: 1,
  roundSeconds: 1,
  merges: 1,
};

/** Measures the git endpoints against `git http-backend`, and merges and diffs; see `docs/benchmark.md#git`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: 'sqlite' },
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  if (!hasGit()) throw new Error('There is no git on this machine.');
  const options = databasesOf(values.database, process.env);
  const figures: Figure[] = [];
  for (const database of options.databases) {
    const sizes = values.quick ? QUICK : FULL;
    figures.push(
      ...(await withWorkspace(TIMEOUT_MS, (workspace) => measureGit(workspace, database, options, sizes))),
    );
  }
  await report(toMarkdown(figures), {
    ...options,
    script: 'bench:git',
    programs: [describeGit()],
    file: values.report,
  });
  if (values.strict && figures.some((figure) => !isReached(figure))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
