import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { CommandSocketService } from '../../src/cli/socket/command-socket.service';
import { VERSION } from '../../src/config/version';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { UserAccountsService } from '../../src/users/user-accounts.service';
import { ApiClient } from '../support/api';
import { Applications } from '../support/applications';
import { Child } from '../support/child';
import { describeOnEmbedded } from '../support/engines';
import { type CommandResult, Commands } from '../support/pms';
import { type Environment } from '../support/world';

const ADMIN_KEY = 'key-of-the-administrator-0123456789';

/** Lines that the service sends to a command. */
type Answer = { out?: string; error?: string; exitCode?: number };

describeOnEmbedded('a command beside a service that runs on the embedded database', () => {
  const applications = new Applications();
  const commands = new Commands();
  const logged: unknown[][] = [];
  let origin: string;
  let admin: ApiClient;

  beforeAll(() => applications.setUp());
  beforeEach(() => {
    logged.length = 0;
    for (const level of ['log', 'warn', 'error'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation((...line: unknown[]) => void logged.push(line));
    }
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await applications.close();
  });
  afterAll(async () => {
    await commands.stop();
    await applications.tearDown();
  });

  const pms = (words: string, settings: Environment = {}): Promise<CommandResult> =>
    commands.run(words.split(' '), { PORT: '0', ...applications.settings, ...settings });

  const databaseOf = (url: string): string => url.slice('sqlite:'.length);
  const controlFolder = (): string => `${databaseOf(applications.database.url)}.control`;
  const socketPath = (): string => join(controlFolder(), 'socket');

  async function start(settings: Environment = {}): Promise<NestExpressApplication> {
    const app = await applications.create({ ADMIN_API_KEY: ADMIN_KEY, ...settings });
    await app.get(FirstStartService).run();
    await app.get(CommandSocketService).open();
    await app.listen(0, '127.0.0.1');
    origin = `${await app.getUrl()}/api/v2`;
    admin = new ApiClient(origin, ADMIN_KEY);
    return app;
  }

  const statusWith = async (key: string): Promise<number> =>
    (await new ApiClient(origin, key).get('/users/myself')).status;

  const open = async (): Promise<Socket> => {
    const socket = connect(socketPath());
    await once(socket, 'connect');
    return socket;
  };

  /** Returns what the service answers until it closes the connection. */
  const answersOf = async (socket: Socket): Promise<Answer[]> =>
    (await text(socket))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Answer);

  const ask = async (request: unknown): Promise<Answer[]> => {
    const socket = await open();
    socket.write(`${JSON.stringify(request)}\n`);
    return answersOf(socket);
  };

  const request = (...words: string[]): object => ({ protocol: 1, version: VERSION, words });
  const warnings = (): unknown[] => logged.filter(([, message]) => /^Commands that write/.test(String(message)));

  it('adds users and keys, and shuts a user out at once, as it does without the service', async () => {
    await start();
    const added = await pms('user add robin --mail robin@example.com --json');
    expect(added).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('"userId": "robin"') as unknown,
      stderr: 'Added. For an API key: pms key add robin\n',
    });
    const key = await pms('key add robin');
    expect(key).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^pms_\w{49}\n$/) as unknown,
      stderr: expect.stringMatching(/^Key \d+ of the user robin\. .*\n$/) as unknown,
    });
    expect(await statusWith(key.stdout.trim())).toBe(200);
    expect(await pms('user disable robin')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await statusWith(key.stdout.trim())).toBe(401);
    expect(await pms('user disable robin')).toMatchObject({ exitCode: 0, stderr: 'robin is disabled already.\n' });
    expect(await pms('user enable robin')).toMatchObject({ exitCode: 0 });
    expect(await statusWith(key.stdout.trim())).toBe(200);
    const [, id] = /^Key (\d+)/.exec(key.stderr) ?? [];
    expect(await pms(`key revoke robin ${id}`)).toMatchObject({ exitCode: 0 });
    expect(await statusWith(key.stdout.trim())).toBe(401);
    const { body: entries } = await admin.get<AuditLogEntryDto[]>('/space/auditLog?count=5');
    expect(entries.map(({ action, actorId, actorName }) => [action, actorId, actorName])).toEqual(
      ['apiKey.delete', 'user.enable', 'user.disable', 'apiKey.add', 'user.add'].map((action) => [
        action,
        null,
        'command line',
      ]),
    );
    const lines = JSON.stringify(logged);
    expect(lines).toContain('{"command":"user disable","exitCode":0,');
    expect(lines).not.toContain('pms_');
    expect(lines).not.toContain('robin');
  });

  it('fails with the same line and exit code as without the service', async () => {
    await start();
    expect(await pms('user disable nobody')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'There is no user "nobody". See pms user list.\n',
    });
    expect(await pms('user disable admin')).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^The last Administrator /) as unknown });
    expect(await pms('user add robin')).toMatchObject({ exitCode: 2 });
    expect(await pms('key revoke admin none')).toMatchObject({ exitCode: 2 });
  });

  it('is one of many at once', async () => {
    await start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) => ask(request('key', 'add', 'admin', '--name', `Key ${number}`))),
    );
    for (const answer of answers) expect(answer.at(-1)).toEqual({ exitCode: 0 });
    expect(new Set(answers.map(([first]) => first?.out)).size).toBe(10);
  });

  it('is refused for what the service cannot do for another process', async () => {
    await start();
    for (const words of [['backup', 'x'], ['restore', 'x'], ['serve'], ['migrate'], ['nothing'], []]) {
      expect(await ask(request(...words))).toEqual([
        { error: 'The running service does not execute this command.\n' },
        { exitCode: 1 },
      ]);
    }
    for (const words of ['migrate', 'rotate-encryption']) {
      expect(await pms(words)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/ is in use by a running service: stop the/) as unknown });
    }
  });

  it('says so when its version is not that of the service, and is refused when it speaks another protocol', async () => {
    await start();
    const [first, ...rest] = await ask({ ...request('user', 'disable', 'nobody'), version: '0.9.0' });
    expect(first).toEqual({ error: `The running service has version ${VERSION} and executes this command.\n` });
    expect(rest.at(-1)).toEqual({ exitCode: 1 });
    expect(await ask({ ...request('key', 'add', 'admin'), protocol: 2, version: '9.0.0' })).toEqual([
      { error: expect.stringMatching(/^The running service .* cannot execute commands of version 9\.0\.0: /) as unknown },
      { exitCode: 1 },
    ]);
  });

  it('is only read if it is a request, and not if it is too long or sends more', async () => {
    await start();
    const lines = ['', '{}', 'null', '[1]', '{"protocol":1,"version":"1","words":[1]}', '\u0000', '{"words":'];
    for (const line of lines) {
      const socket = await open();
      socket.write(`${line}\n`);
      expect(await answersOf(socket)).toEqual([]);
    }
    const long = await open();
    long.on('error', () => undefined);
    const closed = once(long, 'close');
    const send = (): void => {
      while (!long.destroyed && long.write('x'.repeat(65_536)));
    };
    long.on('drain', send);
    send();
    await closed;
    const chatty = await open();
    chatty.write(`${JSON.stringify(request('key', 'add', 'admin'))}\n{"more":1}`);
    expect(await answersOf(chatty)).toEqual([]);
    expect(await pms('key add admin')).toMatchObject({ exitCode: 0 });
  });

  it('is disconnected when it does not ask for anything', async () => {
    await start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [silent, half] = [await open(), await open()];
    half.write('{"protocol":1,');
    // The service has accepted the earlier connections when it answers a later one.
    await ask(request('nothing'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(await Promise.all([answersOf(silent), answersOf(half)])).toEqual([[], []]);
  });

  it('cannot make the service keep output that it never reads', async () => {
    const app = await start();
    const [account] = await app.get(UserAccountsService, { strict: false }).list();
    const accounts = Array.from({ length: 20_000 }, () => account!);
    vi.spyOn(UserAccountsService.prototype, 'list').mockResolvedValue(accounts);
    const socket = (await open()).pause();
    socket.write(`${JSON.stringify(request('user', 'list', '--json'))}\n`);
    await vi.waitUntil(() => logged.some(([, message]) => message === 'Executed a command'));
    const received = await text(socket);
    expect(received).not.toContain('exitCode');
    expect(await statusWith(ADMIN_KEY)).toBe(200);
  });

  it('listens where only the user of the service may connect, and leaves nothing behind when it stops', async () => {
    await start();
    const [folder, socket] = await Promise.all([stat(controlFolder()), stat(socketPath())]);
    expect([folder.mode & 0o777, socket.mode & 0o777]).toEqual([0o700, 0o600]);
    expect(socket.isSocket()).toBe(true);
    const silent = await open();
    const ended = answersOf(silent);
    await applications.close();
    expect(await ended).toEqual([]);
    await expect(stat(controlFolder())).rejects.toThrow('ENOENT');
  });

  it('finishes before the service stops', async () => {
    const app = await start();
    const [account] = await app.get(UserAccountsService, { strict: false }).list();
    let finish: (() => void) | undefined;
    vi.spyOn(UserAccountsService.prototype, 'list').mockImplementation(
      () => new Promise((done) => (finish = () => done([account!]))),
    );
    const answer = ask(request('key', 'add', 'admin'));
    await vi.waitUntil(() => finish !== undefined);
    const closed = applications.close();
    await expect(open()).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    finish?.();
    expect((await answer).at(-1)).toEqual({ exitCode: 0 });
    await closed;
  });

  it('works beside a service whose predecessor was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pms-killed-'));
    const settings = { ...applications.settings, DATABASE_URL: `sqlite:${join(folder, 'service.db')}` };
    const run = async (): Promise<Child> => {
      const child = new Child('run-service', JSON.stringify({ ...settings, PORT: '0' }));
      for (let line = await child.nextLine(); !/Documentation/.test(line ?? ''); line = await child.nextLine());
      return child;
    };
    const first = await run();
    expect(await pms('user add kim --mail kim@example.com', settings)).toMatchObject({ exitCode: 0 });
    await first.kill();
    expect((await stat(join(folder, 'service.db.control/socket'))).isSocket()).toBe(true);
    // Nobody answers: the command opens the database itself.
    expect(await pms('user disable kim', settings)).toMatchObject({ exitCode: 0 });
    const second = await run();
    expect(await pms('user enable kim', settings)).toMatchObject({ exitCode: 0 });
    await second.kill();
    await rm(folder, { recursive: true });
  });

  it('does not know what became of it when the service dies, and says so', async () => {
    await mkdir(controlFolder(), { mode: 0o700 });
    const dying = createServer((socket) => socket.once('data', () => socket.destroy())).listen(socketPath());
    await once(dying, 'listening');
    expect(await pms('user disable admin')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The running service has closed the connection\. It is not known whether .*\n$/) as unknown,
    });
    dying.close();
    await once(dying, 'close');
    await rm(controlFolder(), { recursive: true });
  });

  describe('is refused as before, and the service goes on, ', () => {
    const refused = { exitCode: 1, stderr: expect.stringMatching(/ is in use by a running service: stop the service, /) as unknown };

    afterEach(() => rm(controlFolder(), { recursive: true, force: true }));

    it('where others could enter the folder of the socket', async () => {
      await mkdir(controlFolder());
      await chmod(controlFolder(), 0o750);
      await start();
      expect(warnings()).toHaveLength(1);
      expect(await pms('key add admin')).toMatchObject(refused);
      expect(await statusWith(ADMIN_KEY)).toBe(200);
    });

    it('where a link leads to another folder', async () => {
      const elsewhere = await mkdtemp(join(tmpdir(), 'pms-elsewhere-'));
      await symlink(elsewhere, controlFolder());
      await start();
      expect(warnings()).toHaveLength(1);
      expect(await pms('key add admin')).toMatchObject(refused);
      await rm(elsewhere, { recursive: true });
    });

    it('where there can be no socket', async () => {
      await mkdir(join(controlFolder(), 'socket', 'folder'), { recursive: true, mode: 0o700 });
      await chmod(controlFolder(), 0o700);
      // As on a file system without sockets.
      await start();
      expect(warnings()).toHaveLength(1);
      expect(await pms('key add admin')).toMatchObject(refused);
    });

    it('where others have opened the folder of the socket since', async () => {
      await start();
      await chmod(controlFolder(), 0o755);
      expect(await pms('key add admin')).toMatchObject(refused);
    });
  });

  it('is refused as before where the path of the socket is too long', async () => {
    const folder = join(dirname(resolve(databaseOf(applications.database.url))), 'x'.repeat(100));
    await mkdir(folder);
    await writeFile(join(folder, 'service.db'), '');
    const settings = { DATABASE_URL: `sqlite:${join(folder, 'service.db')}`, ADMIN_API_KEY: ADMIN_KEY };
    await start(settings);
    expect(warnings()).toEqual([
      [{ err: expect.objectContaining({ message: expect.stringMatching(/too long/) as unknown }) as unknown }, expect.anything()],
    ]);
    expect(await pms('key add admin', settings)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/ is in use by /) as unknown });
    expect(await statusWith(ADMIN_KEY)).toBe(200);
  });
});
