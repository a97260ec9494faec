import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Command } from 'commander';
import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { type CommandCall } from '../../src/cli/command';
import { COMMANDS } from '../../src/cli/registry';
import { CommandSocketService } from '../../src/cli/socket/command-socket.service';
import { VERSION } from '../../src/config/version';
import { ApiClient } from '../support/api';
import { Applications } from '../support/applications';
import { Child } from '../support/child';
import { describeOnEmbedded } from '../support/engines';
import { type CommandResult, Commands } from '../support/pms';
import { type Environment } from '../support/world';

const ADMIN_KEY = 'key-of-the-administrator-0123456789';

/** Lines that the service sends to a command. */
interface Answer {
  out?: string;
  error?: string;
  exitCode?: number;
}

const request = (...words: string[]): object => ({ protocol: 1, version: VERSION, words });

async function open(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, 'connect');
  return socket;
}

/** Returns what the service has sent when the connection is closed, in whatever way. */
async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined).resume();
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const answersOf = async (socket: Socket): Promise<Answer[]> =>
  (await textOf(socket))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer);

async function ask(path: string, message: unknown): Promise<Answer[]> {
  const socket = await open(path);
  socket.write(`${JSON.stringify(message)}\n`);
  return answersOf(socket);
}

describeOnEmbedded('a pms command beside a running service on the embedded database', () => {
  const commands = new Commands();
  const lines: string[] = [];
  let folder: string;
  let settings: Environment;
  let service: Child;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pms-beside-'));
    await chmod(folder, 0o755);
    settings = {
      PORT: '0',
      DATABASE_URL: `sqlite:${databaseIn(folder)}`,
      STORAGE_URL: `file:${folder}/files`,
      GIT_PATH: '/nonexistent/git',
      GIT_ROOT: `${folder}/git`,
      ADMIN_API_KEY: ADMIN_KEY,
      DEMO_DATA: 'false',
      LOG_FORMAT: 'json',
      RATE_LIMIT: 'off',
    };
    service = await start();
  });
  afterAll(async () => {
    await service.kill();
    await commands.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const databaseIn = (place: string): string => join(place, 'service.db');
  const controlFolder = (): string => `${databaseIn(folder)}.control`;
  const socketPath = (): string => join(controlFolder(), 'socket');

  const pms = (words: string, others: Environment = {}): Promise<CommandResult> =>
    commands.run(words.split(' '), { ...settings, ...others });

  /** Starts a service; `lines` gets what it prints until it listens. */
  async function start(others: Environment = {}): Promise<Child> {
    const child = new Child('run-service', JSON.stringify({ ...settings, ...others }));
    for (;;) {
      const line = await child.nextLine();
      if (line === undefined) throw new Error('The service did not start.');
      lines.push(line);
      const address = /^ *Service +(http:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      origin = address;
      return child;
    }
  }

  async function stop(): Promise<void> {
    service.signal('SIGTERM');
    lines.push(...(await service.restOfLines()));
  }

  const statusWith = async (key: string): Promise<number> =>
    (await new ApiClient(origin, key).get('/users/myself')).status;

  const failing = (line: RegExp): object => ({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(line) as unknown,
  });

  it('manages users and keys with immediate effect on the service', async () => {
    const added = await pms('user add robin --mail robin@example.com --json');
    expect(added).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('"userId": "robin"') as unknown,
      stderr:
        'Added. To let robin sign in, run pms user login-link robin; for an API key, pms key add robin\n',
    });
    const key = await pms('key add robin');
    expect(key).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^pms_\w{49}\n$/) as unknown,
      stderr: expect.stringMatching(/^Key \d+ of the user robin\. .*\n$/) as unknown,
    });
    expect(await statusWith(key.stdout.trim())).toBe(200);
    expect(await pms('user disable robin')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await statusWith(key.stdout.trim())).toBe(401);
    const again = { exitCode: 0, stdout: 'robin is already disabled.\n' };
    expect(await pms('user disable robin')).toMatchObject(again);
    expect(await pms('user enable robin')).toMatchObject({ exitCode: 0 });
    expect(await statusWith(key.stdout.trim())).toBe(200);
    const [, id] = /^Key (\d+)/.exec(key.stderr) ?? [];
    expect(await pms(`key revoke robin ${id}`)).toMatchObject({ exitCode: 0 });
    expect(await statusWith(key.stdout.trim())).toBe(401);
    const admin = new ApiClient(origin, ADMIN_KEY);
    const { body: entries } = await admin.get<AuditLogEntryDto[]>('/space/auditLog?count=5');
    expect(entries.map(({ action, actorId, actorName }) => [action, actorId, actorName])).toEqual(
      ['apiKey.delete', 'user.enable', 'user.disable', 'apiKey.add', 'user.add'].map((action) => [
        action,
        null,
        'command line',
      ]),
    );
  });

  it('fails with the message and exit code of a command without a service', async () => {
    expect(await pms('user disable nobody')).toEqual(
      failing(/^There is no user "nobody". See pms user list.\n$/),
    );
    expect(await pms('user disable admin')).toEqual(failing(/^The last Administrator .*\n$/));
    expect(await pms('user add robin')).toMatchObject({ exitCode: 2 });
    expect(await pms('key revoke admin none')).toMatchObject({ exitCode: 2 });
  });

  it('runs concurrently with others', async () => {
    const names = Array.from({ length: 10 }, (_, number) => `Key ${number}`);
    const answers = await Promise.all(
      names.map((name) => ask(socketPath(), request('key', 'add', 'admin', '--name', name))),
    );
    for (const answer of answers) expect(answer.at(-1)).toEqual({ exitCode: 0 });
    expect(new Set(answers.map(([first]) => first?.out)).size).toBe(names.length);
  });

  it('fails when the service does not execute it for other processes', async () => {
    for (const words of [['backup', 'x'], ['restore', 'x'], ['serve'], ['migrate'], ['nothing'], []]) {
      expect(await ask(socketPath(), request(...words))).toEqual([
        { error: 'The running service does not execute this command.\n' },
        { exitCode: 1 },
      ]);
    }
    for (const words of ['migrate', 'rotate-encryption']) {
      expect(await pms(words)).toEqual(failing(/ is in use by a running service: stop the service, .*\n$/));
    }
  });

  it('reports another version of the service, and fails with another protocol', async () => {
    const older = { ...request('user', 'disable', 'nobody'), version: '0.9.0' };
    expect(await ask(socketPath(), older)).toEqual([
      { error: `The running service has version ${VERSION} and executes this command.\n` },
      { error: 'There is no user "nobody". See pms user list.\n' },
      { exitCode: 1 },
    ]);
    const newer = { ...request('key', 'add', 'admin'), protocol: 2, version: '9.0.0' };
    expect(await ask(socketPath(), newer)).toEqual([
      {
        error: expect.stringMatching(
          / cannot execute commands of version 9\.0\.0: restart it\.\n$/,
        ) as unknown,
      },
      { exitCode: 1 },
    ]);
  });

  it('gets no answer to an invalid, oversized or continued request', async () => {
    for (const line of [
      '',
      '{}',
      'null',
      '[1]',
      '{"protocol":1,"version":"1","words":[1]}',
      '\u0000',
      '{"wo',
    ]) {
      const socket = await open(socketPath());
      socket.write(`${line}\n`);
      expect(await textOf(socket)).toBe('');
    }
    const long = await open(socketPath());
    const send = (): void => {
      while (!long.destroyed && long.write('x'.repeat(65_536)));
    };
    long.on('drain', send);
    send();
    expect(await textOf(long)).toBe('');
    const chatty = await open(socketPath());
    chatty.write(`${JSON.stringify(request('key', 'add', 'admin'))}\n{"more":1}`);
    expect(await textOf(chatty)).toBe('');
    expect(await pms('key add admin')).toMatchObject({ exitCode: 0 });
  });

  it('connects to a socket that only the user of the service can access', async () => {
    const [place, socket] = await Promise.all([stat(controlFolder()), stat(socketPath())]);
    expect([place.mode & 0o777, socket.mode & 0o777]).toEqual([0o700, 0o600]);
    expect(socket.isSocket()).toBe(true);
  });

  it('fails when other users can access the folder of the socket', async () => {
    await chmod(controlFolder(), 0o755);
    expect(await pms('key add admin')).toEqual(
      failing(/ is in use by a running service: stop the service, /),
    );
    await chmod(controlFolder(), 0o700);
    expect(await pms('key add admin')).toMatchObject({ exitCode: 0 });
  });

  it.runIf(process.getuid?.() === 0)(
    'fails for root when neither root nor the database owner owns the socket folder',
    async () => {
      await chown(controlFolder(), 12_345, 12_345);
      expect(await pms('key add admin')).toEqual(failing(/ belongs neither to root nor to the owner /));
      await chown(databaseIn(folder), 12_345, 12_345);
      expect(await pms('key add admin')).toMatchObject({ exitCode: 0 });
      await chown(databaseIn(folder), 0, 0);
      await chown(controlFolder(), 0, 0);
    },
  );

  it('works after the service was killed and beside its successor', async () => {
    await service.kill();
    expect((await stat(socketPath())).isSocket()).toBe(true);
    // Nobody answers: the command opens the database itself.
    expect(await pms('user disable robin')).toMatchObject({ exitCode: 0 });
    service = await start();
    expect(await pms('user enable robin')).toMatchObject({ exitCode: 0 });
  });

  it('leaves its name but no user names or keys in the log', async () => {
    await stop();
    await expect(stat(controlFolder())).rejects.toThrow('ENOENT');
    const logged = lines.filter((line) => line.includes('"context":"Commands"'));
    expect(logged).toContainEqual(expect.stringContaining('"command":"user enable","exitCode":0'));
    expect(logged.join()).not.toMatch(/pms_|robin/);
  });

  it('reports an unknown outcome when the service dies', async () => {
    await stop();
    await mkdir(controlFolder(), { mode: 0o700 });
    const dying = createServer((socket) => socket.once('data', () => socket.destroy())).listen(socketPath());
    await once(dying, 'listening');
    expect(await pms('user disable admin')).toEqual(
      failing(/^The running service has closed the connection\. It is unknown whether .*\n$/),
    );
    dying.close();
    await once(dying, 'close');
    await rm(controlFolder(), { recursive: true });
  });

  describe('when the service logs that it refuses commands', () => {
    beforeEach(async () => {
      await stop();
      lines.length = 0;
    });
    afterEach(async () => {
      await stop();
      await rm(controlFolder(), { recursive: true, force: true });
    });

    async function expectRefused(others: Environment = {}): Promise<void> {
      service = await start(others);
      expect(lines.filter((line) => line.includes('"context":"Commands"'))).toEqual([
        expect.stringMatching(
          /"level":40,.*"msg":"Commands that write are refused while this service runs: /,
        ),
      ]);
      expect(await pms('key add admin', others)).toEqual(failing(/ is in use by a running service: /));
      expect(await statusWith(ADMIN_KEY)).toBe(200);
    }

    it('fails if others may enter the folder of the socket', async () => {
      await mkdir(controlFolder());
      await chmod(controlFolder(), 0o750);
      await expectRefused();
    });

    it('fails if the folder of the socket is a link', async () => {
      await mkdir(join(folder, 'elsewhere'), { mode: 0o700 });
      await symlink(join(folder, 'elsewhere'), controlFolder());
      await expectRefused();
    });

    it('fails if the socket cannot be created', async () => {
      await mkdir(join(controlFolder(), 'socket', 'folder'), { recursive: true, mode: 0o700 });
      await chmod(controlFolder(), 0o700);
      await expectRefused();
    });

    it('fails if the path of the socket is too long', async () => {
      const long = join(folder, 'x'.repeat(100));
      await mkdir(long);
      await expectRefused({ DATABASE_URL: `sqlite:${databaseIn(long)}` });
    });
  });
});

