import { parseArgs } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Cluster } from '../support/cluster';
import { ADMIN_KEY, BASE_PATH, startService } from '../support/processes';
import { report } from '../support/report';
import { table } from '../support/table';
import { withWorkspace, type Workspace } from '../support/workspace';

const TIMEOUT_MS = 5 * 60_000;
const PROCESSES = 3;
const CLIENTS = 8;
/** A capacity, so that uploads are counted and compared with it; no limits on a user's uploads, which all stay unattached. */
const SETTINGS = {
  SPACE_CAPACITY: String(2 ** 40),
  MAX_UNATTACHED_FILES: '0',
  MAX_UNATTACHED_BYTES: '0',
};
const CLUSTER_CONFLICTS = ['wsrep_local_cert_failures', 'wsrep_local_bf_aborts'];
const SERVER_CONFLICTS = ['Innodb_row_lock_waits'];

interface Answer {
  status: number;
  /** In milliseconds. */
  time: number;
}

/** The writes of some seconds. */
interface Phase {
  name: string;
  /** By kind of write. */
  answers: Map<string, Answer[]>;
  /** Number of transactions that lost against another node of a cluster; on one server, of waits for the lock of a row. */
  conflicts: number;
}

/**
 * Measures how many writes go through three processes at once, and their duration: to one project, and uploads of many users; see
 * `docs/scale.md`.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'server' },
      report: { type: 'string' },
      seconds: { type: 'string', default: '20' },
    },
  });
  const seconds = Number(values.seconds);
  const phases = await withWorkspace(TIMEOUT_MS, async (workspace) => {
    const { origins, servers } = await startProcesses(workspace, values.engine);
    const measured = [
      await measure('one project', servers, () => writeToOneProject(origins, seconds)),
      await measure('uploads', servers, () => upload(origins, seconds)),
    ];
    // In the workspace, because the cluster stops with it.
    await report(`${toMarkdown(measured, seconds)}\n${measured.map(conflictsOf).join('\n')}\n`, {
      script: 'bench:contention',
      databases: ['server'],
      serverUrl: servers[0],
      file: values.report,
    });
    return measured;
  });
  const answers = phases.flatMap((phase) => [...phase.answers.values()].flat());
  if (answers.some(({ status }) => status >= 500 && status !== 503)) process.exitCode = 1;
}

/** Starts three processes: all on one server, or each on its own node. */
async function startProcesses(
  workspace: Workspace,
  engine: string,
): Promise<{ origins: string[]; servers: readonly string[] }> {
  const cluster = engine === 'galera' ? await Cluster.start(workspace) : undefined;
  const serverUrl = cluster?.serverUrl ?? process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('TEST_DATABASE_URL names no server, and --engine=galera is not given.');
  const url = await workspace.createDatabase('server', serverUrl);
  const name = new URL(url).pathname.slice(1);
  const origins: string[] = [];
  for (let position = 0; position < PROCESSES; position++) {
    const { origin } = await startService(workspace, cluster?.urlFrom(position, name) ?? url, SETTINGS);
    origins.push(origin);
  }
  return { origins, servers: cluster?.nodeUrls ?? [serverUrl] };
}

async function measure(
  name: string,
  servers: readonly string[],
  work: () => Promise<Phase['answers']>,
): Promise<Phase> {
  const before = await countConflicts(servers);
  const answers = await work();
  return { name, answers, conflicts: (await countConflicts(servers)) - before };
}

async function countConflicts(servers: readonly string[]): Promise<number> {
  const names = servers.length > 1 ? CLUSTER_CONFLICTS : SERVER_CONFLICTS;
  const counts = await Promise.all(servers.map((url) => readStatus(url, names)));
  return counts.flat().reduce((sum, count) => sum + count, 0);
}

async function readStatus(url: string, names: readonly string[]): Promise<number[]> {
  const { hostname, port, username, password } = new URL(url);
  const connection = await createConnection({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  });
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SHOW GLOBAL STATUS WHERE Variable_name IN (?)', [
      names,
    ]);
    return rows.map(({ Value }) => Number(Value));
  } finally {
    await connection.end();
  }
}

