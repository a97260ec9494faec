import { type DatabaseName, type Options, type ScenarioName } from '../support/options';
import { startService } from '../support/processes';
import { progress } from '../support/progress';
import { withSeeder } from '../support/seed';
import { productOf, type Workspace } from '../support/workspace';
import { type DatabaseResults } from './report';
import { measureAdd, measureList } from './scenarios/against-limit';
import { measureLive } from './scenarios/live';
import { measureScale } from './scenarios/scale';
import { measureStart } from './scenarios/start';
import { startLimit } from './server/start';

/** Measures the scenarios of `docs/benchmark.md` on one database. */
export async function measureDatabase(
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
      const grouping = database === 'sqlite' ? await startLimit(workspace, url, true) : undefined;
      results.againstLimit.push(...(await measureAdd(database, pair, grouping, seeded, sizes, url)));
      await grouping?.stop();
    }
    await pair.service.stop();
    await pair.limit.stop();
  }
  if (wants('live') && database === 'sqlite') {
    progress(label, 'live');
    results.bounds.push(...(await measureLive(workspace, url, seeded, sizes)));
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