describeOnEmbedded('the socket of a running service', () => {
  const applications = new Applications();
  const logged: unknown[][] = [];
  let path: string;

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
  afterAll(() => applications.tearDown());

  /** Starts a service in which `pms key` does something else. */
  async function start(act: (call: CommandCall) => Promise<void>): Promise<void> {
    const key = COMMANDS.find(({ name }) => name === 'key')!;
    const configure = (command: Command, call: CommandCall): void => void command.action(() => act(call));
    vi.spyOn(key, 'load').mockReturnValue({ configure });
    const app = await applications.create();
    await app.get(CommandSocketService).open();
    path = `${applications.database.url.slice('sqlite:'.length)}.control/socket`;
  }

  it('disconnects a client that sends no complete request', async () => {
    await start(() => Promise.resolve());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [silent, half] = [await open(path), await open(path)];
    half.write('{"protocol":1,');
    // Connections are accepted in order.
    expect(await ask(path, request('key'))).toEqual([{ exitCode: 0 }]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await Promise.all([textOf(silent), textOf(half)])).toEqual(['', '']);
  });

  it('cuts off the output for a client that does not read', async () => {
    await start((call) => {
      for (let line = 0; line < 10_000; line++) call.output.print('x'.repeat(1000));
      return Promise.resolve();
    });
    const socket = (await open(path)).pause();
    socket.write(`${JSON.stringify(request('key'))}\n`);
    await vi.waitUntil(() => logged.some(([, message]) => message === 'Executed a command'), 10_000);
    expect(await textOf(socket)).not.toContain('exitCode');
  });

  it('ends a command that fails in a way that nothing explains', async () => {
    const unreadable = Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('The message cannot be read');
      },
    });
    await start(() => Promise.reject(unreadable));
    expect(await ask(path, request('key'))).toEqual([
      { error: 'The running service could not execute this command: its log says why.\n' },
      { exitCode: 1 },
    ]);
  });

  it('aborts a command whose client disconnects', async () => {
    let gone: Promise<unknown> | undefined;
    await start(async ({ host }) => {
      gone = once(host!.signal, 'abort');
      await gone;
    });
    const socket = await open(path);
    socket.write(`${JSON.stringify(request('key'))}\n`);
    await vi.waitUntil(() => gone !== undefined, 10_000);
    socket.destroy();
    await gone;
  });

  it('aborts running commands at a stop and waits for them', async () => {
    let isStarted = false;
    await start(async ({ host, output }) => {
      isStarted = true;
      await once(host!.signal, 'abort');
      await new Promise(setImmediate);
      output.print('finished');
    });
    const [answer, silent] = [ask(path, request('key')), await open(path)];
    await vi.waitUntil(() => isStarted, 10_000);
    await applications.close();
    expect(await answer).toEqual([{ out: 'finished\n' }, { exitCode: 0 }]);
    expect(await textOf(silent)).toBe('');
    await expect(open(path)).rejects.toThrow('ENOENT');
  });

  it('begins no command while the service stops', async () => {
    let begun = 0;
    const sockets: Socket[] = [];
    await start(async ({ host }) => {
      if (begun++ > 0) return;
      await once(host!.signal, 'abort');
      const [late] = sockets as [Socket];
      late.write(`${JSON.stringify(request('key'))}\n`);
      await textOf(late);
    });
    const socket = await open(path);
    socket.on('error', () => undefined);
    sockets.push(socket);
    const answer = ask(path, request('key'));
    await vi.waitUntil(() => begun === 1, 10_000);
    await applications.close();
    expect(await answer).toEqual([{ exitCode: 0 }]);
    expect(begun).toBe(1);
  });
});