/** Makes eight clients of each process add issues to one project and change one of its issues, for some seconds. */
async function writeToOneProject(origins: readonly string[], seconds: number): Promise<Phase['answers']> {
  const [origin = ''] = origins;
  await send(origin, 'POST', '/projects', { key: 'BUSY', name: 'Busy' });
  const [type] = await read<{ id: number }[]>(origin, '/projects/BUSY/issueTypes');
  const issue = {
    projectId: (await read<{ id: number }>(origin, '/projects/BUSY')).id,
    issueTypeId: type?.id,
  };
  await send(origin, 'POST', '/issues', { ...issue, summary: 'First', priorityId: 3 });

  const added: Answer[] = [];
  const updated: Answer[] = [];
  const end = performance.now() + seconds * 1000;
  const work = async (to: string, client: number): Promise<void> => {
    for (let turn = 0; performance.now() < end; turn++) {
      const summary = `Issue ${client}-${turn}`;
      if (client % 2 === 0)
        added.push(await send(to, 'POST', '/issues', { ...issue, summary, priorityId: 3 }));
      else updated.push(await send(to, 'PATCH', '/issues/BUSY-1', { summary }));
    }
  };
  await Promise.all(clientsOf(origins, work));
  return new Map([
    ['add an issue', added],
    ['update one issue', updated],
  ]);
}

/** Makes eight clients of each process upload small files, each as a user of its own, for some seconds. */
async function upload(origins: readonly string[], seconds: number): Promise<Phase['answers']> {
  const [origin = ''] = origins;
  const keys: string[] = [];
  for (let number = 0; number < origins.length * CLIENTS; number++) keys.push(await addUser(origin, number));
  const answers: Answer[] = [];
  const end = performance.now() + seconds * 1000;
  const work = async (to: string): Promise<void> => {
    const key = keys.pop();
    while (performance.now() < end) {
      const form = new FormData();
      form.set('file', new Blob(['x'.repeat(1000)]), 'file.txt');
      answers.push(await send(to, 'POST', '/space/attachment', form, key));
    }
  };
  await Promise.all(clientsOf(origins, work));
  return new Map([['upload a file', answers]]);
}

/** Adds a user and returns their key. */
async function addUser(origin: string, number: number): Promise<string> {
  const userId = `uploader${number}`;
  const user = await post<{ id: number }>(origin, '/users', {
    userId,
    password: 'a long password',
    name: userId,
    mailAddress: `${userId}@example.com`,
    roleType: 2,
  });
  return (await post<{ key: string }>(origin, `/users/${user.id}/apiKeys`, { name: 'bench' })).key;
}

const clientsOf = (
  origins: readonly string[],
  work: (to: string, client: number) => Promise<void>,
): Promise<void>[] =>
  origins.flatMap((to) => Array.from({ length: CLIENTS }, (_, client) => work(to, client)));

async function send(
  origin: string,
  method: string,
  path: string,
  body: object,
  key = ADMIN_KEY,
): Promise<Answer> {
  const began = performance.now();
  const response = await request(origin, method, path, body, key);
  await response.arrayBuffer();
  return { status: response.status, time: performance.now() - began };
}

async function post<T>(origin: string, path: string, body: object): Promise<T> {
  return (await (await request(origin, 'POST', path, body)).json()) as T;
}

function request(
  origin: string,
  method: string,
  path: string,
  body: object,
  key = ADMIN_KEY,
): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${origin}${BASE_PATH}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
}

async function read<T>(origin: string, path: string): Promise<T> {
  const response = await fetch(`${origin}${BASE_PATH}${path}`, { headers: { 'x-api-key': ADMIN_KEY } });
  return (await response.json()) as T;
}

function toMarkdown(phases: readonly Phase[], seconds: number): string {
  return table(
    ['write', 'per second', '503', 'p50', 'p95', 'longest'],
    phases
      .flatMap(({ answers }) => [...answers])
      .map(([name, all]) => {
        const times = all.map(({ time }) => time).toSorted((a, b) => a - b);
        const at = (part: number): string =>
          `${Math.round(times[Math.floor((times.length - 1) * part)] ?? 0)} ms`;
        const acknowledged = all.filter(({ status }) => status < 300).length;
        const refused = all.filter(({ status }) => status === 503).length;
        return [name, (acknowledged / seconds).toFixed(0), String(refused), at(0.5), at(0.95), at(1)];
      }),
  );
}

function conflictsOf({ name, answers, conflicts }: Phase): string {
  const acknowledged = [...answers.values()].flat().filter(({ status }) => status < 300).length;
  return `- ${name}: ${((100 * conflicts) / acknowledged).toFixed(1)} conflicts per 100 writes`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
