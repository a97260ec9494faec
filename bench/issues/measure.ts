import { compare, headersOf, type LoadRequest, type Measurement } from '../support/load';
import { type DatabaseName, type Options } from '../support/options';
import { BASE_PATH, startService } from '../support/processes';
import { progress } from '../support/progress';
import { PROJECT_KEY, type Seeded, withSeeder } from '../support/seed';
import { table } from '../support/table';
import { productOf, type Workspace } from '../support/workspace';

const LISTED = 20;

/** Returns a table of the requests per second of two reads of issues, and their ratio to those of `GET /users/myself`. */
export async function measureIssues(workspace: Workspace, options: Options): Promise<string> {
  const rows: string[][] = [];
  for (const database of options.databases) {
    const measured = await measureDatabase(workspace, database, options);
    for (const [name, { requestsPerSecond }] of Object.entries(measured.results)) {
      const ratio = requestsPerSecond / measured.results.myself.requestsPerSecond;
      rows.push([measured.label, name, Math.round(requestsPerSecond).toLocaleString('en'), ratio.toFixed(3)]);
    }
  }
  return table(['database', 'request', 'req/s', 'of myself'], rows);
}

async function measureDatabase(
  workspace: Workspace,
  database: DatabaseName,
  { sizes, serverUrl }: Options,
): Promise<{ label: string; results: Record<'myself' | 'issue' | 'issues', Measurement> }> {
  const url = await workspace.createDatabase(database, serverUrl);
  const label = productOf(url);
  progress(label, 'seeding');
  const seeded = await withSeeder(workspace, url, (seeder) => seeder.seed({ ...sizes, comments: 0 }));
  const service = await startService(workspace, url);
  const [first] = await addIssues((request) => ask(service.origin, request), seeded);
  progress(label, 'issues');
  const contender = (path: string) => ({ origin: service.origin, requests: [get(path)] });
  const results = await compare(
    {
      myself: contender('/users/myself'),
      issue: contender(`/issues/${first?.id}`),
      issues: contender(`/issues?projectId[]=${seeded.projectId}&count=${LISTED}`),
    },
    { rounds: sizes.rounds, seconds: sizes.roundSeconds, warmUpSeconds: sizes.warmUpSeconds },
  );
  await service.stop();
  return { label, results };
}

/** Adds the issues of a page, each with a category, a version, a milestone and an assignee. */
async function addIssues(
  send: (request: LoadRequest) => Promise<unknown>,
  { projectId, userIds }: Seeded,
): Promise<{ id: number }[]> {
  const project = `/projects/${PROJECT_KEY}`;
  const [type] = (await send(get(`${project}/issueTypes`))) as { id: number }[];
  const category = (await send(post(`${project}/categories`, { name: 'Payments' }))) as { id: number };
  const version = (await send(post(`${project}/versions`, { name: '1.0' }))) as { id: number };
  const issues: { id: number }[] = [];
  while (issues.length < LISTED) {
    const issue = {
      projectId,
      summary: `Whole issue ${issues.length}`,
      issueTypeId: type?.id,
      priorityId: 3,
      categoryId: [category.id],
      versionId: [version.id],
      milestoneId: [version.id],
      assigneeId: userIds[issues.length % userIds.length],
    };
    issues.push((await send(post('/issues', issue))) as { id: number });
  }
  return issues;
}

async function ask(origin: string, request: LoadRequest): Promise<unknown> {
  const { method, path, body } = request;
  const response = await fetch(origin + path, { method, headers: headersOf(request), body });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const get = (path: string): LoadRequest => ({ method: 'GET', path: BASE_PATH + path });

const post = (path: string, body: object): LoadRequest => ({
  method: 'POST',
  path: BASE_PATH + path,
  body: JSON.stringify(body),
});
