import { once } from 'node:events';
import fs, { type ReadStream } from 'node:fs';
import { type Readable } from 'node:stream';
import { FileStorage } from '../../src/attachments/file-storage';
import { type ServiceAdapter } from '../../src/http/server/service-adapter';
import { RawConnection } from '../support/raw-connection';
import { errorShape } from '../support/shapes';
import { eventually } from '../support/webhooks';
import { pullRequestComments, useWorld } from '../support/world';

/** Larger than a file's pipeline and the buffers at both ends of a connection. */
const LARGE_FILE = 24 * 1024 * 1024;

/** Returns a whole response; its body only as far as its declared length. */
function parsed(answer: string): { head: string[]; body: unknown } {
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1]);
  return { head: head.split('\r\n'), body: JSON.parse(text.slice(0, length)) as unknown };
}

/** Matches the response to a request that cannot be read. */
const refusal = (status: string, code: number): object => ({
  head: [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    expect.stringMatching(/^Content-Length: \d+$/),
    'Connection: close',
  ],
  body: errorShape(code),
});

describe('connection handling', () => {
  const tested = useWorld({
    HEADERS_TIMEOUT: '2',
    BODY_TIMEOUT: '0.3',
    PROGRESS_TIMEOUT: '1',
    MAX_FILE_SIZE: String(LARGE_FILE),
  });
  const opened: RawConnection[] = [];

  afterEach(() => {
    for (const { socket } of opened.splice(0)) socket.destroy();
  });

  async function open(text = ''): Promise<RawConnection> {
    const connection = await RawConnection.open(tested.world.server.baseUrl);
    opened.push(connection);
    return connection.send(text);
  }

  const head = (method: string, target: string, ...headers: string[]): string => {
    const { key } = tested.world.admin;
    return [`${method} ${target} HTTP/1.1`, 'Host: localhost', `X-API-Key: ${key}`, ...headers, '', ''].join(
      '\r\n',
    );
  };

  it.each([
    ['no data', ''],
    ['a partial request head', 'GET /health/live HTTP/1.1\r\nHo'],
    ['an empty line', '\r\n'],
  ])('closes a connection with %s after HEADERS_TIMEOUT', async (_what, text) => {
    const connection = await open(text);
    expect(await connection.closed()).toMatch(/^(HTTP\/1.1 408 |$)/);
  });

  it('answers 408 to a request head that arrives too slowly', async () => {
    const connection = await open('GET /health/live HTTP/1.1\r\nX: ');
    const drip = setInterval(() => connection.send('a'), 20);
    const answer = parsed(await connection.closed());
    clearInterval(drip);
    expect(answer).toEqual(refusal('408 Request Timeout', 7));
  });

  it.each<[string, () => string, string, number]>([
    ['a request line that is not HTTP', () => 'HELLO\r\n\r\n', '400 Bad Request', 7],
    [
      'headers of more than 16 KiB',
      () => head('GET', '/api/v2/space', `X: ${'a'.repeat(17_000)}`),
      '431 Request Header Fields Too Large',
      7,
    ],
    [
      'chunk extensions of more than 16 KiB',
      () =>
        `${head('POST', '/api/v2/projects', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}1;${'a'.repeat(17_000)}`,
      '413 Payload Too Large',
      10,
    ],
  ])('answers %s with an error body and closes the connection', async (_what, text, status, code) => {
    const connection = await open(text());
    expect(parsed(await connection.closed())).toEqual(refusal(status, code));
  });

  it('answers 400 to a body that does not arrive within BODY_TIMEOUT', async () => {
    const type = 'Content-Type: application/json';
    const connection = await open(head('POST', '/api/v2/projects', type, 'Content-Length: 500'));
    const drip = setInterval(() => connection.send(' '), 20);
    const answer = await connection.receives(/\}\]\}$/);
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"message":"The request body did not arrive within 0.3 seconds.","code":7');
  });

  it('allows an upload more time than BODY_TIMEOUT', async () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc\r\n--b--\r\n';
    const type = 'Content-Type: multipart/form-data; boundary=b';
    const connection = await open(
      head(
        'POST',
        '/api/v2/space/attachment',
        type,
        `Content-Length: ${body.length}`,
        'Expect: 100-continue',
      ),
    );
    await connection.receives(/100 Continue/);
    for (const letter of body) {
      connection.send(letter);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await connection.receives(/\}$/)).toContain('"name":"a.txt"');
  });

  it('closes the files of downloads that the client does not read', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const id = await world.addUpload(world.admin, 'a'.repeat(LARGE_FILE));
    const { body: issue } = await world.admin.api.patch(`/issues/${project.issueKey}`, {
      attachmentId: [id],
    });
    const path = `/api/v2/issues/${project.issueKey}/attachments/${(issue as { attachments: { id: number }[] }).attachments[0]?.id}`;
    const openFiles = vi.spyOn(world.server.app.get(FileStorage, { strict: false }), 'read');
    const connection = await open();
    // The second response waits until the client has read the first.
    connection.stopReading().send(head('GET', path) + head('GET', path));
    await eventually(
      () => Promise.resolve(openFiles.mock.results),
      (results) => results.length === 2,
    );
    const files = await Promise.all(openFiles.mock.results.map(({ value }) => value as Promise<Readable>));
    await Promise.all(files.map((file) => (file.destroyed ? Promise.resolve() : once(file, 'close'))));
    expect(files.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  it('opens fewer documentation files than pipelined requests and closes all of them', async () => {
    const openFile = vi.spyOn(fs, 'createReadStream');
    const connection = await open();
    const path = '/api-docs/swagger-ui-bundle.js';
    connection.stopReading().send(head('GET', path).repeat(20));
    const files = (): ReadStream[] => openFile.mock.results.map(({ value }) => value as ReadStream);
    await eventually(
      () => Promise.resolve(files()),
      ({ length }) => length > 0,
    );
    connection.socket.destroy();
    await eventually(
      () => Promise.resolve(files()),
      (opened) => opened.every(({ closed }) => closed),
    );
    expect(files().length).toBeLessThan(20);
    openFile.mockRestore();
    const whole = await open(`${head('GET', path)}${head('GET', path, 'Connection: close')}`);
    expect((await whole.closed()).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  });

  describe('with another host in the request', () => {
    it.each(['http://evil.example', 'http://evil.example:3000', 'HTTP://user@evil.example'])(
      'ignores the origin %s of an absolute request target',
      async (origin) => {
        const { world } = tested;
        const project = await world.addProject();
        for (let times = 0; times < 2; times++)
          await world.addComment(project.pullRequestThreadId, world.admin);
        const connection = await open(head('GET', `${origin}/api/v2${pullRequestComments(project)}?count=1`));
        const answer = await connection.receives(/\}\]$/);
        expect(answer).toMatch(/^HTTP\/1.1 200 /);
        expect(answer).not.toMatch(/evil/i);
        expect(answer).toContain(
          `Link: <http://localhost/api/v2${pullRequestComments(project)}?count=1&maxId=`,
        );
      },
    );

    it.each(['http://evil.example', 'http://evil.example?a=b'])(
      'treats the request target %s as the root path',
      async (target) => {
        const connection = await open(head('GET', target));
        expect(await connection.receives(/\r\n\r\n/)).toMatch(
          /^HTTP\/1.1 302 [^]*\r\nLocation: .\/api-docs\r\n/,
        );
      },
    );

    it('uses its own address instead of a foreign Host header in Link and Location', async () => {
      const { world } = tested;
      const project = await world.addProject();
      const { origin } = new URL(world.server.baseUrl);
      for (let times = 0; times < 2; times++)
        await world.addComment(project.pullRequestThreadId, world.admin);
      const connection = await open(
        head('GET', `/api/v2${pullRequestComments(project)}?count=1`).replace('localhost', 'evil.example'),
      );
      const answer = await connection.receives(/\}\]$/);
      expect(answer).not.toContain('evil');
      expect(answer).toContain(`Link: <${origin}/api/v2/projects/`);
      const body = '{"content":"A"}';
      const created = await open(
        head(
          'POST',
          `/api/v2/issues/${project.issueKey}/comments`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ).replace('localhost', 'evil.example') + body,
      );
      expect(await created.receives(/\}$/)).toContain(`Location: ${origin}/view/${project.issueKey}`);
    });
  });

  it('answers GET /health/ready with 503 once the service is stopping', async () => {
    const { world } = tested;
    const url = new URL('/health/ready', world.server.baseUrl);
    expect((await fetch(url)).status).toBe(200);
    const { connections } = world.server.app.getHttpAdapter() as unknown as ServiceAdapter;
    const isStopping = vi.spyOn(connections, 'isStopping', 'get').mockReturnValue(true);
    const response = await fetch(url);
    isStopping.mockRestore();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
  });
});
