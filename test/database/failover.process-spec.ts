import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { hasMariaDb, PrivateServer } from '../support/private-server';
import { Commands } from '../support/pms';
import { World } from '../support/world';

const NAME = 'tracker';

/** The usual pair of a primary and a replica, between which an operator or a program fails over. */
describe.runIf(hasMariaDb)('the service with a primary and a replica', () => {
  let folder: string;
  let first: PrivateServer;
  let second: PrivateServer;
  let world: World;
  let log: string[];
  const commands = new Commands();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'project-management-failover-'));
    [first, second] = (await PrivateServer.startAll(folder, 2)) as [PrivateServer, PrivateServer];
    await first.run(
      `CREATE DATABASE ${NAME}`,
      // Unlike root, it may not write while a server is read-only.
      "CREATE USER pms IDENTIFIED BY 'secret'",
      `GRANT ALL ON ${NAME}.* TO pms`,
      "CREATE USER replica IDENTIFIED BY 'secret'",
      'GRANT REPLICATION SLAVE ON *.* TO replica',
    );
    await second.run('SET GLOBAL read_only = 1');
    await replicate(second, first);
    log = [];
    for (const level of ['log', 'warn'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => void log.push(String(line)));
    world = await World.start({ DATABASE_URL: urlOf(first, second) });
  });

  afterAll(async () => {
    await commands.stop();
    await world.stop();
    vi.restoreAllMocks();
    await first.kill();
    await second.kill();
    await rm(folder, { recursive: true });
  });

  const urlOf = (...servers: PrivateServer[]): string =>
    `mariadb://pms:secret@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`;

  const replicate = async (replica: PrivateServer, primary: PrivateServer): Promise<void> => {
    await replica.run(
      `CHANGE MASTER TO master_host = '127.0.0.1', master_port = ${primary.port}, master_user = 'replica',
         master_password = 'secret', master_use_gtid = slave_pos`,
      'START SLAVE',
    );
  };

  /** Waits until a replica has applied everything that its primary has committed. */
  const catchUp = async (replica: PrivateServer, primary: PrivateServer): Promise<void> => {
    const [{ position }] = await primary.run<[{ position: string }]>('SELECT @@gtid_binlog_pos AS position');
    const [{ left }] = await replica.run<[{ left: number }]>(
      `SELECT MASTER_GTID_WAIT('${position}', 30) AS \`left\``,
    );
    expect(left).toBe(0);
  };

  const promote = async (replica: PrivateServer): Promise<void> => {
    await replica.run('STOP SLAVE', 'RESET SLAVE ALL', 'SET GLOBAL read_only = 0');
  };

  const addProject = async (key: string): Promise<number> =>
    (await world.admin.api.post('/projects', { key, name: key })).status;

  const statusOf = async (path: string): Promise<number> =>
    (await fetch(new URL(path, world.server.baseUrl))).status;

  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(20);
  };

  const keysOn = async (server: PrivateServer): Promise<string[]> =>
    (
      await server.run<{ key: string }[]>(
        `SELECT project_key AS \`key\` FROM ${NAME}.project ORDER BY project_key`,
      )
    ).map(({ key }) => key);

  it('writes to the primary and reports ready', async () => {
    expect(await addProject('A')).toBe(201);
    expect(await statusOf('/health/ready')).toBe(200);
    await catchUp(second, first);
    expect(await keysOn(second)).toEqual(['A']);
  });

  it('runs reading commands on the replica and refuses writing commands there', async () => {
    const settings = { DATABASE_URL: urlOf(second) };
    expect(await commands.run(['user', 'list'], settings)).toMatchObject({ exitCode: 0 });
    expect(await commands.run(['migrate', '--check'], settings)).toMatchObject({ exitCode: 0 });
    const { exitCode, stderr } = await commands.run(['user', 'disable', 'admin'], settings);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`No database server accepts writes: 127.0.0.1:${second.port} is read-only.`),
    ]);
  });

  it('serves reads but is not ready while neither server accepts writes', async () => {
    log.length = 0;
    await first.run('SET GLOBAL read_only = 1');
    expect(await addProject('B')).toBe(503);
    await until(async () => (await statusOf('/health/ready')) === 503);
    expect(await statusOf('/health/live')).toBe(200);
    expect((await world.admin.api.get('/projects/A')).status).toBe(200);
    expect(await addProject('B')).toBe(503);
    expect(log.filter((line) => line.startsWith('The database server'))).toEqual([
      `The database server 127.0.0.1:${first.port} is read-only: no other accepts writes`,
    ]);
  });

  it('writes to the replica as soon as it is promoted', async () => {
    log.length = 0;
    await catchUp(second, first);
    await promote(second);
    await replicate(first, second);
    await until(async () => (await statusOf('/health/ready')) === 200);
    expect(await addProject('B')).toBe(201);
    expect(log).toContain(`The database server 127.0.0.1:${second.port} accepts writes: it takes over`);
    await catchUp(first, second);
    expect(await keysOn(first)).toEqual(['A', 'B']);
  });

  it('keeps acknowledged and replicated writes when the primary dies', async () => {
    log.length = 0;
    expect(await addProject('C')).toBe(201);
    await catchUp(first, second);
    await second.kill();
    await until(async () => (await statusOf('/health/ready')) === 503);
    expect((await world.admin.api.get('/projects/A')).status).toBe(503);
    await promote(first);
    await until(async () => (await addProject('D')) === 201);
    expect(await keysOn(first)).toEqual(['A', 'B', 'C', 'D']);
    expect((await world.admin.api.get('/projects/C')).status).toBe(200);
  });

  it('stays on the new primary when the old one comes back writable', async () => {
    log.length = 0;
    await second.start();
    await until(() => Promise.resolve(log.some((line) => line.endsWith(`${second.port} works again`))));
    expect(await addProject('E')).toBe(201);
    expect(await keysOn(first)).toContain('E');
    expect(await keysOn(second)).toEqual(['A', 'B', 'C']);
  });
});
