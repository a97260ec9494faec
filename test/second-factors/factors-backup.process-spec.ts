import { randomBytes } from 'node:crypto';
import { openStorage } from '../../src/attachments/open-storage';
import { createBackup } from '../../src/backup/create-backup';
import { restoreBackup } from '../../src/backup/restore-backup';
import { readEnvironment } from '../../src/config/environment';
import { ApiClient } from '../support/api';
import { KeepingBrowser } from '../support/browser';
import { addApp, codeNow } from '../support/factors';
import { addPasskey, optionsIn, PASSKEY_ORIGIN } from '../support/passkeys';
import { Browser, PASSWORD } from '../support/sessions';
import { TemporaryFolder } from '../support/sqlite';
import { type Environment, World } from '../support/world';

describe('a backup of the ways to sign in', () => {
  const folder = new TemporaryFolder();

  afterAll(() => folder.remove());

  const settingsOf = (name: string, encryptionKey = randomBytes(32).toString('base64')): Environment => ({
    DATABASE_URL: `sqlite:${folder.file(name)}/service.db`,
    STORAGE_URL: `file:${folder.file(`${name}-files`)}`,
    GIT_ROOT: folder.file(`${name}-git`),
    ENCRYPTION_KEY: encryptionKey,
    PUBLIC_URL: PASSKEY_ORIGIN,
  });

  /** Backs a service up, stops it, and starts another one from the backup. */
  async function restore(source: World, settings: Environment, restored: Environment): Promise<World> {
    const environment = readEnvironment(settings);
    const path = folder.file(`${randomBytes(8).toString('hex')}.tar.gz`);
    await createBackup({ environment, storage: openStorage(environment), path });
    await source.stop();
    const target = readEnvironment(restored);
    await restoreBackup({ environment: target, storage: openStorage(target), path });
    return World.start(restored);
  }

  it('keeps sessions, keys, apps and recovery codes', async () => {
    const key = randomBytes(32).toString('base64');
    const [settings, restored] = [settingsOf('source', key), settingsOf('restored', key)];
    const source = await World.start(settings);
    const kim = await source.addUser();
    const { browser: before, secret, recoveryCodes } = await addApp(source, kim.id);
    const { userId: name } = (await kim.api.get<{ userId: string }>('/users/myself')).body;
    const { cookie, csrf } = before;
    const world = await restore(source, settings, restored);
    try {
      const browser = new Browser(world, { token: '', csrf, cookie });
      expect((await browser.open('/account/sessions')).status).toBe(200);
      expect(
        (await browser.submit('/account', { name: 'Renamed', mailAddress: 'kim@example.com' })).status,
      ).toBe(200);
      expect((await new ApiClient(world.server.baseUrl, kim.key).get('/users/myself')).body).toMatchObject({
        id: kim.id,
        name: 'Renamed',
      });
      for (const code of [codeNow(secret), recoveryCodes[0] ?? '']) {
        const other = new KeepingBrowser(world);
        await other.submit('/sign-in', { name, password: PASSWORD });
        expect((await other.submit('/sign-in/second-factor', { code })).location).toBe('/account');
      }
    } finally {
      await world.stop();
    }
  });

  it('keeps passkeys, also for a service with another encryption key', async () => {
    const [settings, restored] = [settingsOf('source-of-passkeys'), settingsOf('restored-passkeys')];
    const source = await World.start(settings);
    const { authenticator } = await addPasskey(source, (await source.addUser()).id);
    const world = await restore(source, settings, restored);
    try {
      const browser = new KeepingBrowser(world);
      const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
      expect((await browser.submit('/sign-in/passkey', fields)).location).toBe('/account');
      expect((await browser.open('/account')).status).toBe(200);
    } finally {
      await world.stop();
    }
  });
});
