import { randomBytes } from 'node:crypto';
import { openStorage } from '../../src/attachments/open-storage';
import { createBackup } from '../../src/backup/create-backup';
import { restoreBackup } from '../../src/backup/restore-backup';
import { EnvironmentError, readEnvironment } from '../../src/config/environment';
import { KeepingBrowser } from '../support/browser';
import { addApp, codeNow, secretOf } from '../support/factors';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { PASSWORD } from '../support/sessions';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { type Environment, World } from '../support/world';

const [OLD, NEW] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
const ADMIN_API_KEY = 'x'.repeat(40);

describe('the secret of an authenticator app', () => {
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  const worlds: World[] = [];

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
    for (const { drop } of databases.splice(0)) await drop();
  });
  afterAll(() => folder.remove());

  const newDatabase = async (): Promise<string> => {
    const database = await createLastingTestDatabase();
    databases.push(database);
    return database.url;
  };

  const newSettings = async (): Promise<Environment> => {
    const name = randomBytes(6).toString('hex');
    return {
      DATABASE_URL: await newDatabase(),
      STORAGE_URL: `file:${folder.file(name)}`,
      GIT_ROOT: folder.file(`${name}-git`),
      ADMIN_API_KEY,
    };
  };

  const start = async (settings: Environment): Promise<World> => {
    const world = await World.start(settings);
    worlds.push(world);
    return world;
  };

  const stop = async (): Promise<void> => {
    await worlds.pop()?.stop();
  };

  /** Signs the administrator in with a code, and returns whether that worked. */
  async function canSignIn(world: World, code: string): Promise<boolean> {
    const browser = new KeepingBrowser(world);
    await browser.submit('/sign-in', { name: 'admin', password: PASSWORD });
    return (await browser.submit('/sign-in/second-factor', { code })).location === '/account';
  }

  /** Starts a service with an app of its administrator, and stops it. */
  async function prepare(settings: Environment): Promise<Awaited<ReturnType<typeof addApp>>> {
    await applyTemplate(settings.DATABASE_URL ?? '');
    const world = await start({ ...settings, ENCRYPTION_KEY: OLD });
    const app = await addApp(world, world.admin.id);
    await stop();
    return app;
  }

  it('is re-encrypted with a new first key, after which the old is removable', async () => {
    const settings = await newSettings();
    const { secret } = await prepare(settings);
    await start({ ...settings, ENCRYPTION_KEY: `${NEW},${OLD}` });
    await stop();
    const world = await start({ ...settings, ENCRYPTION_KEY: NEW });
    expect((await secretOf(world, world.admin.id)).equals(secret)).toBe(true);
    expect(await canSignIn(world, codeNow(secret))).toBe(true);
  });

  it('is needed by the service to start, unless its key is lost', async () => {
    const settings = await newSettings();
    const { secret, recoveryCodes } = await prepare(settings);
    const error: unknown = await start({ ...settings, ENCRYPTION_KEY: NEW }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(EnvironmentError);
    expect(String(error)).toContain('1 secret of an authenticator app is encrypted with the key');
    await start({ ...settings, ENCRYPTION_KEY: NEW, REPLACE_LOST_SECRETS: 'true' });
    await stop();
    const world = await start({ ...settings, ENCRYPTION_KEY: NEW });
    expect(await canSignIn(world, codeNow(secret))).toBe(false);
    expect(await canSignIn(world, recoveryCodes[0] ?? '')).toBe(true);
  });

  it('is restored from a backup with another key', async () => {
    const settings = await newSettings();
    const { secret, recoveryCodes } = await prepare(settings);
    const source = readEnvironment({ ...settings, ENCRYPTION_KEY: OLD });
    const path = folder.file('backup.tar.gz');
    await createBackup({ environment: source, storage: openStorage(source), path });
    const restored = { ...(await newSettings()), ENCRYPTION_KEY: NEW };
    const target = readEnvironment(restored);
    const { missingKeys } = await restoreBackup({ environment: target, storage: openStorage(target), path });
    expect(missingKeys).toBeUndefined();
    const world = await start(restored);
    expect(await canSignIn(world, codeNow(secret))).toBe(true);
    expect(await canSignIn(world, recoveryCodes[0] ?? '')).toBe(true);
  });
});
