import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { Webhook as Verifier } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { RoleType } from '../../src/access/role-type';
import { EnvironmentError } from '../../src/config/environment';
import { insertRows } from '../../src/database/sql/rows';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { EncryptionService } from '../../src/encryption/encryption.service';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { ProjectsService } from '../../src/projects/projects.service';
import { explainStartFailure } from '../../src/start-failure';
import { sign } from '../../src/webhooks/secrets/signature';
import { reencryptSecrets } from '../../src/webhooks/secrets/stored-secrets';
import { WebhookSecretsService } from '../../src/webhooks/secrets/webhook-secrets.service';
import { type PreviousSecret, Webhook } from '../../src/webhooks/entities/webhook.entity';
import { useApplications } from '../support/applications';
import { type Environment } from '../support/world';
import { itOnEmbedded } from '../support/engines';

const [OLD, NEW, THIRD] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
  string,
];
const DAY_MS = 86_400_000;
/** The user who rotates secrets. */
const CALLER = { id: 1, roleType: RoleType.Administrator, address: null };

const idOf = (key: string): string => new EncryptionService([Buffer.from(key, 'base64')]).currentKeyId;

describe('a start with encrypted webhook secrets', () => {
  const applications = useApplications();

  const start = (environment: Environment): Promise<NestExpressApplication> =>
    applications.create(environment);
  const startWith = (...keys: string[]): Promise<NestExpressApplication> =>
    start({ ENCRYPTION_KEY: keys.join(',') });

  /** Returns the error message of a failed start. */
  async function refusal(environment: Environment): Promise<string> {
    const error: unknown = await start(environment).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EnvironmentError);
    const lines = explainStartFailure(error);
    expect(lines).toHaveLength(1);
    return lines[0] as string;
  }

  const secretsOf = (app: NestExpressApplication): WebhookSecretsService =>
    app.get(WebhookSecretsService, { strict: false });

  const webhookOf = (id: number) => ({ id, projectId: 0, isProjectAdministrator: true });

  /** Adds webhooks, and returns their ids. */
  async function addWebhooks(app: NestExpressApplication, count: number): Promise<number[]> {
    await app.get(FirstStartService).run();
    const now = Date.now();
    return app.get(TransactionsService).run(async (manager) => {
      const projectKey = `KEYS${randomBytes(4).toString('hex').toUpperCase()}`;
      const projectId = await app
        .get(ProjectsService, { strict: false })
        .add(manager, { projectKey, name: projectKey });
      const [{ id: userId } = { id: 0 }] = await manager.query<{ id: number }[]>(
        'SELECT id FROM user LIMIT 1',
      );
      for (let added = 0; added < count; added += 500) {
        await insertRows(
          manager,
          Webhook,
          Array.from({ length: Math.min(500, count - added) }, () => ({
            projectId,
            name: 'Chat',
            description: '',
            hookUrl: 'http://127.0.0.1:9/',
            allEvent: true,
            activityTypeIds: [],
            secret: secretsOf(app).generate(),
            createdUserId: userId,
            created: now,
            updatedUserId: userId,
            updated: now,
          })),
        );
      }
      const rows = await manager.query<{ id: number }[]>(
        'SELECT id FROM webhook WHERE project_id = ? ORDER BY id',
        [projectId],
      );
      return rows.map(({ id }) => id);
    });
  }

  const plain = async (app: NestExpressApplication, ids: readonly number[]): Promise<string[]> => {
    const secrets: string[] = [];
    for (const id of ids) secrets.push(await secretsOf(app).get(id));
    return secrets;
  };

  /** Returns the distinct keys in use. */
  async function keyIds(app: NestExpressApplication): Promise<string[]> {
    const rows = await app
      .get(DataSource)
      .query<{ secret: string; previous: string | null }[]>(
        'SELECT secret, previous_secrets AS previous FROM webhook WHERE deleted = 0',
      );
    const all = rows.flatMap(({ secret, previous }) => [
      secret,
      ...(JSON.parse(previous ?? '[]') as { secret: string }[]).map((entry) => entry.secret),
    ]);
    return [...new Set(all.map((secret) => secret.split('.')[0] as string))];
  }

  it('re-encrypts all secrets with a new first key, after which the old is removable', async () => {
    const first = await startWith(OLD);
    const ids = await addWebhooks(first, 450);
    await secretsOf(first).rotate(webhookOf(ids[0] as number), CALLER);
    await secretsOf(first).rotate(webhookOf(ids[0] as number), CALLER);
    const before = await plain(first, ids);
    expect(await keyIds(first)).toEqual([idOf(OLD)]);
    await applications.close();

    const log = vi.spyOn(Logger.prototype, 'log');
    const second = await startWith(NEW, OLD);
    const told = log.mock.calls.map(([message]) => String(message));
    log.mockRestore();
    expect(told).toContain('Secrets of webhooks re-encrypted with the first key: 452');
    expect(await keyIds(second)).toEqual([idOf(NEW)]);
    expect(await plain(second, ids)).toEqual(before);
    await applications.close();

    const third = await startWith(NEW);
    expect(await plain(third, ids)).toEqual(before);
    const [row] = await third
      .get(DataSource)
      .query<{ secret: string; previousSecrets: string }[]>(
        'SELECT secret, previous_secrets AS previousSecrets FROM webhook WHERE id = ?',
        [ids[0]],
      );
    const { secret: current, previousSecrets } = row as NonNullable<typeof row>;
    const secrets = await secretsOf(third).signingSecrets({
      webhookId: 0,
      secret: current,
      previousSecrets: JSON.parse(previousSecrets) as PreviousSecret[],
    });
    expect(secrets).toHaveLength(3);
    const headers = await sign('msg_1', Math.floor(Date.now() / 1000), '{}', secrets);
    for (const secret of secrets) expect(new Verifier(secret).verify('{}', { ...headers })).toEqual({});
  });

  it('refuses a missing key, names its id and changes nothing', async () => {
    const first = await startWith(OLD);
    const ids = await addWebhooks(first, 3);
    const before = await plain(first, ids);
    await applications.close();
    const line = await refusal({ ENCRYPTION_KEY: NEW });
    expect(line).toContain(`3 secrets of webhooks are encrypted with the key ${idOf(OLD)}`);
    expect(line).toContain('which ENCRYPTION_KEY does not contain');
    expect(line).toContain('REPLACE_LOST_SECRETS=true');
    expect(line).not.toContain(NEW);
    expect(await refusal({ ENCRYPTION_KEY: `${NEW},${THIRD}` })).toContain(idOf(OLD));
    const again = await startWith(OLD);
    expect(await plain(again, ids)).toEqual(before);
  });

  it('replaces only secrets with a lost key under REPLACE_LOST_SECRETS', async () => {
    const [lost] = await addWebhooks(await startWith(THIRD), 1);
    await applications.close();
    const app = await startWith(OLD, THIRD);
    const ids = await addWebhooks(app, 2);
    // As if written by a process with other keys.
    await app
      .get(DataSource)
      .query('UPDATE webhook SET secret = ? WHERE id = ?', [
        new EncryptionService([Buffer.from(THIRD, 'base64')]).encrypt('whsec_AAAA'),
        lost,
      ]);
    const before = await plain(app, ids);
    await applications.close();
    expect(await refusal({ ENCRYPTION_KEY: `${NEW},${OLD}` })).toContain(
      `1 secret of a webhook is encrypted with the key ${idOf(THIRD)}`,
    );
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const replaced = await start({ ENCRYPTION_KEY: `${NEW},${OLD}`, REPLACE_LOST_SECRETS: 'true' });
    const lines = warn.mock.calls.map(([line]) => String(line));
    warn.mockRestore();
    expect(lines).toContain(
      'Secrets of webhooks discarded because their keys are lost: 1; they get new ones',
    );
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^Webhooks with a new secret: [A-Z0-9]+ ${lost} ".*"$`)),
    );
    expect(await plain(replaced, ids)).toEqual(before);
    expect(await secretsOf(replaced).get(lost as number)).toMatch(/^whsec_/);
    expect(await keyIds(replaced)).toEqual([idOf(NEW)]);
    await applications.close();
    await startWith(NEW);
  });

  it('ignores missing keys of expired secrets and of deleted webhooks', async () => {
    const app = await startWith(NEW);
    const [kept, deleted] = (await addWebhooks(app, 2)) as [number, number];
    const [removed] = await addWebhooks(app, 1);
    const old = new EncryptionService([Buffer.from(OLD, 'base64')]).encrypt('whsec_AAAA');
    const ranOut = JSON.stringify([{ secret: old, expires: Date.now() - 1 }]);
    const dataSource = app.get(DataSource);
    await dataSource.query('UPDATE webhook SET previous_secrets = ? WHERE id = ?', [ranOut, kept]);
    await dataSource.query('UPDATE webhook SET deleted = 1, secret = ? WHERE id = ?', [old, deleted]);
    await dataSource.query('UPDATE webhook SET secret = ? WHERE id = ?', [old, removed]);
    await dataSource.query(
      'UPDATE project SET deleted = 1 WHERE id = (SELECT project_id FROM webhook WHERE id = ?)',
      [removed],
    );
    await applications.close();
    expect(await secretsOf(await startWith(NEW)).get(kept)).toMatch(/^whsec_/);
  });

  it('re-encrypts all secrets beside another re-encryption and rotations', async () => {
    const first = await startWith(NEW, OLD);
    const ids = await addWebhooks(first, 300);
    const dataSource = first.get(DataSource);
    const old = new EncryptionService([Buffer.from(OLD, 'base64')]);
    const secrets = ids.map((id) => `whsec_${Buffer.alloc(32, id % 256).toString('base64')}`);
    for (const [index, id] of ids.entries()) {
      await dataSource.query('UPDATE webhook SET secret = ? WHERE id = ?', [
        old.encrypt(secrets[index] as string),
        id,
      ]);
    }
    const both = new EncryptionService([NEW, OLD].map((key) => Buffer.from(key, 'base64')));
    const reencrypt = () =>
      reencryptSecrets(dataSource, first.get(TransactionsService), both, {
        place: '',
        isLostReplaced: false,
      });
    const rotated = [ids[0], ids[150], ids[299]] as number[];
    const [counts] = await Promise.all([
      Promise.all([reencrypt(), reencrypt()]),
      Promise.all(rotated.map((id) => secretsOf(first).rotate(webhookOf(id), CALLER))),
    ]);
    // Either of the two calls may re-encrypt all of them.
    expect(counts.reduce((sum, count) => sum + count.reencrypted, 0)).toBeGreaterThan(0);
    expect(counts.map((count) => count.replaced)).toEqual([0, 0]);
    await reencrypt();
    expect(await keyIds(first)).toEqual([idOf(NEW)]);
    const now = await plain(first, ids);
    for (const [index, id] of ids.entries()) {
      expect([id, now[index] === secrets[index]]).toEqual([id, !rotated.includes(id)]);
    }
    const [row] = await dataSource.query<{ json: string }[]>(
      'SELECT previous_secrets AS json FROM webhook WHERE id = ?',
      [rotated[1]],
    );
    const [previous] = JSON.parse(row?.json ?? '[]') as { secret: string; expires: number }[];
    expect(both.decrypt(previous?.secret ?? '')).toBe(secrets[150]);
    expect(previous?.expires).toBeGreaterThan(Date.now() + DAY_MS / 2);
  });

  describe('with a key file beside the embedded database', () => {
    const keyFile = (): string =>
      join(dirname(applications.database.url.slice('sqlite:'.length)), 'encryption.key');
    const FILE = { ENCRYPTION_KEY: '' };

    itOnEmbedded('creates the key at first and uses it the next time', async () => {
      const first = await start(FILE);
      const ids = await addWebhooks(first, 1);
      const before = await plain(first, ids);
      await applications.close();
      expect(await plain(await start(FILE), ids)).toEqual(before);
    });

    itOnEmbedded('refuses to create a new key while secrets need the lost one', async () => {
      const first = await start(FILE);
      const ids = await addWebhooks(first, 2);
      const before = await plain(first, ids);
      await applications.close();
      const text = readFileSync(keyFile(), 'utf8');
      rmSync(keyFile());
      const line = await refusal(FILE);
      expect(line).toContain('2 secrets of webhooks are encrypted with the key');
      expect(line).toContain(`which ${keyFile()} does not contain`);
      expect(() => statSync(keyFile())).toThrow('ENOENT');
      writeFileSync(keyFile(), `${OLD}\n`);
      expect(await refusal(FILE)).toContain(keyFile());
      writeFileSync(keyFile(), text);
      expect(await plain(await start(FILE), ids)).toEqual(before);
    });

    itOnEmbedded('creates a new key file when no secret needs the lost one', async () => {
      const first = await start(FILE);
      await first.get(FirstStartService).run();
      await applications.close();
      rmSync(keyFile());
      await start(FILE);
      expect(statSync(keyFile()).size).toBeGreaterThan(0);
    });

    itOnEmbedded('accepts ENCRYPTION_KEY with a new key before that of the file', async () => {
      const first = await start(FILE);
      const ids = await addWebhooks(first, 2);
      const before = await plain(first, ids);
      await applications.close();
      await startWith(NEW, readFileSync(keyFile(), 'utf8').trim());
      await applications.close();
      expect(await plain(await startWith(NEW), ids)).toEqual(before);
      await applications.close();
      expect(await refusal(FILE)).toContain(idOf(NEW));
    });
  });
});
