import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listRequests } from '../support/list-requests';
import { compare, type LoadRequest, type Measurement } from '../support/load';
import { type Sizes } from '../support/options';
import { BASE_PATH, type Server, serviceEnvironment, startServer } from '../support/processes';
import { progress } from '../support/progress';
import { PROJECT_KEY, withSeeder } from '../support/seed';
import { verifyReads } from '../support/verify-reads';
import { type Workspace } from '../support/workspace';
import { type VariantName, VARIANT_NAMES, VARIANTS } from './idioms';

/** The results of each variant in the two reads. */
export interface EdgeResults {
  statuses: Record<VariantName, Measurement>;
  comments: Record<VariantName, Measurement>;
}

const SCRIPT = join(__dirname, 'server.js');
const LABEL = 'SQLite';
const STATUSES: readonly LoadRequest[] = [
  { method: 'GET', path: `${BASE_PATH}/projects/${PROJECT_KEY}/statuses` },
];

/**
 * Compares the service with variants that restore one idiom or all of them, in turn, on copies of one embedded database, because
 * such a database belongs to one process at a time.
 */
export async function measureEdge(workspace: Workspace, sizes: Sizes): Promise<EdgeResults> {
  const seededFile = join(workspace.folder, 'seeded.db');
  progress(LABEL, `seeding ${sizes.comments} comments`);
  const seeded = await withSeeder(workspace, `sqlite:${seededFile}`, (seeder) => seeder.seed(sizes));
  progress(LABEL, `starting ${VARIANT_NAMES.length} variants`);
  const servers: Partial<Record<VariantName, Server>> = {};
  for (const name of VARIANT_NAMES) servers[name] = await startVariant(workspace, seededFile, name);
  const comments = listRequests(seeded);
  const started = servers as Record<VariantName, Server>;
  return {
    statuses: await compareVariants('statuses', started, STATUSES, sizes),
    comments: await compareVariants('comments', started, comments, sizes),
  };
}

async function startVariant(workspace: Workspace, seededFile: string, name: VariantName): Promise<Server> {
  const file = join(workspace.folder, `${name}.db`);
  await copyFile(seededFile, file);
  return startServer(workspace, SCRIPT, {
    ...serviceEnvironment(`sqlite:${file}`, workspace.folder),
    EDGE_IDIOMS: VARIANTS[name].join(','),
  });
}

async function compareVariants(
  what: string,
  servers: Record<VariantName, Server>,
  requests: readonly LoadRequest[],
  sizes: Sizes,
): Promise<Record<VariantName, Measurement>> {
  progress(LABEL, what);
  for (const name of VARIANT_NAMES) await verifyReads(servers.service, servers[name], requests);
  const contenders = Object.fromEntries(
    VARIANT_NAMES.map((name) => [name, { origin: servers[name].origin, requests }]),
  ) as Record<VariantName, { origin: string; requests: readonly LoadRequest[] }>;
  return compare(contenders, {
    rounds: sizes.rounds,
    seconds: sizes.roundSeconds,
    warmUpSeconds: sizes.warmUpSeconds,
  });
}
