import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { type ImportDto } from '../../src/imports/dto/import.dto';
import { type Figure } from '../support/figures';
import { listRequests } from '../support/list-requests';
import { load, median, type Measurement } from '../support/load';
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
const WARM_UP_SECONDS = 10;
const ROUNDS = 3;
/** How many times longer other users may wait for their reads while an import is running. */
const TARGET = 2;

/** How much to import, and the duration of a round of reads. */
interface ReadSizes extends MoveSizes {
  seconds: number;
}

/** Compares the reads of users while an import is running with those without one. */
export async function measureReads(
  workspace: Workspace,
  database: DatabaseName,
  { serverUrl }: DatabaseOptions,
  { seconds, ...sizes }: ReadSizes,
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
  const measure = (): Promise<Measurement> => load(service.origin, requests, seconds);
  const show = (when: string, { p50, p99 }: Measurement): void =>
    progress(label, `reads ${when}: median ${p50} ms, 99 % ${p99} ms`);
  const alone: Measurement[] = [];
  const measureAlone = async (when: string): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) {
      const measured = await measure();
      show(when, measured);
      alone.push(measured);
    }
  };
  await measureAlone('before the import');
  const space = new Space(service.origin);
  const form = new FormData();
  form.set('file', await openAsBlob(archive), `${KEY}.pms`);
  const { id } = await space.post('/space/imports', form);
  const during = new Map<string, Measurement[]>();
  for (;;) {
    const measured = await measure();
    const { state, progress: reached } = await space.get<ImportDto>(`/space/imports/${id}`);
    if (state !== 'running') {
      if (state !== 'done') throw new Error(`The import is ${state}.`);
      break;
    }
    show(`during ${reached.phase}`, measured);
    during.set(reached.phase, [...(during.get(reached.phase) ?? []), measured]);
  }
  if (during.size === 0) throw new Error('The import was too short: measure with more issues.');
  await measureAlone('after the import');
  const ratio = (of: (result: Measurement) => number): number =>
    Math.max(...[...during.values()].map((rounds) => median(rounds.map(of)))) / median(alone.map(of));
  await service.stop();
  return [
    {
      ...{
        database: label,
        scenario: 'median of reads in the slowest phase of an import, of that without one',
      },
      ...{ value: ratio(({ p50 }) => p50), unit: '×', target: TARGET, isLeast: false },
    },
    {
      ...{ database: label, scenario: 'p99 of reads in the slowest phase of an import, of that without one' },
      ...{ value: ratio(({ p99 }) => p99), unit: '×', target: TARGET, isLeast: false },
    },
  ];
}
