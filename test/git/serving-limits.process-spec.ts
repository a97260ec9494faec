import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer, request as openRequest, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip, type Gunzip, gzipSync } from 'node:zlib';
import { DataSource } from 'typeorm';
import { ServiceUnavailableError } from '../../src/errors/domain-errors';
import { GitHousekeeping } from '../../src/git/git-housekeeping';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { LargePushesService } from '../../src/git-repositories/serving/large-pushes.service';
import { pktLine } from '../../src/git-repositories/serving/pkt-line';
import { KnownCallersService } from '../../src/users/known-callers.service';
import { describeWithGit, type GitFolder, WITH_GIT } from '../support/git';
import { RawConnection } from '../support/raw-connection';
import { activitiesOf } from '../support/records';
import {
  addClonedProject,
  commitFile,
  creationOf,
  deltaPack,
  EMPTY_PACK,
  packOf,
  pushFile,
  type ServedGit,
  startServedGit,
  until,
} from '../support/served-git';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

const FETCH = 'git-upload-pack';
const PUSH = 'git-receive-pack';
const FLUSH = Buffer.from('0000');

describeWithGit('a git request from an unusual client', () => {
  const tested = useWorld({ ...WITH_GIT, MAX_PUSH_SIZE: '100000' });
  let world: World;
  let project: ProjectFixture;
  let member: Person;
  let served: ServedGit;
  let folder: GitFolder;
  let head: string;

  beforeAll(() => {
    ({ world } = tested);
  });
  beforeEach(async () => {
    const added = await addClonedProject(world);
    ({ project, member, served, folder } = added);
    head = await pushFile(added.clone, 'a.txt');
  });
  afterEach(() => folder.remove());

  const refs = (): Promise<string> => served.onServer('for-each-ref', '--format=%(refname)');
  const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;

  it('reaches no files, and no services except fetch and push', async () => {
    const { key } = member;
    for (const path of ['/HEAD', '/objects/info/packs', '/info', '/config', '/info/refs/x', ''])
      expect(await statusOf(served.get(path, key))).toBe(404);
    for (const query of ['', '?service=', '?service=git-upload-archive', '?service=upload-pack'])
      expect(await statusOf(served.get(`/info/refs${query}`, key))).toBe(403);
    expect(await statusOf(served.get(`/${FETCH}`, key))).toBe(405);
    expect(await statusOf(fetch(`${served.origin}${served.path}/info/refs`, { method: 'POST' }))).toBe(405);
  });

  it('gets a 4xx status when it is malformed', async () => {
    const { key } = member;
    for (const service of [FETCH, PUSH]) {
      const send = (body: string | Buffer, headers: Record<string, string> = {}): Promise<number> =>
        statusOf(served.post(service, key, body, headers));
      expect(await send('0000', { 'Content-Type': 'application/json' })).toBe(400);
      expect(await send('0000', { 'Content-Type': 'application/x-git-upload-archive-request' })).toBe(400);
      expect(await send('0000', { 'Content-Encoding': 'br' })).toBe(400);
      expect(await send('0000', { 'Content-Encoding': 'gzip' })).toBe(400);
      expect(await send(gzipSync('0000').subarray(0, 15), { 'Content-Encoding': 'gzip' })).toBe(400);
      expect(await send(gzipSync('0000'), { 'Content-Encoding': 'gzip' })).toBe(200);
      for (const garbage of ['zzzz', 'x', '0003', 'ffff', '00', '0009hello', randomBytes(5000)]) {
        const status = await send(garbage);
        expect({ service, garbage, isRefused: status >= 400 && status < 500 }).toEqual({
          service,
          garbage,
          isRefused: true,
        });
      }
    }
    expect(await statusOf(served.post(`${FETCH}?x=1`, key, '0000'))).toBe(400);
    for (const version of ['version=9', 'version=2;rm -rf', '\t', 'x'.repeat(5000)]) {
      const answer = await served.get(`/info/refs?service=${FETCH}`, key, { 'Git-Protocol': version });
      expect(await answer.text()).toMatch(/^001e# service=git-upload-pack\n0000/);
    }
    expect(await refs()).toBe('refs/heads/main');
  });

  it('is decompressed only up to a limit', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const line = gzipSync(
      Buffer.concat(Array.from({ length: 10_000 }, () => pktLine(Buffer.alloc(1000, 'x')))),
    );
    for (const service of [FETCH, PUSH]) {
      for (const body of [bomb, line]) {
        const { status } = await served.post(service, member.key, body, { 'Content-Encoding': 'gzip' });
        expect([400, 413]).toContain(status);
      }
    }
    // What follows a push that is refused, or whose end git has seen, is not unpacked at all.
    for (const name of ['refs/heads/a..b', 'refs/heads/x']) {
      const push = creationOf(head, [name], Buffer.concat([EMPTY_PACK, Buffer.alloc(200 * 1024 * 1024)]));
      const answer = await served.post(PUSH, member.key, gzipSync(push), { 'Content-Encoding': 'gzip' });
      expect([name, answer.status]).toEqual([name, 200]);
      expect(await answer.text()).toMatch(
        name === 'refs/heads/x' ? /(ok|ng) refs\/heads\/x/ : /not a valid branch or tag name/,
      );
    }
    const wants = [pktLine('command=fetch'), Buffer.from('0001'), pktLine('no-progress')];
    const haves = Array.from({ length: 170_000 }, () => pktLine(`have ${'1'.repeat(40)}\n`));
    const answer = await served.post(FETCH, member.key, gzipSync(Buffer.concat([...wants, ...haves])), {
      'Content-Encoding': 'gzip',
      'Git-Protocol': 'version=2',
    });
    expect(answer.status).toBe(413);
  });

  it('leaves no compressed body open when git cannot start for a fetch', async () => {
    const git = world.service(GitProgram);
    const start = git.start.bind(git);
    const starting = vi.spyOn(git, 'start').mockImplementation((args, options) => {
      if (args[0] === 'upload-pack') return Promise.reject(new ServiceUnavailableError());
      return start(args, options);
    });
    const destroying = vi.spyOn(Object.getPrototypeOf(createGunzip()) as Gunzip, 'destroy');
    try {
      const body = gzipSync(randomBytes(1_000_000));
      const answer = await served.post(FETCH, member.key, body, { 'Content-Encoding': 'gzip' });
      expect(answer.status).toBe(503);
      expect(destroying).toHaveBeenCalled();
    } finally {
      starting.mockRestore();
      destroying.mockRestore();
    }
  });

  it('reads refs in the pool of transfers, with an abort signal', async () => {
    const starting = vi.spyOn(world.service(GitProgram), 'start');
    try {
      await served.get(`/info/refs?service=${FETCH}`, member.key);
      await served.get(`/info/refs?service=${PUSH}`, member.key);
      await served.post(PUSH, member.key, creationOf(head, ['refs/heads/x']));
      const { id } = member;
      const reads = starting.mock.calls.filter(
        ([args, { userId }]) => userId === id && args[0] === 'for-each-ref',
      );
      expect(reads).toHaveLength(3);
      for (const [, { pool, signal }] of reads) expect([pool, signal?.aborted]).toEqual(['transfers', false]);
    } finally {
      starting.mockRestore();
    }
  });

  it('creates refs with valid names and reports invalid and hidden ones', async () => {
    const refused: [string | Buffer, RegExp][] = [
      ['refs/heads/a..b', /ng refs\/heads\/a\.\.b not a valid branch or tag name/],
      ['refs/heads/a\nb', /ng refs\/heads\/a\?b not a valid branch or tag name/],
      ['refs/heads/../../config', /not a valid branch or tag name/],
      ['refs/heads/.x', /not a valid branch or tag name/],
      ['refs/heads/x.lock', /not a valid branch or tag name/],
      ['refs/heads/\u001b[31m', /not a valid branch or tag name/],
      ['HEAD', /not a valid branch or tag name/],
      [Buffer.from([...Buffer.from('refs/heads/'), 0xff, 0xfe]), /not a valid branch or tag name/],
      [`refs/heads/${'x'.repeat(250)}`, /not a valid branch or tag name/],
      ['refs/notes/x', /ng refs\/notes\/x deny updating a hidden ref/],
      ['refs/pull/1/head', /deny updating a hidden ref/],
    ];
    for (const [name, report] of refused) {
      const answer = await served.post(PUSH, member.key, creationOf(head, [name]));
      expect(answer.status).toBe(200);
      expect(await answer.text()).toMatch(report);
    }
    expect(await refs()).toBe('refs/heads/main');
    const mixed = await served.post(
      PUSH,
      member.key,
      creationOf(head, ['refs/heads/good', 'refs/heads/a..b']),
    );
    expect(await mixed.text()).toMatch(/ng refs\/heads\/good refused together with the others/);
    const good = await served.post(
      PUSH,
      member.key,
      creationOf(head, ['refs/heads/日本/übung', 'refs/tags/é']),
    );
    expect(await good.text()).toMatch(/ok refs\/heads\/日本\/übung/);
    expect(await refs()).toBe('refs/heads/main\nrefs/heads/日本/übung\nrefs/tags/é');
  });

  it('changes at most 20,000 refs', async () => {
    const names = Array.from({ length: 20_001 }, (_, index) => `refs/tags/v${index}`);
    const tooMany = await served.post(PUSH, member.key, creationOf(head, names));
    expect(await tooMany.text()).toMatch(
      /unpack at most 20000 branches and tags, listed in at most 4 MiB, can be pushed at once/,
    );
    expect(await refs()).toBe('refs/heads/main');
  });

  it('skips 50,000 pull request refs of a mirror beside a branch', async () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `refs/pull/${index}/head`);
    const body = creationOf(head, ['refs/heads/x', ...names], EMPTY_PACK, 'report-status side-band-64k');
    expect(body.length).toBeGreaterThan(4 * 1024 * 1024);
    const report = await (await served.post(PUSH, member.key, body)).text();
    expect(report).toMatch(/Skipped 50000 refs such as refs\/pull\/0\/head/);
    expect(report).toMatch(/unpack ok\n[^]*ok refs\/heads\/x\n[^]*ok refs\/pull\/0\/head\n/);
    expect(await refs()).toBe('refs/heads/main\nrefs/heads/x');
  });

  it('waits while another push of its user lists thousands of refs', async () => {
    const taking = vi.spyOn(world.service(LargePushesService), 'take');
    try {
      // Invalid names, so that git need not create them.
      const names = Array.from({ length: 5000 }, (_, index) => `refs/tags/v..${index}`);
      const body = creationOf(head, names);
      const first = await served.openPush(member.key, body.length);
      first.socket.write(body.subarray(0, 280_000));
      await until(() => taking.mock.settledResults[0]?.type === 'fulfilled');
      const second = served.post(PUSH, member.key, creationOf(head, names));
      await until(() => taking.mock.calls.length === 2);
      const small = await served.post(PUSH, member.key, creationOf(head, ['refs/heads/small']));
      expect(await small.text()).toMatch(/ok refs\/heads\/small/);
      expect(taking.mock.settledResults[1]?.type).toBe('incomplete');
      first.socket.destroy();
      expect(await (await second).text()).toMatch(/ng refs\/tags\/v\.\.4999/);
      const third = await served.post(PUSH, member.key, creationOf(head, names));
      expect(third.status).toBe(200);
    } finally {
      taking.mockRestore();
    }
  });

  it('changes nothing above MAX_PUSH_SIZE or with a false object count', async () => {
    const clone = folder.in('clone');
    await commitFile(clone, 'large.bin', randomBytes(3_000_000));
    const { code, stderr } = await clone.try('push', 'origin', 'main');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/pack exceeds maximum allowed size/);
    for (const objects of [1, 100, 0x0fffffff, 0xffffffff]) {
      const answer = await served.post(PUSH, member.key, creationOf(head, ['refs/heads/x'], packOf(objects)));
      expect(await answer.text()).toMatch(/unpack (?!ok)/);
    }
    expect(await served.onServer('rev-parse', 'main')).toBe(head);
    expect(await refs()).toBe('refs/heads/main');
  });

  it('takes no more disk space than its pack, whatever its deltas expand to', async () => {
    const send = async (pack: Buffer): Promise<string> => {
      const answer = await served.post(PUSH, member.key, creationOf(head, ['refs/heads/x'], pack));
      return answer.text();
    };
    const store = world.service(GitStore);
    const before = await store.size(project.repositoryId);
    const huge = await send(deltaPack(Buffer.alloc(16_000_000), [{ copies: 45, end: 'x' }]));
    expect(huge).toMatch(/unpack index-pack abnormal exit/);
    expect(await store.size(project.repositoryId)).toBe(before);
    const versions = Array.from({ length: 30 }, (_, index) => ({ copies: 1, end: `${index}` }));
    expect(await send(deltaPack(randomBytes(60_000), versions))).toMatch(/ok refs\/heads\/x/);
    expect((await store.size(project.repositoryId)) - before).toBeLessThan(100_000);
  });

  it('leaves no refs or objects when it is aborted', async () => {
    const before = await served.onServer('count-objects', '-v');
    const body = creationOf(
      head,
      ['refs/heads/x'],
      Buffer.concat([packOf(500).subarray(0, 12), randomBytes(9000)]),
    );
    const connection = await served.openPush(member.key, 1_000_000);
    connection.socket.write(body);
    await served.whenBusy();
    connection.socket.destroy();
    await served.whenIdle();
    expect(await refs()).toBe('refs/heads/main');
    // Git can lose the race against its own child process for the last temporary file; housekeeping removes that one.
    const folder = world.service(GitStore).folderOf(project.repositoryId);
    await world.service(GitHousekeeping).removeStale(folder, Date.now() + 26 * 3_600_000);
    expect(await served.onServer('count-objects', '-v')).toBe(before);
    expect((await readdir(join(folder, 'objects'))).filter((name) => name.startsWith('tmp'))).toEqual([]);
  });

  it('is recorded even if the client disconnects before the end of the response', async () => {
    const body = creationOf(head, ['refs/heads/x']);
    const connection = await served.openPush(member.key, body.length);
    connection.socket.write(body);
    await connection.receives(/^HTTP\/1.1 200 /);
    connection.socket.destroy();
    await until(async () => JSON.stringify(await activitiesOf(world, project)).includes('refs/heads/x'));
  });

  it('gets 401 and changes nothing when its API key is deleted meanwhile', async () => {
    const body = creationOf(head, ['refs/heads/x']);
    const stranger = await world.addMember(project);
    const connection = await served.openPush(stranger.key, body.length);
    connection.socket.write(body.subarray(0, -5));
    await served.whenBusy();
    await world.dataSource.query('DELETE FROM api_key WHERE user_id = ?', [stranger.id]);
    world.service(KnownCallersService).forget(stranger.id);
    connection.socket.write(body.subarray(-5));
    await connection.receives(/^HTTP\/1.1 401 /);
    connection.socket.destroy();
    await served.whenIdle();
    expect(await refs()).toBe('refs/heads/main');
  });
});

