import { request } from 'node:http';
import { Backlog, Error as BacklogErrors } from 'backlog-js';
import { STATUS_BY_CODE } from '../../src/errors/error-response';
import { type Fault, type FaultCode, type TestServer } from '../../src/testing';
import { errorShape } from '../support/shapes';
import { eventually } from '../support/webhooks';
import { type Person, type ProjectFixture, useWorld, World } from '../support/world';

const CODES: readonly FaultCode[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
const VOLATILE = ['date', 'x-request-id', 'x-ratelimit-reset'];

describe('fault injection', () => {
  const tested = useWorld({ BASE_PATH: '/nested/api' });
  let server: TestServer;
  let project: ProjectFixture;
  let member: Person;
  let client: Backlog;

  beforeAll(async () => {
    server = tested.world.server;
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    client = new Backlog({
      host: 'space.example.com',
      apiKey: member.key,
      fetch: (input, init) =>
        fetch((input as string).replace('https://space.example.com/api/v2', server.baseUrl), init),
    });
  });
  afterEach(() => {
    const unanswered = server.unansweredFaults();
    for (const fault of unanswered) fault.cancel();
    expect(unanswered).toEqual([]);
  });

  const comments = (): string => `/issues/${project.issueKey}/comments`;
  const commentCount = async (): Promise<number> =>
    (await member.api.get<{ count: number }>(`${comments()}/count`)).body.count;

  /** Returns the status, the stable headers and the body of a response. */
  async function answerOf(path: string, init: RequestInit = {}) {
    const answer = await fetch(server.baseUrl + path, {
      ...init,
      headers: { 'X-API-Key': member.key, Origin: 'https://page.example.com', ...init.headers },
    });
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !VOLATILE.includes(name)));
    return { status: answer.status, headers, body: await answer.json() };
  }

  it.each(CODES)('answers once with code %i, as backlog-js expects it', async (code) => {
    const fault = server.answerNext({ method: 'get', path: '/projects/:projectIdOrKey' }, { code });
    expect(server.unansweredFaults()).toEqual([fault]);
    await client.getMyself();
    const error = await client.getProject(project.key).catch((thrown: unknown) => thrown);
    const expected = code === 11 ? BacklogErrors.BacklogAuthError : BacklogErrors.BacklogApiError;
    expect(error).toBeInstanceOf(expected);
    expect(error).toMatchObject({ status: STATUS_BY_CODE[code], body: { errors: [{ code }] } });
    expect([fault.answered, fault.left]).toEqual([1, 0]);
    expect(await client.getProject(project.key)).toMatchObject({ id: project.id });
    expect(fault.answered).toBe(1);
  });

  it('answers with the status, headers and body of a real error', async () => {
    const json = { 'Content-Type': 'application/json' };
    const path = `/issues/${project.issueKey}`;
    const real: [FaultCode, string, RequestInit][] = [
      [5, path, { method: 'DELETE' }],
      [6, '/issues/NONE-1', {}],
      [7, path, { method: 'PATCH', headers: json, body: '{"colour":1}' }],
      [11, path, { headers: { 'X-API-Key': 'x'.repeat(40) } }],
    ];
    for (const [code, target, init] of real) {
      const expected = await answerOf(target, init);
      server.answerNext({}, { code });
      const injected = await answerOf(path, { ...init, headers: json });
      expect([code, injected]).toEqual([code, expected]);
    }
  });

  it('applies the oldest matching fault, as many times as requested', async () => {
    const first = server.answerNext({ method: 'POST', path: comments() }, { code: 9, times: 2 });
    const second = server.answerNext({ path: /^\/issues\// }, { code: 3 });
    const before = (
      await Promise.all([1, 2, 3].map(() => member.api.post(comments(), { content: 'a' })))
    ).map(({ status }) => status);
    expect(before.toSorted()).toEqual([403, 409, 409]);
    expect([first.answered, second.answered]).toEqual([2, 1]);
    expect(await commentCount()).toBe(0);
    expect((await member.api.post(comments(), { content: 'a' })).status).toBe(201);
    // Not applied outside the base address.
    const all = server.answerNext({ path: '*' }, { code: 1, times: Infinity });
    expect((await fetch(`${new URL(server.baseUrl).origin}/health/live`)).status).toBe(200);
    expect(await answerOf('/no/such?path=1')).toMatchObject({ status: 500, body: errorShape(1) });
    expect([all.answered, all.left]).toEqual([1, Infinity]);
    all.cancel();
    expect([all.answered, all.left]).toEqual([1, 0]);
    expect((await member.api.get(comments())).status).toBe(200);
  });

  it('matches the decoded path without the query', async () => {
    server.answerNext({ path: '/projects/日本' }, { code: 12 });
    expect((await member.api.get('/projects/%E6%97%A5%E6%9C%AC?a=/b')).body).toEqual(errorShape(12));
    const broken = server.answerNext({ path: '/projects/%ff' }, { code: 12 });
    expect((await fetch(`${server.baseUrl}/projects/%ff`)).status).toBe(403);
    expect(broken.left).toBe(0);
  });

  it('delays an answer or an error, and drops the request of a disconnected client', async () => {
    const count = await commentCount();
    for (const [fault, status] of [
      [{ delay: 60 }, 201],
      [{ delay: 60, code: 2 }, 403],
    ] as [Fault, number][]) {
      server.answerNext({ path: comments() }, fault);
      const started = performance.now();
      expect((await member.api.post(comments(), { content: 'Late' })).status).toBe(status);
      expect(performance.now() - started).toBeGreaterThan(55);
    }
    const gone = server.answerNext({ path: comments() }, { delay: 100 });
    const leaving = new AbortController();
    const post = fetch(server.baseUrl + comments(), {
      method: 'POST',
      headers: { 'X-API-Key': member.key },
      body: new URLSearchParams({ content: 'Gone' }),
      signal: leaving.signal,
    });
    await eventually(
      () => Promise.resolve(gone.answered),
      (answered) => answered === 1,
    );
    leaving.abort();
    await expect(post).rejects.toThrow('aborted');
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await commentCount()).toBe(count + 1);
  });

  /** Returns the part of a response that arrives before its connection is closed. */
  const received = (method: string, path: string, body?: string) =>
    new Promise<{ status?: number; length?: number; text: string; complete?: boolean }>((resolve) => {
      const outgoing = request(server.baseUrl + path, {
        method,
        headers: {
          'X-API-Key': member.key,
          ...(body !== undefined && {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
          }),
        },
      });
      outgoing.on('error', () => resolve({ text: '' }));
      outgoing.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('error', () => undefined);
        response.on('close', () =>
          resolve({
            status: response.statusCode,
            length: Number(response.headers['content-length']),
            text,
            complete: response.complete,
          }),
        );
      });
      outgoing.end(body);
    });

  it('closes the connection before the service does any work', async () => {
    const count = await commentCount();
    server.answerNext({ path: comments() }, { drop: 'before' });
    expect(await received('POST', comments(), '{"content":"Lost"}')).toEqual({ text: '' });
    expect(await commentCount()).toBe(count);
    const error = client.getProject(project.key);
    expect(await error).toMatchObject({ id: project.id });
  });

  it('closes the connection in the middle of an answer after the work is done', async () => {
    const count = await commentCount();
    server.answerNext({ path: comments() }, { drop: 'middle' });
    const { status, length = 0, text, complete } = await received('POST', comments(), '{"content":"Half"}');
    expect([status, text.length, complete]).toEqual([201, Math.ceil(length / 2), false]);
    expect(await commentCount()).toBe(count + 1);
    server.answerNext({ path: comments() }, { drop: 'middle', code: 8 });
    expect(await received('GET', comments())).toMatchObject({ status: 413, complete: false });
    // A file is streamed.
    server.answerNext({ path: '/space/image' }, { drop: 'middle' });
    const icon = await received('GET', '/space/image');
    expect([icon.status, icon.text.length, icon.complete]).toEqual([200, Math.ceil(icon.length! / 2), false]);
    // Without a body there is no middle.
    server.answerNext({ path: '/space/image' }, { drop: 'middle' });
    expect(await received('HEAD', '/space/image')).toEqual({ text: '' });
  });

  it.each<[object, ErrorConstructor]>([
    [{}, TypeError],
    [{ times: 2 }, TypeError],
    [{ code: 0 }, RangeError],
    [{ code: 14 }, RangeError],
    [{ code: 1.5 }, RangeError],
    [{ delay: -1 }, RangeError],
    [{ delay: NaN }, RangeError],
    [{ delay: 600_001 }, RangeError],
    [{ drop: 'after' }, TypeError],
    [{ drop: 'before', code: 5 }, TypeError],
    [{ code: 5, times: 0 }, RangeError],
    [{ code: 5, times: 1.5 }, RangeError],
  ])('refuses %j', (fault, type) => {
    expect(() => server.answerNext({}, fault)).toThrow(type);
  });

  it('answers code 13 like the rate limits, and ends with its server', async () => {
    const limited = await World.start({ RATE_LIMIT: 'on', RATE_LIMIT_READ: '1', RATE_LIMIT_UPDATE: '7' });
    const { server: other, admin } = limited;
    const get = async (method = 'GET') => {
      const response = await fetch(`${other.baseUrl}/users/myself`, {
        method,
        headers: { 'X-API-Key': admin.key },
      });
      const headers = [...response.headers].filter(([name]) => !VOLATILE.includes(name));
      return {
        status: response.status,
        reset: Number(response.headers.get('x-ratelimit-reset')),
        headers: Object.fromEntries(headers),
        body: await response.json(),
      };
    };
    await get();
    const real = await get();
    expect(real.status).toBe(429);
    other.answerNext({}, { code: 13, times: 2 });
    const injected = await get();
    expect(injected).toEqual({
      ...real,
      reset: expect.any(Number),
      headers: { ...real.headers, 'retry-after': '60' },
    });
    expect(injected.reset - Date.now() / 1000).toBeGreaterThan(50);
    expect((await get('PUT')).headers['x-ratelimit-limit']).toBe('7');

    other.answerNext({}, { delay: 60_000 });
    other.answerNext({}, { code: 1 });
    const late = get().catch(() => 'closed');
    while (other.unansweredFaults().length > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const started = performance.now();
    await limited.stop();
    expect(await late).toBe('closed');
    expect(performance.now() - started).toBeLessThan(5000);
    expect(other.unansweredFaults()).toEqual([]);
  });
});
