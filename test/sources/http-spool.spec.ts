import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod';
import { readEnvironment } from '../../src/config/environment';
import { AddressGuard } from '../../src/outgoing/address-guard';
import { BacklogApi } from '../../src/sources/backlog/backlog-api';
import { type HttpOptions, HttpSpool } from '../../src/sources/spool/http-spool';
import { openHttpSpool } from '../../src/sources/spool/open-http-spool';
import { Spool } from '../../src/sources/spool/spool';
import { TemporaryFolder } from '../support/sqlite';

const MAX_ANSWER = 100_000;
const KEY = 'the-key';
const element = z.object({ id: z.int().min(1) });

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe('a source over HTTP', () => {
  const folder = new TemporaryFolder();
  let source: Server;
  let answer: Answer;
  let requests: { url: string; key?: string }[] = [];
  let spool: Spool;
  let http: HttpSpool;
  let number = 0;

  beforeAll(async () => {
    source = createServer((request, response) => {
      requests.push({ url: request.url ?? '', key: request.headers['backlog-api-key'] as string });
      answer(request, response);
    });
    source.listen(0, '127.0.0.1');
    await once(source, 'listening');
  });

  afterAll(() => {
    source.closeAllConnections();
    source.close();
    folder.remove();
  });

  beforeEach(async () => {
    requests = [];
    await open(folder.file(`spool-${++number}`));
  });

  afterEach(() => http.close());

  const origin = (): string => `http://127.0.0.1:${(source.address() as AddressInfo).port}`;

  async function open(
    path: string,
    keys: readonly string[] = [KEY],
    limits: Pick<HttpOptions, 'patienceMs' | 'timeoutMs' | 'guard'> = {
      ...{ patienceMs: 30_000, timeoutMs: 30_000 },
    },
  ): Promise<void> {
    spool = await Spool.open(path, { source: 'test' }, MAX_ANSWER);
    http = new HttpSpool(spool, {
      base: new URL(`${origin()}/api/v2`),
      keys,
      headersFor: (key) => ({ 'Backlog-API-Key': key }),
      classOf: () => 'read',
      ...limits,
      limitMs: 100,
      isLimitText: (body) => body.includes('secondary rate limit'),
      maxAnswerBytes: MAX_ANSWER,
    });
  }

  const json =
    (value: unknown, headers: Record<string, string> = {}): Answer =>
    (_request, response) =>
      response.writeHead(200, headers).end(JSON.stringify(value));

  const api = (maxPages?: number): BacklogApi => new BacklogApi(http, spool, maxPages);

  async function idsOf(pages: AsyncIterable<{ id: number }[]>): Promise<number[]> {
    const ids: number[] = [];
    for await (const page of pages) ids.push(...page.map(({ id }) => id));
    return ids;
  }

  const pageQuery = ({ url }: IncomingMessage): URLSearchParams => new URL(url ?? '', origin()).searchParams;

  it('is asked once for what the spool has, also by the next run', async () => {
    answer = json({ id: 7 });
    expect(await api().get(element, '/space')).toEqual({ id: 7 });
    await http.close();
    await open(spool.folder);
    expect(await api().get(element, '/space')).toEqual({ id: 7 });
    expect(requests).toEqual([{ url: '/api/v2/space', key: KEY }]);
  });

  it('keeps whether an answer links to a next page', async () => {
    answer = json([{ id: 1 }], {
      link: '<http://host/list?page=2>; rel="next", <http://host/list>; rel="first"',
    });
    const hasNext = async (path: string) => (await api().page(element, path))?.hasNext;
    expect(await hasNext('/list')).toBe(true);
    await http.close();
    await open(spool.folder);
    expect(await hasNext('/list')).toBe(true);
    answer = json([{ id: 1 }], { link: '<http://host/list>; rel="prev"' });
    expect(await hasNext('/other')).toBe(false);
    expect(requests).toHaveLength(2);
  });

  it('does not connect where a guard refuses it, also when a file is redirected there', async () => {
    const guard = new AddressGuard('IMPORT_SOURCE_ALLOW', [new URL(origin()).host]);
    await http.close();
    await open(`${spool.folder}-guarded`, [KEY], { guard });
    answer = json({ id: 7 });
    expect(await api().get(element, '/space')).toEqual({ id: 7 });
    const elsewhere = `http://localhost:${new URL(origin()).port}/secret`;
    answer = (_request, response) => response.writeHead(302, { location: elsewhere }).end();
    await expect(http.file('/file', 1000)).rejects.toThrow(/The address is not public/);
    expect(requests.map(({ url }) => url)).toEqual(['/api/v2/space', '/api/v2/file']);
  });

  it('keeps no key in the spool', async () => {
    answer = json({ id: 7 });
    await api().get(element, '/space');
    const names = readdirSync(spool.folder, { recursive: true, withFileTypes: true });
    for (const entry of names.filter((one) => one.isFile())) {
      expect((await readFile(`${entry.parentPath}/${entry.name}`)).includes(KEY)).toBe(false);
    }
  });

  it('refuses a spool of another source', async () => {
    await expect(Spool.open(spool.folder, { source: 'other' }, MAX_ANSWER)).rejects.toThrow(
      /is the spool of another source/,
    );
  });

  it.each([
    ['inclusive', 0],
    ['exclusive', 1],
  ])('reads every page of a list whose bound is %s', async (_bound, step) => {
    answer = (request, response) => {
      const from = Number(pageQuery(request).get('minId') ?? 1);
      const first = from === 1 ? 1 : from + step;
      const ids = Array.from({ length: 100 }, (_value, index) => ({ id: first + index }));
      response.end(JSON.stringify(ids.filter(({ id }) => id <= 250)));
    };
    expect(await idsOf(api().pagesById(element, ({ id }) => id, '/comments'))).toHaveLength(250);
  });

  it('waits until the limit of the source ends, and no longer', async () => {
    const reset = Math.ceil(Date.now() / 1000) + 1;
    answer = (_request, response) => {
      const isOver = Date.now() >= reset * 1000;
      const remaining = isOver ? 10 : 0;
      response
        .writeHead(isOver ? 200 : 429, { 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': reset })
        .end('{"id":1}');
    };
    await api().get(element, '/space');
    expect(requests.length).toBeLessThanOrEqual(3);
    expect(Date.now()).toBeLessThan(reset * 1000 + 3000);
  });

  it('uses another key while the limit of one is reached', async () => {
    await http.close();
    await open(spool.folder, ['one', 'two']);
    const reset = String(Math.ceil(Date.now() / 1000) + 3600);
    answer = (request, response) => {
      const isSpent = request.headers['backlog-api-key'] === 'one';
      response
        .writeHead(isSpent ? 429 : 200, {
          'X-RateLimit-Remaining': isSpent ? 0 : 5,
          'X-RateLimit-Reset': reset,
        })
        .end('{"id":1}');
    };
    await api().get(element, '/space');
    expect(requests.map(({ key }) => key)).toEqual(['one', 'two']);
  });

  it('waits until a source that is overloaded accepts requests again', async () => {
    const begun = performance.now();
    answer = (_request, response) =>
      response.writeHead(requests.length === 1 ? 503 : 200, { 'Retry-After': '1' }).end('{"id":1}');
    expect(await api().get(element, '/space')).toEqual({ id: 1 });
    expect(requests).toHaveLength(2);
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it.each<[string, number, Record<string, string>]>([
    ['403 without remaining requests', 403, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '0' }],
    // The window ends in an hour, but this limit at once.
    [
      '403 and a time to wait',
      403,
      { 'Retry-After': '0', 'X-RateLimit-Remaining': '9', 'X-RateLimit-Reset': '3600' },
    ],
    ['403 and a text that tells of a limit', 403, {}],
    ['429 and a time to wait', 429, { 'Retry-After': '0', 'RateLimit-Reset': '3600' }],
    ['429 with the headers of the standard', 429, { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '0' }],
  ])('repeats a request after a limit is met with %s', async (_case, status, headers) => {
    const body = '{"message":"You have exceeded a secondary rate limit."}';
    answer = (_request, response) =>
      requests.length === 1
        ? response.writeHead(status, headers).end(body)
        : response.writeHead(200).end('{"id":1}');
    expect(await api().find(element, '/space')).toEqual({ id: 1 });
    expect(requests).toHaveLength(2);
  });

  it('sends nothing more with a key whose requests are spent', async () => {
    answer = json({ id: 1 }, { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '3600' });
    await api().get(element, '/one');
    await expect(api().get(element, '/two')).rejects.toThrow(/asks to wait 60 minutes/);
    expect(requests).toHaveLength(1);
  });

  it.each([403, 404, 410, 422, 451])('takes %s for nothing there, and does not ask again', async (status) => {
    answer = (_request, response) => response.writeHead(status).end('{"message":"no"}');
    expect(await api().find(element, '/issues/1')).toBeUndefined();
    expect(await api().find(element, '/issues/1')).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('is asked again by the next run for what it has refused', async () => {
    answer = (_request, response) => response.writeHead(404).end('{"message":"no"}');
    expect(await api().find(element, '/issues/1')).toBeUndefined();
    expect(await api().about({ updated: 1 }).find(element, '/issues/1')).toBeUndefined();
    expect((await http.file('/files/1', 100)).path).toBeUndefined();
    await http.close();
    await open(spool.folder);
    answer = json({ id: 1 });
    expect(await api().find(element, '/issues/1')).toEqual({ id: 1 });
    expect(await api().about({ updated: 1 }).find(element, '/issues/1')).toEqual({ id: 1 });
    expect((await http.file('/files/1', 100)).size).toBe(8);
  });

  it('sees nothing that needs a key without one', async () => {
    await http.close();
    await open(spool.folder, ['']);
    answer = (_request, response) => response.writeHead(401).end('{"message":"Requires authentication"}');
    expect(await api().find(element, '/collaborators')).toBeUndefined();
  });

  it('follows an answer to another place of the source, with the key', async () => {
    answer = (request, response) =>
      request.url?.endsWith('/old')
        ? response.writeHead(301, { location: '/api/v2/new' }).end()
        : response.end('{"id":1}');
    expect(await api().get(element, '/old')).toEqual({ id: 1 });
    expect(requests).toEqual([
      { url: '/api/v2/old', key: KEY },
      { url: '/api/v2/new', key: KEY },
    ]);
  });

  it('does not follow an answer to another port of the same machine', async () => {
    const other = createServer((request, response) => {
      requests.push({ url: `other ${request.url}` });
      response.end('{"id":1}');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/space`;
    answer = (_request, response) => response.writeHead(301, { location }).end();
    await expect(api().get(element, '/space')).rejects.toThrow(/which is not followed/);
    other.close();
    expect(requests).toHaveLength(1);
  });

  it('repeats a request after a passing failure', async () => {
    answer = (_request, response) => response.writeHead(requests.length === 1 ? 503 : 200).end('{"id":1}');
    expect(await api().get(element, '/space')).toEqual({ id: 1 });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['as long as its kind needs', {}, /"id":1/],
    ['as long as an option says', { patienceMs: 1 }, undefined],
  ])('repeats failing requests %s', async (_what, limits, body) => {
    answer = (_request, response) =>
      requests.length < 3 ? response.writeHead(429).end() : response.end('{"id":1}');
    const options = { environment: readEnvironment({}), spool: `${spool.folder}-kind`, keys: [KEY], limits };
    const opened = await openHttpSpool(
      options,
      { limits },
      {
        ...{ base: new URL(origin()), headersFor: () => ({}), classOf: () => 'read', patienceMs: 30_000 },
      },
    );
    const asked = opened.http.answer('/space');
    if (body) expect((await asked).body).toMatch(body);
    else await expect(asked).rejects.toThrow(/does not say until when/);
    await opened.http.close();
    await rm(options.spool, { recursive: true });
  });

  it('sends the key to no other host that a file is at', async () => {
    const other = createServer((request, response) => {
      requests.push({ url: `other ${request.url}`, key: request.headers['backlog-api-key'] as string });
      response.end('content');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/file`;
    answer = (_request, response) => response.writeHead(302, { location }).end();
    const { path, size } = await http.file('/files/1', 100);
    other.close();
    expect([await readFile(path as string, 'utf8'), size]).toEqual(['content', 7]);
    expect(requests.map(({ key }) => key)).toEqual([KEY, undefined]);
  });

  it.each<[string, Answer, RegExp]>([
    ['wrong JSON', (_request, response) => response.end('{"id":'), /is not JSON/],
    ['a page', (_request, response) => response.end('<html>'), /is not JSON/],
    ['wrong types', json({ id: 'one' }), /is not as the API describes: id: /],
    ['a huge answer', json({ id: 1, text: 'x'.repeat(MAX_ANSWER) }), /answers with more than/],
    ['an answer without an end', (_request, response) => void response.write('{"id":'), /takes too long/],
    ['no answer', () => undefined, /takes too long/],
    ['a closed connection', (request) => request.socket.destroy(), /cannot be read/],
    [
      'a redirect without an end',
      (_request, response) => response.writeHead(302, { location: '/api/v2/space' }).end(),
      /redirects to http:.*, which is not followed/,
    ],
    [
      'a redirect to elsewhere',
      (_request, response) => response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
      /redirects to http:\/\/elsewhere.example, which is not followed/,
    ],
    [
      'a limit without an end',
      (_request, response) => response.writeHead(429).end(),
      /accepts no more requests, and does not say until when/,
    ],
    [
      'a limit for a year',
      (_request, response) => response.writeHead(429, { 'Retry-After': '31536000' }).end(),
      /asks to wait .* minutes/,
    ],
    ['a refused key', (_request, response) => response.writeHead(401).end(), /does not accept the key/],
    ['a refused parameter', (_request, response) => response.writeHead(400).end(), /refuses/],
    ['an unknown status', (_request, response) => response.writeHead(207).end(), /answers 207/],
  ])('is refused with one sentence for %s, and nothing of it is kept', async (_case, hostile, sentence) => {
    answer = hostile;
    await http.close();
    const isSlow = sentence.source === 'takes too long';
    await open(spool.folder, [KEY], { patienceMs: 300, timeoutMs: isSlow ? 200 : 30_000 });
    const error = await api()
      .get(element, '/space')
      .catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toMatch(sentence);
    expect((error as Error).message.split('\n')).toHaveLength(1);
    expect(await spool.hasAnswer('/space')).toBe(false);
  });

  it.each<[string, (request: IncomingMessage) => { id: number }[], RegExp]>([
    [
      'the same page again',
      () => Array.from({ length: 100 }, (_v, index) => ({ id: index + 1 })),
      /same page again/,
    ],
    [
      'pages without an end',
      (request) => {
        const from = Number(pageQuery(request).get('minId') ?? 0);
        return Array.from({ length: 100 }, (_v, index) => ({ id: from + index + 1 }));
      },
      /does not end/,
    ],
    [
      'larger pages than asked for',
      () => Array.from({ length: 101 }, (_v, index) => ({ id: index + 1 })),
      /more than 100/,
    ],
  ])('is refused for a list with %s', async (_case, page, sentence) => {
    answer = (request, response) => response.end(JSON.stringify(page(request)));
    await expect(idsOf(api(20).pagesById(element, ({ id }) => id, '/comments'))).rejects.toThrow(sentence);
  });

  it('is refused for a file that is longer than announced', async () => {
    answer = (_request, response) => response.end('x'.repeat(1000));
    await expect(http.file('/files/1', 100)).rejects.toThrow(/sends more than the announced 100 bytes/);
    expect(await spool.file('/files/1')).toBeUndefined();
  });
});