describeWithGit('git over HTTP with other settings', () => {
  let world: World;
  let project: ProjectFixture;
  let served: ServedGit;
  let folder: GitFolder;

  const start = async (environment: Record<string, string>): Promise<void> => {
    ({ world, project, served, folder } = await startServedGit(environment));
  };

  afterEach(async () => {
    await world.stop();
    await folder.remove();
  });

  const pushed = async (content: Buffer | string = 'a'): Promise<string> =>
    pushFile(await served.clone(folder, world.admin), 'a.txt', content);

  it('disconnects a client that stops reading, and ends git', async () => {
    await start({ PROGRESS_TIMEOUT: '0.5' });
    const head = await pushed(randomBytes(12_000_000));
    const body = Buffer.concat([
      pktLine('command=fetch'),
      Buffer.from('0001'),
      pktLine(`want ${head}\n`),
      pktLine('done\n'),
      FLUSH,
    ]);
    const connection = await RawConnection.open(served.origin);
    connection.stopReading();
    connection.send(
      `POST ${served.path}/${FETCH} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${world.admin.key}\r\nGit-Protocol: version=2\r\n` +
        `Content-Type: application/x-${FETCH}-request\r\nContent-Length: ${body.length}\r\n\r\n${body.toString()}`,
    );
    await served.whenBusy();
    await served.whenIdle();
    connection.socket.resume();
    await connection.closed();
  });

  it('allows a push to take longer than UPLOAD_TIMEOUT', async () => {
    await start({ UPLOAD_TIMEOUT: '0.5', HEADERS_TIMEOUT: '0.5' });
    const body = creationOf(await pushed(), ['refs/heads/x']);
    const connection = await served.openPush(world.admin.key, body.length);
    for (let at = 0; at < body.length; at += 8) {
      connection.socket.write(body.subarray(at, at + 8));
      await sleep(100);
    }
    await connection.receives(/ok refs\/heads\/x/);
    connection.socket.destroy();
  });

  it('disconnects a push whose body never ends, accepted or refused', async () => {
    await start({ GIT_TIMEOUT: '1' });
    const head = await pushed();
    const bodies = [
      creationOf(head, ['refs/heads/x']).subarray(0, 50),
      creationOf(head, ['refs/heads/a..b']),
    ];
    const connections = await Promise.all(
      bodies.map(async (body) => {
        const connection = await served.openPush(world.admin.key, 1_000_000);
        connection.socket.write(body);
        const sending = setInterval(() => connection.socket.write('0'), 100);
        return connection.closed().finally(() => clearInterval(sending));
      }),
    );
    expect(connections).toHaveLength(2);
  });

  it('completes a running push during shutdown', async () => {
    await start({});
    const body = creationOf(await pushed(), ['refs/heads/x']);
    const connection = await served.openPush(world.admin.key, body.length);
    connection.socket.write(body.subarray(0, -5));
    await served.whenBusy();
    const stopping = world.server.app.close();
    connection.socket.write(body.subarray(-5));
    await connection.receives(/ok refs\/heads\/x/);
    await stopping;
  });

  it('aborts a push that exceeds SHUTDOWN_GRACE during shutdown', async () => {
    await start({ SHUTDOWN_GRACE: '0.3' });
    const body = creationOf(await pushed(), ['refs/heads/x']);
    const connection = await served.openPush(world.admin.key, body.length);
    connection.socket.write(body.subarray(0, body.length - 5));
    await served.whenBusy();
    await world.server.app.close();
    expect(connection.received).not.toMatch(/ok refs/);
    await served.whenIdle();
  });

  it('counts wrong keys and names as failures, but not missing ones', async () => {
    await start({ MAX_FAILED_KEYS: '2' });
    const url = '/info/refs?service=git-upload-pack';
    const basic = (name: string, key: string) => ({ Authorization: `Basic ${btoa(`${name}:${key}`)}` });
    for (let times = 0; times < 5; times++) expect((await served.get(url)).status).toBe(401);
    expect((await served.get(url, undefined, basic('admin', 'x'.repeat(54)))).status).toBe(401);
    expect((await served.get(url, undefined, basic('nobody', world.admin.key))).status).toBe(401);
    const refused = await served.get(url, undefined, basic('nobody', world.admin.key));
    expect(refused.status).toBe(429);
    expect(await refused.text()).toBe('Too many requests.\n');
    expect((await served.get(url, undefined, basic('admin', world.admin.key))).status).toBe(200);
  });

  it('returns 503 and names GIT_PATH when git is missing', async () => {
    await start({ GIT_PATH: '/nonexistent/git' });
    const viewer = await world.addUser();
    const { stderr } = await folder.try('clone', served.urlFor(world.admin));
    expect(stderr).toMatch(
      /remote: Git is not available on the server: GIT_PATH is \/nonexistent\/git[^]*503/,
    );
    expect((await served.post(FETCH, world.admin.key, FLUSH)).status).toBe(503);
    expect((await served.post(PUSH, viewer.key, FLUSH)).status).toBe(404);
  });

  it('serves clones from httpUrl behind a proxy and without a base path', async () => {
    const proxy: Server = createServer((request, response) => {
      const { port, hostname } = new URL(served.origin);
      const path = request.url?.replace(/^\/team/, '');
      const { method, headers } = request;
      request.pipe(
        openRequest({ port, hostname, path, method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        }),
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    try {
      await start({ PUBLIC_URL: `http://127.0.0.1:${port}/team`, BASE_PATH: '/' });
      await pushed();
      const { body } = await world.admin.api.get<{ httpUrl: string }>(
        `/projects/${project.key}/git/repositories/${project.repositoryName}`,
      );
      expect(body.httpUrl).toBe(`http://127.0.0.1:${port}/team${served.path}`);
      await folder.git(
        'clone',
        '-c',
        `http.extraHeader=X-API-Key: ${world.admin.key}`,
        body.httpUrl,
        'pasted',
      );
      expect(await folder.in('pasted').git('rev-list', '--count', 'HEAD')).toBe('1');
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('refuses a push or a new branch beyond 10,000 branches and tags in a repository', async () => {
    await start({});
    const head = await pushed();
    const input = Array.from({ length: 9_999 }, (_, index) => `create refs/tags/v${index} ${head}\n`).join(
      '',
    );
    await served.onServerWith(input, 'update-ref', '--stdin');
    const answer = await served.post(PUSH, world.admin.key, creationOf(head, ['refs/heads/x']));
    expect(await answer.text()).toMatch(
      /ng refs\/heads\/x a repository can have at most 10000 branches and tags/,
    );
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/branches`;
    const added = await world.admin.api.post(path, { name: 'x', from: 'main' });
    expect(added.status).toBe(409);
    expect(added.body).toEqual(errorShape(9));
  });

  it('leaves no announcement of a push that git has refused', async () => {
    await start({});
    const head = await pushed();
    const answer = await served.post(PUSH, world.admin.key, creationOf(head, ['refs/heads/x'], packOf(3)));
    expect(await answer.text()).toMatch(/ng refs\/heads\/x/);
    const rows = await world.server.app.get(DataSource).query<unknown[]>('SELECT 1 FROM git_push');
    expect(rows).toEqual([]);
  });
});
