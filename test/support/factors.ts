import { EncryptionService } from '../../src/encryption/encryption.service';
import { codeAt, stepAt } from '../../src/second-factors/totp';
import { type KeepingBrowser, signInBrowser } from './browser';
import { type World } from './world';

/** A user's authenticator app. */
export interface TestApp {
  browser: KeepingBrowser;
  secret: Buffer;
  recoveryCodes: string[];
}

/** Signs a user in, and sets up an authenticator app. */
export async function addApp(world: World, userId: number): Promise<TestApp> {
  const browser = await signInBrowser(world, userId);
  await browser.submit('/account/factors/begin');
  const secret = await secretOf(world, userId);
  const { text } = await browser.submit('/account/factors/app', { code: codeNow(secret) });
  await forgetSteps(world, userId);
  return { browser, secret, recoveryCodes: recoveryCodesOf(text) };
}

/** Returns the secret of a user's app. */
export async function secretOf(world: World, userId: number): Promise<Buffer> {
  const [row] = await world.dataSource.query<{ secret: string }[]>(
    'SELECT secret FROM totp WHERE user_id = ?',
    [userId],
  );
  return Buffer.from(world.service(EncryptionService).decrypt(row?.secret ?? ''), 'base64url');
}

/** Returns the recovery codes that a page shows. */
export const recoveryCodesOf = (html: string): string[] =>
  html.match(/\b(?:[0-9a-z]{4}-){2}[0-9a-z]{4}\b/g) ?? [];

/** Returns the code that an app shows now, or some steps later. */
export const codeNow = (secret: Buffer, later = 0): string => codeAt(secret, stepAt(Date.now()) + later);

/** Makes the codes of a user usable again, as after half a minute. */
export const forgetSteps = async (world: World, userId: number): Promise<void> => {
  await world.dataSource.query('UPDATE totp SET last_step = 0 WHERE user_id = ?', [userId]);
};
