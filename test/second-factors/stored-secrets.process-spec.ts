import { EnvironmentError } from '../../src/config/environment';
import { EncryptionService } from '../../src/encryption/encryption.service';
import { KeepingBrowser } from '../support/browser';
import { addApp, codeNow, secretOf } from '../support/factors';
import { useInstallations } from '../support/installations';
import { Commands } from '../support/pms';
import { PASSWORD } from '../support/sessions';
import { type Environment, type World } from '../support/world';

const [OLD, NEW] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];

describe('the secret of an authenticator app', () => {
  const { newSettings, start, stop, restore } = useInstallations();

  /** Signs the administrator in with a code, and returns whether that worked. */
  async function canSignIn(world: World, code: string): Promise<boolean> {
    const browser = new KeepingBrowser(world);
    await browser.submit('/sign-in', { name: 'admin', password: PASSWORD });
    return (await browser.submit('/sign-in/second-factor', { code })).location === '/account';
  }

  /** Starts a service with an app of its administrator, and stops it. */
  async function prepare(settings: Environment): Promise<Awaited<ReturnType<typeof addApp>>> {
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

  it.each<[string, string | null]>([
    ['damaged', 'AAAA'],
    ['lost', null],
  ])('is named by pms doctor with its user if it is %s', async (reason, payload) => {
    const settings = { ...(await newSettings()), ENCRYPTION_KEY: OLD };
    await prepare(settings);
    const world = await start(settings);
    const { id } = world.admin;
    const secret = payload && `${world.service(EncryptionService).currentKeyId}.${payload.repeat(20)}`;
    await world.dataSource.query('UPDATE totp SET secret = ?', [secret]);
    await stop();
    const commands = new Commands();
    try {
      const { exitCode, stdout } = await commands.run(['doctor'], settings);
      expect([exitCode, stdout]).toEqual([
        1,
        expect.stringContaining(
          `1 secret of authenticator apps cannot be decrypted (keys: ${reason}). The user ids: ${id}.`,
        ),
      ]);
    } finally {
      await commands.stop();
    }
  });

  it('is restored from a backup with another key', async () => {
    const settings = await newSettings();
    const { secret, recoveryCodes } = await prepare(settings);
    const restored = { ...(await newSettings(false)), ENCRYPTION_KEY: NEW };
    expect(await restore({ ...settings, ENCRYPTION_KEY: OLD }, restored)).toBeUndefined();
    const world = await start(restored);
    expect(await canSignIn(world, codeNow(secret))).toBe(true);
    expect(await canSignIn(world, recoveryCodes[0] ?? '')).toBe(true);
  });
});
