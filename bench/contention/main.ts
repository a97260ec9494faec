import { parseArgs } from 'node:util';
import { Cluster } from '../support/cluster';
import { ADMIN_KEY, BASE_PATH, startService } from '../support/processes';
import { table } from '../support/table';
import { withWorkspace, type Workspace } from '../support/workspace';

const TIMEOUT_MS = 5 * 60_000;
const PROCESSES = 3;
const CLIENTS = 8;

interface Answer {
  status: number;
  /** In milliseconds. */
  time: number;
}

/** Measures how many writes to one project go through three processes at once, and their duration; see `docs/scale.md`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { engine: { type: 'string', default: 'server' }, seconds: { type: 'string', default: '20' } },
  });
  const answers = await withWorkspace(TIMEOUT_MS, async (workspace) => {
    const origins = await startProcesses(workspace, values.engine);
    return writeToOneProject(origins, Number(values.seconds));
  });
  console.log(`\n${toMarkdown(answers, Number(values.seconds))}`);
  if ([...answers.values()].flat().some(({ status }) => status >= 500 && status !== 503))
    process.exitCode = 1;
}

/** Starts three processes: all on one server, or each on its own node. */
async function startProcesses(workspace: Workspace, engine: string): Promise<string[]> {
  const cluster = engine === 'galera' ? await Cluster.start(workspace) : undefined;
  const serverUrl = cluster?.serverUrl ?? process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('TEST_DATABASE_URL names no server, and --engine=galera is not given.');
  const url = await workspace.createDatabase('server', serverUrl);
  const name = new URL(url).pathname.slice(1);
  const origins: string[] = [];
  for (let position = 0; position < PROCESSES; position++) {
    const { origin } = await startService(workspace, cluster?.urlFrom(position, name) ?? url);
    origins.push(origin);
  }
  return origins;
}

/** Makes eight clients of each process add issues to one project and change one of its issues, for some seconds. */
async function writeToOneProject(
  origins: readonly string[],
  seconds: number,
): Promise<Map<string, Answer[]>> {
  const [origin = ''] = origins;
  await send(origin, 'POST', '/projects', { key: 'BUSY', name: 'Busy' });
  const [type] = await read<{ id: number }[]>(origin, '/projects/BUSY/issueTypes');
  const issue = {
    projectId: (await read<{ id: number }>(origin, '/projects/BUSY')).id,
    issueTypeId: type?.id,
  };
  await send(origin, 'POST', '/issues', { ...issue, summary: 'First', priorityId: 3 });

  const answers = new Map<string, Answer[]>([
    ['add an issue', []],
    ['update one issue', []],
  ]);
  const end = performance.now() + seconds * 1000;
  const work = async (to: string, client: number): Promise<void> => {
    for (let turn = 0; performance.now() < end; turn++) {
      const summary = `Issue ${client}-${turn}`;
      if (client % 2 === 0)
        answers
          .get('add an issue')
          ?.push(await send(to, 'POST', '/issues', { ...issue, summary, priorityId: 3 }));
      else answers.get('update one issue')?.push(await send(to, 'PATCH', '/issues/BUSY-1', { summary }));
    }
  };
  const clients = origins.flatMap((to) => Array.from({ length: CLIENTS }, (_, client) => work(to, client)));
  await Promise.all(clients);
  return answers;
}

async function send(origin: string, method: string, path: string, body: object): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(`${origin}${BASE_PATH}${path}`, {
    method,
    headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return { status: response.status, time: performance.now() - began };
}

async function read<T>(origin: string, path: string): Promise<T> {
  const response = await fetch(`${origin}${BASE_PATH}${path}`, { headers: { 'x-api-key': ADMIN_KEY } });
  return (await response.json()) as T;
}

function toMarkdown(answers: ReadonlyMap<string, readonly Answer[]>, seconds: number): string {
  return table(
    ['write', 'per second', '503', 'p50', 'p95', 'longest'],
    [...answers].map(([name, all]) => {
      const times = all.map(({ time }) => time).toSorted((a, b) => a - b);
      const at = (part: number): string =>
        `${Math.round(times[Math.floor((times.length - 1) * part)] ?? 0)} ms`;
      const acknowledged = all.filter(({ status }) => status < 300).length;
      const refused = all.filter(({ status }) => status === 503).length;
      return [name, (acknowledged / seconds).toFixed(0), String(refused), at(0.5), at(0.95), at(1)];
    }),
  );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
