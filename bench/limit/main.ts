import { writeFile } from 'node:fs/promises';
import { type DatabaseName, type Options, readOptions, type ScenarioName } from '../support/options';
import { startLimit, startService } from '../support/processes';
import { type DatabaseResults, missed, toMarkdown } from './report';
import { measureAdd, measureList } from './scenarios/against-limit';
import { measureScale } from './scenarios/scale';
import { measureStart } from './scenarios/start';
import { withSeeder } from '../support/seed';
import { productOf, withWorkspace, type Workspace } from '../support/workspace';

/** No run takes longer; what has been measured by then is thrown away. */
const RUN_TIMEOUT_MS = 12 * 60_000;

/** Runs the benchmark that `docs/benchmark.md` describes. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  await withWorkspace(RUN_TIMEOUT_MS, async (workspace) => {
    const results: DatabaseResults[] = [];
    for (const database of options.databases) results.push(await measure(workspace, database, options));
    const markdown = toMarkdown(results);
    console.log(`\n${markdown}`);
    if (options.report) await writeFile(options.report, markdown);
    const misses = missed(results);
    if (misses.length > 0) console.log(`Targets missed:\n${misses.map((miss) => `  ${miss}`).join('\n')}`);
    if (options.strict && misses.length > 0) process.exitCode = 1;
  });
}

async function measure(
  workspace: Workspace,
  database: DatabaseName,
  { sizes, only, serverUrl }: Options,
): Promise<DatabaseResults> {
  const wants = (...names: ScenarioName[]): boolean => only === undefined || names.includes(only);
  const url = await workspace.createDatabase(database, serverUrl);
  const label = productOf(url);
  const results: DatabaseResults = { database: label, againstLimit: [], bounds: [] };
  const { comments, smallThread, largeThread } = sizes;
  progress(label, `seeding ${comments} comments`);
  const seeded = await withSeeder(workspace, url, (seeder) => seeder.seed(sizes));
  if (wants('list', 'add')) {
    const pair = {
      service: await startService(workspace, url),
      limit: await startLimit(workspace, url),
    };
    if (wants('list')) {
      progress(label, 'list');
      results.againstLimit.push(await measureList(database, pair, seeded, sizes));
    }
    if (wants('add')) {
      progress(label, 'add');
      results.againstLimit.push(await measureAdd(database, pair, seeded, sizes, url));
    }
    await pair.service.stop();
    await pair.limit.stop();
  }
  if (wants('scale')) {
    progress(label, `seeding ${smallThread + largeThread} comments`);
    const middle = await withSeeder(workspace, url, (seeder) => seeder.seedScale(seeded, sizes));
    progress(label, 'scale');
    const service = await startService(workspace, url);
    results.bounds.push(...(await measureScale(service, middle, sizes)));
    await service.stop();
  }
  if (wants('start')) {
    progress(label, 'start');
    results.bounds.push(...(await measureStart(workspace, url, sizes)));
  }
  return results;
}

const progress = (database: string, step: string): void =>
  console.log(`${new Date().toISOString().slice(11, 19)} ${database}: ${step}`);

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
