import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { ImportWorkerService } from '../../src/imports/import-worker.service';
import { ImportsService } from '../../src/imports/imports.service';
import { entriesOf, recordsOf, writeArchiveOf } from '../support/archives';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { itOnServer } from '../support/engines';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { change } from '../support/random-changes';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { World } from '../support/world';

const TIMEOUT_MS = 600_000;
/** Each population has two projects. */
const POPULATIONS = 25;
const CHANGES_OF_EACH = 8;
const SEED = 27;

/** Names of things to change, by the names of parameters. */
type Names = Map<string, (string | number)[]>;

describe('an archive of 50 random projects', () => {
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  const worlds: World[] = [];
  let archive: string;

  interface Installation {
    environment: Environment;
    world: World;
  }

  const newName = (): string => randomBytes(6).toString('hex');

  /** @param url of an empty database; a new one on this engine by default */
  async function install(url?: string): Promise<Installation> {
    const settings = {
      ...FUZZ_ENVIRONMENT,
      DATABASE_URL: url ?? (await newDatabase()),
      STORAGE_URL: `file:${folder.file(newName())}`,
      GIT_ROOT: folder.file(newName()),
      IMPORT_ROOT: folder.file(newName()),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const world = await World.start(settings);
    worlds.push(world);
    await world.stopDeliveries();
    return { environment: readEnvironment(settings), world };
  }

  async function newDatabase(): Promise<string> {
    const database = await createLastingTestDatabase();
    databases.push(database);
    await applyTemplate(database.url);
    return database.url;
  }

  const embedded = (): string => `sqlite:${folder.file(`${newName()}.db`)}`;

  const exported = ({ environment }: Installation): Promise<string> =>
    writeArchiveOf(environment, folder.file(`${newName()}.pms`));

  async function imported(path: string, url?: string): Promise<Installation> {
    const target = await install(url);
    const { world } = target;
    // Its administrator is that of the archive, and has been there as long in the same space.
    const { userId, ...administrator } = (await recordsOf(path))
      .get('user')!
      .find(({ userId: name }) => name === 'admin')!;
    await world.dataSource.query('UPDATE user SET created = ?, vendor_id = ? WHERE user_id = ?', [
      administrator.created,
      administrator.vendorId,
      userId,
    ]);
    const options = { projects: {}, users: {}, keepsAccounts: true };
    const id = await world.service(ImportsService).add(COMMAND_LINE, path, options);
    await world.service(ImportWorkerService).run(id);
    expect(await world.service(ImportsService).get(id)).toMatchObject({ state: 'done', error: '' });
    return target;
  }

  /** Names the entries that differ, before it compares all bytes. */
  async function expectSame(path: string, expected: string): Promise<void> {
    const [found, wanted] = [await entriesOf(path), await entriesOf(expected)];
    expect([...found.keys()]).toEqual([...wanted.keys()]);
    const differing = [...wanted].filter(([name, content]) => !found.get(name)?.equals(content));
    expect(differing.map(([name]) => name)).toEqual([]);
    expect(readFileSync(path).equals(readFileSync(expected))).toBe(true);
  }

  beforeAll(async () => {
    const source = await install();
    const { world } = source;
    const target = { baseUrl: world.server.baseUrl, adminKey: world.admin.key };
    for (let round = 0; round < POPULATIONS; round++) {
      const names: Names = new Map();
      for (const [name, values] of (await populate(target, round)).values) names.set(name, [...values]);
      const changes = fc.sample(change, { seed: SEED + round, numRuns: CHANGES_OF_EACH });
      for (const make of changes) await make(world.admin.api, names);
    }
    // An import disables them.
    await world.dataSource.query('UPDATE webhook_health SET enabled = ?', [false]);
    await world.whenIdle();
    archive = await exported(source);
    expect((await recordsOf(archive)).get('project')).toHaveLength(2 * POPULATIONS);
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const world of worlds) await world.stop();
    for (const { drop } of databases) await drop();
    folder.remove();
  });

  it(
    'is the same, byte for byte, after an import into an empty space and an export',
    async () => {
      const once = await exported(await imported(archive));
      await expectSame(once, archive);
      await expectSame(await exported(await imported(once)), archive);
    },
    TIMEOUT_MS,
  );

  itOnServer(
    'is the same after a way from the embedded database to the server and back',
    async () => {
      const before = await exported(await imported(archive, embedded()));
      await expectSame(before, archive);
      const onServer = await exported(await imported(before));
      await expectSame(onServer, before);
      await expectSame(await exported(await imported(onServer, embedded())), before);
    },
    TIMEOUT_MS,
  );
});
