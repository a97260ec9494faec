import { type EntityManager } from 'typeorm';
import { type RecordKind } from '../../archives/record-kinds';
import { type Environment } from '../../config/environment';
import { countThings } from '../../doctor/data/counters';
import { issuePath } from '../../issues/issue.mapper';
import { type CountLimitsService } from '../../limits/count-limits.service';
import { declared } from '../../manifests';
import { type CounterName, type ProjectCountersService } from '../../projects/project-counters.service';
import { type SearchIndexService } from '../../search-index/search-index.service';
import { SearchKind } from '../../search-index/search-kind';
import { wikiPath } from '../../wikis/wiki.mapper';
import { findStarred, setUrls, type StarredRow } from '../data/import-stars';
import { type PlannedContext } from '../import-context';
import { ImportError } from '../import.error';

const STARS_AT_ONCE = 200;

const INDEXED: readonly (readonly [string, SearchKind])[] = [
  ['issue', SearchKind.Issue],
  ['comment', SearchKind.Comment],
  ['document', SearchKind.Document],
];

/** What the derivation needs of the service. */
export interface DeriveServices {
  environment: Environment;
  counters: ProjectCountersService;
  limits: CountLimitsService;
  searches: SearchIndexService;
}

/**
 * Writes what the service derives from records: counters, addresses, and which texts are to be indexed. Can be repeated.
 * @throws ImportError if a project has more than the limits of this installation allow
 */
export async function derive(context: PlannedContext, services: DeriveServices): Promise<void> {
  const { lease, plan } = context;
  for (const [index, project] of plan.projects.entries()) {
    await correctCounters(context, services, project.id, project.key);
    context.progress(index + 1, plan.projects.length);
  }
  await addressStars(context, services.environment);
  await lease.write(async (manager) => {
    for (const [kind, searchKind] of INDEXED)
      await indexAnew(context, services.searches, manager, kind, searchKind);
  });
}

async function correctCounters(
  { ids, lease }: PlannedContext,
  { counters, limits }: DeriveServices,
  sourceId: number,
  key: string,
): Promise<void> {
  const projectId = ids.of('project', sourceId);
  await lease.write((manager) => counters.createMissing(manager, projectId));
  for (const name of Object.keys(declared('counters')) as CounterName[]) {
    let used = 0;
    await counters.correct(projectId, name, async (manager) => {
      const { things, highest } = await countThings(manager, projectId, name);
      used = things;
      return { used: things, atLeast: highest };
    });
    const limit = limits.of(name);
    if (limit > 0 && used > limit) {
      const { message } = limits.overflow(name);
      throw new ImportError(`The project ${key} has ${used}. ${message} Raise the limit, and resume.`);
    }
  }
}

/** Stars have the address of what they are on, in this installation and with the key that the project gets. */
async function addressStars(
  { ids, kinds, lease, plan }: PlannedContext,
  environment: Environment,
): Promise<void> {
  const keys = new Map(plan.projects.map(({ id, as }) => [ids.of('project', id), as]));
  const star = kinds.find(({ name }) => name === 'star') as RecordKind;
  for (const projectId of keys.keys()) {
    for (let rows: StarredRow[] | undefined; rows?.length !== 0;) {
      await lease.write(async (manager) => {
        rows = await findStarred(manager, kinds, projectId, STARS_AT_ONCE);
        await setUrls(
          manager,
          star,
          rows.map((row) => ({
            id: row.id,
            url: environment.webUrl(pathOf(row, keys.get(projectId) as string)),
          })),
        );
      });
    }
  }
}

function pathOf({ keyId, wikiId, repository, number, commentId }: StarredRow, projectKey: string): string {
  const anchor = commentId === null ? '' : `#comment-${commentId}`;
  if (keyId !== null) return issuePath(`${projectKey}-${keyId}`) + anchor;
  if (wikiId !== null) return wikiPath(wikiId) + anchor;
  if (number !== null) return `/git/${projectKey}/${repository}/pullRequests/${number}${anchor}`;
  return '/';
}

async function indexAnew(
  { ids, run }: PlannedContext,
  searches: SearchIndexService,
  manager: EntityManager,
  kind: string,
  searchKind: SearchKind,
): Promise<void> {
  const base = run.bases[kind];
  const first = ids.sources.get(kind);
  if (base === undefined || !first || first.size === 0) return;
  await searches.restartFrom(manager, searchKind, base === null ? first.at(0) : base + 1);
}
