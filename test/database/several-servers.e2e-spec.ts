import { setTimeout as sleep } from 'node:timers/promises';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { type Line, openLine } from '../support/outage';
import { applyTemplate } from '../support/template';
import { World } from '../support/world';

/** Elsewhere, a server that comes back may be a former primary that lacks writes. */
const isCluster = process.env.TEST_DATABASE_URL?.includes(',') ?? false;
const onServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

onServer('the service with several database servers', () => {
  let database: LastingTestDatabase;
  let first: Line;
  let second: Line;
  let world: World;

  beforeEach(async () => {
    database = await createLastingTestDatabase();
    await applyTemplate(database.url);
    first = await openLine(database.url);
    second = await openLine(database.url);
  });
  afterEach(async () => {
    await world.stop();
    await first.close();
    await second.close();
    await database.drop();
  });

  const start = async (environment: Record<string, string> = {}): Promise<void> => {
    const url = new URL(database.url);
    url.host = first.host;
    const DATABASE_URL = url.toString().replace(first.host, `${first.host},${second.host}`);
    world = await World.start({ DATABASE_URL, LOG_LEVEL: 'silent', ...environment });
  };

  const addProject = async (key: string): Promise<number> =>
    (await world.admin.api.post('/projects', { key, name: key })).status;

  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(20);
  };

  it('fails over to the second server, and returns to the first only in a cluster', async () => {
    await start();
    expect(await addProject('A')).toBe(201);
    expect(first.connections()).toBeGreaterThan(0);

    await first.cut();
    const statuses = [await addProject('B'), await addProject('C'), await addProject('D')];
    expect(statuses.filter((status) => status !== 201)).toEqual(statuses[0] === 503 ? [503] : []);
    expect(second.connections()).toBeGreaterThan(0);

    await first.restore();
    await until(async () => {
      expect((await world.admin.api.get('/space')).status).toBe(200);
      const [used, left] = isCluster ? [first, second] : [second, first];
      return used.connections() > 0 && left.connections() === 0;
    });
    expect(await addProject('E')).toBe(201);
  });

  it('starts on the second server when the first is down', async () => {
    await first.cut();
    await start();
    expect(await addProject('A')).toBe(201);
  });

  it.each(['VERSION()', 'migrations', 'webhook', 'space'])(
    'starts on the second server when the first fails at %s during the start',
    async (text) => {
      first.cutAt(text);
      await start();
      expect(first.connections()).toBe(0);
      expect(await addProject('A')).toBe(201);
    },
  );

  it('switches from a hanging server before DATABASE_STATEMENT_TIMEOUT is over', async () => {
    await start({ DATABASE_STATEMENT_TIMEOUT: '20' });
    first.hang();
    const began = performance.now();
    const statuses = await Promise.all(['A', 'B', 'C'].map(addProject));
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(statuses.every((status) => status === 503 || status === 201)).toBe(true);
    expect(await addProject('D')).toBe(201);
  });

  it('answers 503 while every server is down, and recovers with one of them', async () => {
    await start();
    await first.cut();
    await second.cut();
    expect(await addProject('A')).toBe(503);
    await second.restore();
    await until(async () => (await addProject('B')) !== 503);
    expect((await world.admin.api.get('/projects/B')).status).toBe(200);
  });
});

onServer('a start with the DATABASE_URL of another database product', () => {
  it('fails with a one-line message that names the right scheme', async () => {
    const { url, drop } = await createLastingTestDatabase();
    const [actual, other] = url.startsWith('mysql:') ? ['mysql', 'mariadb'] : ['mariadb', 'mysql'];
    const start = World.start({ DATABASE_URL: url.replace(/^\w+/, other), LOG_LEVEL: 'silent' });
    await expect(start).rejects.toThrow(
      new RegExp(`^DATABASE_URL begins with ${other}://.*write ${actual}://.*\\.$`),
    );
    await drop();
  });
});
