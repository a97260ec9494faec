import { randomBytes } from 'node:crypto';
import { openStorage } from '../../src/attachments/open-storage';
import { createBackup } from '../../src/backup/create-backup';
import { restoreBackup } from '../../src/backup/restore-backup';
import { readEnvironment } from '../../src/config/environment';
import { KeepingBrowser } from '../support/browser';
import { addPasskey, optionsIn, PASSKEY_ORIGIN } from '../support/passkeys';
import { TemporaryFolder } from '../support/sqlite';
import { World } from '../support/world';

describe('a backup of passkeys', () => {
  const folder = new TemporaryFolder();

  afterAll(() => folder.remove());

  const settingsOf = (name: string): Record<string, string> => ({
    DATABASE_URL: `sqlite:${folder.file(name)}/service.db`,
    STORAGE_URL: `file:${folder.file(`${name}-files`)}`,
    GIT_ROOT: folder.file(`${name}-git`),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: PASSKEY_ORIGIN,
  });

  it('lets their users sign in to the restored service, which has another encryption key', async () => {
    const [settings, restored] = [settingsOf('source'), settingsOf('restored')];
    const source = await World.start(settings);
    const { authenticator } = await addPasskey(source, (await source.addUser()).id);
    const environment = readEnvironment(settings);
    const path = folder.file('backup.tar.gz');
    await createBackup({ environment, storage: openStorage(environment), path });
    await source.stop();
    const target = readEnvironment(restored);
    await restoreBackup({ environment: target, storage: openStorage(target), path });
    const world = await World.start(restored);
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
