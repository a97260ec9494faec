import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { type ImportDto } from '../../src/imports/dto/import.dto';
import { type Figure } from '../support/figures';
import { listRequests } from '../support/list-requests';
import { load } from '../support/load';
import { type DatabaseName, type DatabaseOptions } from '../support/options';
import { launchCommand, serviceEnvironment, startService } from '../support/processes';
import { progress } from '../support/progress';
import { withSeeder } from '../support/seed';
import { productOf, type Workspace } from '../support/workspace';
import { writeCsv } from './csv-file';
import { type MoveSizes } from './population';
import { importSettings } from './settings';
import { Space } from './space';

const KEY = 'READS';
const SEEDED = { comments: 20_000, users: 20 };
const WARM_UP_SECONDS = 3;
const SECONDS = 5;
const ROUNDS = 3;
/** How many times longer other users may wait for their reads while an import is running. */
const TARGET = 2;

/** Compares the reads of users while an import is running with those without one. */
export async function measureReads(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  sizes: MoveSizes,
): Promise<Figure[]> {
  const url = await workspace.createDatabase(database, serverUrl, 'reads.db');
  const label = productOf(url);
  progress(label, 'seeding');
  const seeded = await withSeeder(workspace, url, (seeder) => seeder.seed(SEEDED));
  const settings = importSettings(workspace, 'reads');
  const archive = join(workspace.folder, `${KEY}.pms`);
  const words = await writeCsv(workspace.folder, KEY, sizes);
  const environment = { ...serviceEnvironment(url, workspace.folder), ...settings };
  const made = launchCommand(workspace, environment, 'import', ...words, '--to', archive);
  if ((await made.exited) !== 0) throw new Error(`The archive was not made: ${made.output()}`);
  const service = await startService(workspace, url, settings);
  const requests = listRequests(seeded);
  await load(service.origin, requests, WARM_UP_SECONDS);
  progress(label, 'reads without an import');
  const alone = await load(service.origin, requests, SECONDS);
  const space = new Space(service.origin);
  const form = new FormData();
  form.set('file', await openAsBlob(archive), `${KEY}.pms`);
  const { id } = await space.post('/space/imports', form);
  let slowest = { p50: 0, p99: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const measured = await load(service.origin, requests, SECONDS);
    const { state, progress: reached } = await space.get<ImportDto>(`/space/imports/${id}`);
    if (state !== 'running') {
      if (round === 0) throw new Error(`The import is ${state}: measure with more issues.`);
      break;
    }
    progress(label, `reads during ${reached.phase}: ${measured.p50} ms, without ${alone.p50} ms`);
    if (measured.p50 > slowest.p50) slowest = measured;
  }
  await service.stop();
  return [
    {
      ...{ database: label, scenario: 'median of reads during an import, of that without one' },
      ...{ value: slowest.p50 / alone.p50, unit: '×', target: TARGET, isLeast: false },
    },
    {
      ...{ database: label, scenario: 'p99 of reads during an import, of that without one' },
      ...{ value: slowest.p99 / alone.p99, unit: '×', target: TARGET, isLeast: false },
    },
  ];
}
