import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Limit } from './answers';
import { createMysqlLimit } from './mysql-limit';
import { createSqliteLimit } from './sqlite-limit';

/** The administrator of the first start, who owns the benchmark's key. */
const AUTHOR_ID = 1;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const LIST = /^\/api\/v2\/projects\/([^/]+)\/git\/repositories\/([^/]+)\/pullRequests\/(\d+)\/comments$/;
const ADD = /^\/api\/v2\/issues\/([A-Z0-9_]+)-(\d+)\/comments$/;

/** Serves the same responses at minimal cost: no framework, no authentication, no validation. */
function serve(limit: Limit, port: number): void {
  const server = createServer((request, response) => {
    answer(limit, request, response).catch((error: unknown) => {
      console.error(error);
      send(response, 500, '{}');
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.listen(port, '127.0.0.1');
}

async function answer(limit: Limit, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const list = request.method === 'GET' ? LIST.exec(path) : null;
  if (list) {
    const [, projectKey = '', repository = '', number] = list;
    const maxId = Number(new URLSearchParams(query).get('maxId') ?? Number.MAX_SAFE_INTEGER);
    send(response, 200, await limit.list({ projectKey, repository, number: Number(number), maxId }));
    return;
  }
  const add = request.method === 'POST' ? ADD.exec(path) : null;
  if (add) {
    const [, projectKey = '', keyId] = add;
    const body = JSON.parse(await text(request)) as { content: string; notifiedUserId: number[] };
    send(response, 201, await limit.add({ projectKey, keyId: Number(keyId), ...body }));
    return;
  }
  send(response, path === '/health/ready' ? 200 : 404, '{}');
}

function text(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

const databaseUrl = process.env.DATABASE_URL ?? '';
serve(
  databaseUrl.startsWith('sqlite:')
    ? createSqliteLimit(
        databaseUrl.slice('sqlite:'.length),
        AUTHOR_ID,
        process.env.GROUP_COMMITS !== undefined,
      )
    : createMysqlLimit(databaseUrl, AUTHOR_ID),
  Number(process.env.PORT),
);
