import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../bench/support/free-port';
import { Child } from '../support/child';
import { RawConnection } from '../support/raw-connection';
import { eventually } from '../support/webhooks';

const KEY = 'key-of-the-administrator-0123456789abcdef';
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const FILE_SIZE = 24 * 1024 * 1024;

describe('the process of the service', () => {
  let folder: string;
  let child: Child;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'process-end-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => child.kill());

  const run = (settings: Record<string, string>, output?: string): Child =>
    new Child(
      { script: 'run-service', output },
      JSON.stringify({
        PORT: '0',
        DATABASE_URL: 'sqlite::memory:',
        STORAGE_URL: `file:${folder}`,
        GIT_PATH: '/nonexistent/git',
        GIT_ROOT: `${folder}/git`,
        ADMIN_API_KEY: KEY,
        MAX_FILE_SIZE: String(FILE_SIZE),
        DEMO_DATA: 'true',
        LOG_LEVEL: 'fatal',
        SHUTDOWN_GRACE: '1',
        ...settings,
      }),
    );

  async function start(settings: Record<string, string> = {}): Promise<void> {
    child = run(settings);
    for (;;) {
      const line = await child.nextLine();
      const address = /^ *Documentation +(http:\/\/\S+)\/api-docs/.exec(line ?? '')?.[1];
      if (line === undefined) throw new Error('The service did not start.');
      if (address === undefined) continue;
      origin = address;
      return;
    }
  }

  type Logged = { level: number; msg: string; err?: { stack: string } } & Record<string, unknown>;

  async function nextLogged(): Promise<Logged> {
    for (;;) {
      const line = await child.nextLine();
      if (line === undefined) throw new Error('The service has ended.');
      if (line.startsWith('{')) return JSON.parse(line) as Logged;
    }
  }

  const head = (method: string, path: string, ...headers: string[]): string =>
    [`${method} ${path} HTTP/1.1`, 'Host: localhost', `X-API-Key: ${KEY}`, ...headers, '', ''].join('\r\n');

  it('stops in order at a signal during its start', async () => {
    const database = join(folder, 'starting.db');
    child = run({ DATABASE_URL: `sqlite:${database}` });
    await eventually(
      () => Promise.resolve(existsSync(`${database}-wal`)),
      (isOpen) => isOpen,
    );
    child.signal('SIGTERM');
    expect(await child.outcome()).toEqual([0, null]);
    expect(existsSync(`${database}-wal`)).toBe(false);
  });

  describe('at an uncaught error', () => {
    it.each([
      ['throw', 'Uncaught exception', 'Error: Thrown by nobody'],
      ['reject', 'Unhandled rejection', 'Error: Rejected by nobody'],
      ['reject nothing', 'Unhandled rejection', 'Error: undefined'],
    ])('logs the stack, stops in order and exits with 1 (%s)', async (failure, message, error) => {
      await start();
      const upload = await RawConnection.open(origin);
      const body =
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc\r\n--b--\r\n';
      const type = 'Content-Type: multipart/form-data; boundary=b';
      upload.send(
        head(
          'POST',
          '/api/v2/space/attachment',
          type,
          `Content-Length: ${body.length}`,
          'Expect: 100-continue',
        ),
      );
      await upload.receives(/100 Continue/);
      child.say(failure);
      const line = await nextLogged();
      expect(line).toMatchObject({ level: 60, msg: message });
      expect(line.err?.stack).toMatch(new RegExp(`^${error}\\n +at `));
      upload.send(body);
      expect(await upload.closed()).toMatch(/HTTP\/1.1 200 OK[^]*Connection: close[^]*"name":"a.txt"/);
      expect(await child.outcome()).toEqual([1, null]);
    });

    it('exits with 1 at once at the second error', async () => {
      await start({ SHUTDOWN_GRACE: '3600' });
      const stuck = await RawConnection.open(origin);
      stuck.send('GET / HTTP/1.1\r\nHost');
      child.say('throw twice');
      for (let times = 0; times < 2; times++) {
        expect(await nextLogged()).toMatchObject({ level: 60, msg: 'Uncaught exception' });
      }
      expect(await child.outcome()).toEqual([1, null]);
    });
  });

  describe('at a signal', () => {
    it('exits with 0 whatever its connections do', async () => {
      await start();
      const [idle, silent, halfHead, dripping, halfBody, drippingBody, deaf] = await Promise.all(
        Array.from({ length: 7 }, () => RawConnection.open(origin)),
      );
      idle!.send(head('GET', '/health/live'));
      await idle!.receives(/\}$/);
      halfHead!.send('GET /health/live HTTP/1.1\r\nHo');
      dripping!.send('GET /health/live HTTP/1.1\r\nX: ');
      const post = head('POST', '/api/v2/projects', 'Content-Type: application/json', 'Content-Length: 500');
      halfBody!.send(`${post}{"na`);
      drippingBody!.send(post);
      const file = new FormData();
      file.set('file', new Blob(['a'.repeat(FILE_SIZE)]), 'a.txt');
      const headers = { 'X-API-Key': KEY };
      const uploaded = await fetch(`${origin}/api/v2/space/attachment`, {
        method: 'POST',
        body: file,
        headers,
      });
      const { id } = (await uploaded.json()) as { id: number };
      const attached = await fetch(`${origin}/api/v2/issues/DEMO-1`, {
        method: 'PATCH',
        headers,
        body: new URLSearchParams({ attachmentId: String(id) }),
      });
      const { attachments } = (await attached.json()) as { attachments: { id: number }[] };
      deaf!.send(head('GET', `/api/v2/issues/DEMO-1/attachments/${attachments.at(-1)!.id}`));
      await deaf!.receives(/\r\n\r\n/);
      deaf!.stopReading();
      const drip = setInterval(() => {
        dripping!.send('a');
        drippingBody!.send(' ');
      }, 50);
      child.signal('SIGTERM');
      expect(await child.outcome()).toEqual([0, null]);
      clearInterval(drip);
      for (const connection of [idle, silent, halfHead, dripping, halfBody, drippingBody, deaf]) {
        connection!.socket.destroy();
      }
    });

    it('answers a kept-alive connection once more and reports that it is not ready', async () => {
      await start({ SHUTDOWN_GRACE: '4' });
      const [kept, stuck] = await Promise.all([RawConnection.open(origin), RawConnection.open(origin)]);
      stuck.send('GET /');
      kept.send(head('GET', '/health/ready'));
      expect(await kept.receives(/\}$/)).toMatch(/^HTTP\/1.1 200 [^]*Connection: keep-alive/);
      child.signal('SIGINT');
      // npm forwards a signal that the terminal has already sent.
      child.signal('SIGINT');
      for (;;) {
        const probe = await RawConnection.open(origin);
        probe.send(head('GET', '/health/ready'));
        const answer = await probe.receives(/\}$/);
        probe.socket.destroy();
        if (answer.startsWith('HTTP/1.1 503 ')) break;
      }
      kept.send(head('GET', '/api/v2/users/myself'));
      expect(await kept.closed()).toMatch(/HTTP\/1.1 200 OK[^]*Connection: close[^]*"userId":"admin"/);
      stuck.socket.destroy();
      expect(await child.outcome()).toEqual([0, null]);
    });
  });

  it('serves and stops in order when its log cannot be written', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const settings = { PORT: new URL(origin).port, LOG_LEVEL: 'debug', LOG_FORMAT: 'json' };
    child = run(settings, '/dev/full');
    const status = async (path: string): Promise<number | undefined> =>
      (await fetch(origin + path, { headers: { 'X-API-Key': KEY } }).catch(() => undefined))?.status;
    await eventually(
      () => status('/health/ready'),
      (ready) => ready === 200,
    );
    expect(await status('/api/v2/users/myself')).toBe(200);
    child.say('throw');
    expect(await child.outcome()).toEqual([1, null]);
  });

  it('logs its start, requests and stop, and keeps serving during SHUTDOWN_DELAY', async () => {
    const lines: Record<string, unknown>[] = [];
    child = run({
      LOG_LEVEL: 'debug',
      LOG_SLOW_REQUEST: '3600000',
      SHUTDOWN_DELAY: '3600',
      REDIS_URL: 'redis://someone:s3cret@127.0.0.1:6379',
    });
    const nextLine = async (message: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const line = await child.nextLine();
        if (line === undefined) throw new Error(`The service has ended without ${message}.`);
        if (!line.startsWith('{')) continue;
        const logged = JSON.parse(line) as Record<string, unknown>;
        lines.push(logged);
        if (logged.msg === message) return logged;
      }
    };
    const starting = await nextLine('Starting');
    expect(starting).toMatchObject({
      level: 30,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.version,
      database: expect.stringMatching(/^SQLite \d+\.\d+/),
      migrations: expect.arrayContaining([expect.stringMatching(/^InitialSchema\d+$/)]),
      settings: {
        PORT: 0,
        DATABASE_URL: 'sqlite::memory:',
        STORAGE_URL: `file:${folder}`,
        GIT_PATH: '/nonexistent/git',
        GIT_ROOT: `${folder}/git`,
        ADMIN_API_KEY: '(set)',
        MAX_FILE_SIZE: FILE_SIZE,
        DEMO_DATA: true,
        LOG_LEVEL: 'debug',
        LOG_SLOW_REQUEST: 3_600_000,
        REDIS_URL: 'redis://127.0.0.1:6379',
        SHUTDOWN_GRACE: 1,
        SHUTDOWN_DELAY: 3600,
      },
    });
    expect(Object.keys(starting.settings as object)).toHaveLength(13);
    const { address } = (await nextLine('Listening')) as { address: string };
    const headers = { 'X-Request-Id': 'from-the-proxy.1' };
    await fetch(`${address}/health/live`);
    await fetch(`${address}/api/v2/users/myself?apiKey=${KEY}`, { headers });
    expect(await nextLine('Request')).toMatchObject({
      level: 20,
      requestId: 'from-the-proxy.1',
      operation: 'GET /api/v2/users/myself',
      userId: 1,
      address: '127.0.0.1',
      status: 200,
      duration: expect.any(Number),
    });
    await fetch(`${address}/api/v2/nothing/${KEY}?apiKey=${KEY}`);
    expect(await nextLine('Request')).toMatchObject({ operation: 'GET ?', userId: null, status: 404 });
    child.signal('SIGTERM');
    await nextLine('Not ready; serving requests until the delay is over');
    expect((await fetch(`${address}/health/ready`)).status).toBe(503);
    const served = await fetch(`${address}/api/v2/issues/DEMO-1`, { headers: { 'X-API-Key': KEY } });
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'keep-alive']);
    await setTimeout(1000);
    child.signal('SIGTERM');
    expect(await nextLine('Stopped')).toMatchObject({ reason: 'SIGTERM', seconds: expect.any(Number) });
    expect(await child.outcome()).toEqual([0, null]);
    const text = JSON.stringify(lines);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain('/health/');
  });

  it('stops in order when npx is killed', async () => {
    const place = await mkdtemp(join(folder, 'npx-'));
    const database = join(place, 'service.db');
    const bin = { pms: 'main.js' };
    await writeFile(join(place, 'package.json'), JSON.stringify({ name: 'started', version: '1.0.0', bin }));
    const modules = ['../support/typescript-hook.cjs', '../../src/main.ts'].map((path) =>
      join(__dirname, path),
    );
    await writeFile(
      join(place, 'main.js'),
      `#!/usr/bin/env node\n${modules.map((path) => `require(${JSON.stringify(path)});\n`).join('')}`,
      { mode: 0o755 },
    );
    const npx = spawn('npx', ['--yes', '--offline', `--package=file:${place}`, 'pms'], {
      cwd: folder,
      env: {
        ...process.env,
        NODE_NO_WARNINGS: '1',
        npm_config_cache: join(place, 'cache'),
        PORT: '0',
        DATABASE_URL: `sqlite:${database}`,
        STORAGE_URL: `file:${place}/files`,
        GIT_PATH: '/nonexistent/git',
        GIT_ROOT: `${place}/git`,
        LOG_FORMAT: 'json',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines: string[] = [];
    for await (const line of createInterface(npx.stdout)) {
      lines.push(line);
      if (line.includes('Documentation')) npx.kill('SIGTERM');
    }
    // The output ends with the service, which is no child of npx any more.
    expect(lines.filter((line) => line.includes('"msg":"Stopped"'))).toHaveLength(1);
    expect(existsSync(`${database}-wal`)).toBe(false);
  });

  describe.each(['start', 'start:built'])('under npm run %s', (script) => {
    let npm: ChildProcess;

    let pid: number | undefined;

    afterEach(() => {
      npm.kill('SIGKILL');
      // In case the signal did not reach it.
      if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL');
    });

    it('receives the signal sent to npm, which waits for its end', async () => {
      const scripts = (
        JSON.parse(await readFile(join(__dirname, '../../package.json'), 'utf8')) as {
          scripts: Record<string, string>;
        }
      ).scripts;
      const place = await mkdtemp(join(folder, 'npm-'));
      await mkdir(join(place, 'dist/src'), { recursive: true });
      await writeFile(
        join(place, 'package.json'),
        JSON.stringify({ scripts: { [script]: scripts[script] } }),
      );
      // A replacement for the service that handles the signal as it does.
      await writeFile(
        join(place, 'dist/src/main.js'),
        "setInterval(() => {}, 1000); process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });" +
          'console.log(process.pid);',
      );
      npm = spawn('npm', ['run', '--silent', script], { cwd: place, stdio: ['ignore', 'pipe', 'ignore'] });
      const ended = once(npm, 'exit');
      const lines = createInterface(npm.stdout!)[Symbol.asyncIterator]();
      pid = Number((await lines.next()).value);
      npm.kill('SIGTERM');
      expect((await lines.next()).value).toBe('stopped');
      expect(await ended).toEqual([0, null]);
      expect(isRunning(pid)).toBe(false);
    });
  });
});
