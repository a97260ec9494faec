import { RoleType } from '../../src/access/role-type';
import { errorsAnswered } from '../../src/diagnostics/channels';
import { MAX_BODY_SIZE } from '../../src/http/request/request-body';
import { RawConnection } from '../support/raw-connection';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MAX_FILE_SIZE = 1024;
const MIB = 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: multipart/form-data; boundary=x';

describe('a request with Expect: 100-continue', () => {
  const tested = useWorld({ MAX_FILE_SIZE: String(MAX_FILE_SIZE) });
  let project: ProjectFixture;
  let member: Person;
  let viewer: Person;
  const opened: RawConnection[] = [];

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    viewer = await tested.world.addMember(project, RoleType.Viewer);
  });
  afterEach(() => {
    for (const { socket } of opened.splice(0)) socket.destroy();
  });

  async function ask(path: string, key: string, ...headers: string[]): Promise<RawConnection> {
    const { baseUrl } = tested.world.server;
    const connection = await RawConnection.open(baseUrl);
    opened.push(connection);
    const lines = [
      `POST ${new URL(baseUrl).pathname}${path} HTTP/1.1`,
      'Host: localhost',
      `X-API-Key: ${key}`,
      'Expect: 100-continue',
      ...headers,
    ];
    return connection.send(`${lines.join('\r\n')}\r\n\r\n`);
  }

  const comments = (): string => `/issues/${project.issueKey}/comments`;

  it('receives 100 Continue before its body and keeps the connection open', async () => {
    const body = JSON.stringify({ content: 'Hello' });
    const connection = await ask(comments(), member.key, JSON_TYPE, `Content-Length: ${body.length}`);
    expect(await connection.receives(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(body);
    const answer = await connection.receives(/"content":"Hello"/);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    expect(answer).not.toMatch(/Connection: close/);
    // The connection can be used again.
    connection.send(`GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await connection.receives(/HTTP\/1\.1 200 /);
  });

  it('receives 100 Continue before an upload', async () => {
    const body =
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText\r\n--x--\r\n';
    const length = `Content-Length: ${body.length}`;
    const connection = await ask('/space/attachment', member.key, FORM_TYPE, length);
    await connection.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    connection.send(body);
    expect(await connection.receives(/"name":"a\.txt"/)).toContain('HTTP/1.1 200 ');
  });

  it.each<[string, number, () => Promise<RawConnection>]>([
    ['an unknown key', 401, () => ask(comments(), 'nobody', JSON_TYPE, 'Content-Length: 9')],
    ['a missing issue', 404, () => ask('/issues/NOSUCH-1/comments', member.key, 'Content-Length: 9')],
    ['a missing right', 403, () => ask(comments(), viewer.key, JSON_TYPE, 'Content-Length: 9')],
    ['an unknown path', 404, () => ask('/nowhere', member.key, JSON_TYPE, 'Content-Length: 9')],
    [
      'a body over the size limit',
      413,
      () => ask(comments(), member.key, JSON_TYPE, `Content-Length: ${MAX_BODY_SIZE + 1}`),
    ],
    [
      'a file over the size limit',
      413,
      () => ask('/space/attachment', member.key, FORM_TYPE, `Content-Length: ${MIB + MAX_FILE_SIZE + 1}`),
    ],
    [
      'an unsupported content type',
      400,
      () => ask(comments(), member.key, 'Content-Type: text/plain', 'Content-Length: 9'),
    ],
  ])('fails on %s with %d, without 100 Continue, and closes the connection', async (_what, status, send) => {
    const connection = await send();
    const answer = await connection.closed();
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).not.toContain('100 Continue');
  });
});

describe('a request with Host headers', () => {
  const tested = useWorld();

  it.each([
    ['two different hosts', 'Host: a.example\r\nHost: b.example'],
    ['the same host twice', 'Host: localhost\r\nhost: localhost'],
  ])('fails on %s with 400 and closes the connection', async (_what, hosts) => {
    const { server, admin } = tested.world;
    const connection = await RawConnection.open(server.baseUrl);
    const path = `${new URL(server.baseUrl).pathname}/users/myself`;
    let refusals = 0;
    const unsubscribe = errorsAnswered.subscribe(() => refusals++);
    connection.send(`GET ${path} HTTP/1.1\r\n${hosts}\r\nX-API-Key: ${admin.key}\r\n\r\n`);
    const answer = await connection.closed();
    unsubscribe();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":7,"moreInfo":"Host"');
    // It has the headers of every response, and is counted like every other error.
    expect(answer).toMatch(/\r\nX-Request-Id: /i);
    expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
    expect(refusals).toBe(1);
  });

  it('succeeds with one Host header', async () => {
    const { server } = tested.world;
    const connection = await RawConnection.open(server.baseUrl);
    connection.send('GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 200 /);
  });
});
