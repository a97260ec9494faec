import { measureEdge } from './edge/measure';
import { toMarkdown as edgeTable } from './edge/report';
import { measureIssues } from './issues/measure';
import { measureDatabase } from './limit/measure';
import { type DatabaseResults, missed, toMarkdown } from './limit/report';
import { type Options, readOptions } from './support/options';
import { report } from './support/report';
import { withWorkspace, type Workspace } from './support/workspace';

/** Maximum duration of a run, in milliseconds; a longer one is aborted, and its results are lost. */
const RUN_TIMEOUT_MS = 12 * 60_000;

/** Runs the benchmark of `docs/benchmark.md`, with `--only=issues` its reads of issues, or with `--only=edge` that of `docs/edge.md`. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  await withWorkspace(RUN_TIMEOUT_MS, (workspace) => {
    if (options.only === 'edge') return compareIdioms(workspace, options);
    if (options.only === 'issues') return compareIssues(workspace, options);
    return compareWithLimit(workspace, options);
  });
}

async function compareIssues(workspace: Workspace, options: Options): Promise<void> {
  await show(await measureIssues(workspace, options), options);
}

async function compareIdioms(workspace: Workspace, options: Options): Promise<void> {
  const tables = edgeTable(await measureEdge(workspace, options.sizes));
  await show(tables, { ...options, databases: ['sqlite'] });
}

async function compareWithLimit(workspace: Workspace, options: Options): Promise<void> {
  const results: DatabaseResults[] = [];
  for (const database of options.databases) results.push(await measureDatabase(workspace, database, options));
  await show(toMarkdown(results), options);
  const misses = missed(results);
  if (misses.length > 0) console.log(`Targets missed:\n${misses.map((miss) => `  ${miss}`).join('\n')}`);
  if (options.strict && misses.length > 0) process.exitCode = 1;
}

const show = (tables: string, options: Options): Promise<void> =>
  report(tables, { ...options, script: 'bench', file: options.report });

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
