import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { openStorage } from '../../src/attachments/open-storage';
import { createBackup } from '../../src/backup/create-backup';
import { restoreBackup } from '../../src/backup/restore-backup';
import { verifyBackup } from '../../src/backup/verify-backup';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { openSnapshot } from '../../src/database/snapshot/open-snapshot';
import { startTestServer } from '../../src/testing';
import { disableWebhooks } from '../../src/webhooks/data/restored-deliveries';
import { ApiClient } from '../support/api';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { isEmbedded } from '../support/engines';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { change } from '../support/random-changes';
import { readEverything } from '../support/read-everything';
import { S3_KEY, S3Server } from '../support/s3-server';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { World } from '../support/world';

const TIMEOUT_MS = 120_000;
const PUBLIC_URL = 'http://service.example';

describe('a backup', () => {
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  let source: World;
  let environment: Environment;
  let values: Map<string, (string | number)[]>;

  beforeAll(async () => {
    const database = await newDatabase();
    await applyTemplate(database.url);
    const settings = settingsOf(database.url, 'files');
    environment = readEnvironment(settings);
    source = await World.start({ ...FUZZ_ENVIRONMENT, ...settings, PUBLIC_URL });
    await source.stopDeliveries();
    const population = await populate({ baseUrl: source.server.baseUrl, adminKey: source.admin.key }, 0);
    values = new Map([...population.values].map(([name, found]) => [name, [...found]]));
    // Only users themselves may read their watchings.
    values.get('userId')?.push(source.admin.id);
    const provider = {
      key: 'login',
      name: 'Login',
      issuer: 'https://login.example.com',
      clientId: 'tracker',
    };
    await source.admin.api.post('/space/identityProviders', { ...provider, clientSecret: 'client secret' });
    values.set('providerKey', [provider.key]);
    const form = new FormData();
    form.set('file', new Blob(['no archive']), 'projects.pms');
    values.set('importId', [(await source.admin.api.post('/space/imports', form)).body.id]);
    await source.whenIdle();
    // So that services on the restored data send nothing.
    await source.write(disableWebhooks);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await source.stop();
    for (const { drop } of databases) await drop();
    folder.remove();
  });

  const newDatabase = async (): Promise<LastingTestDatabase> => {
    const database = await createLastingTestDatabase();
    databases.push(database);
    return database;
  };

  const settingsOf = (databaseUrl: string, files: string): Record<string, string> => ({
    DATABASE_URL: databaseUrl,
    STORAGE_URL: `file:${folder.file(files)}`,
    GIT_ROOT: folder.file(`${files}-git`),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });

  const backUp = async (of: Environment = environment): Promise<string> => {
    const path = folder.file(`${randomBytes(6).toString('hex')}.tar.gz`);
    await createBackup({ environment: of, storage: openStorage(of), path });
    return path;
  };

  /** Restores into a new database and storage. */
  const restore = async (
    path: string,
    url?: string,
    {
      settings = {},
      ...options
    }: { isHoldingDeliveries?: boolean; settings?: Record<string, string> | undefined } = {},
  ): Promise<Environment> => {
    const databaseUrl = url ?? (await newDatabase()).url;
    const target = readEnvironment({
      ...settingsOf(databaseUrl, randomBytes(6).toString('hex')),
      ...settings,
    });
    await restoreBackup({ environment: target, storage: openStorage(target), path, ...options });
    return target;
  };

  const embeddedUrl = (): string => `sqlite:${folder.file(randomBytes(6).toString('hex'))}/service.db`;

  /** Reads everything from a service on the restored data. */
  const readRestored = async (restored: Environment) => {
    const server = await startTestServer({
      database: restored.DATABASE_URL,
      demo: false,
      environment: {
        STORAGE_URL: restored.STORAGE_URL,
        ENCRYPTION_KEY: restored.ENCRYPTION_KEY ?? '',
        ADMIN_API_KEY: source.admin.key,
        PUBLIC_URL,
      },
    });
    try {
      return await readEverything(new ApiClient(server.baseUrl, source.admin.key), values);
    } finally {
      await server.close();
    }
  };

  it(
    'restores every answer of the API on this engine and the embedded one',
    async () => {
      const worlds = fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 40 }), async (changes) => {
        for (const make of changes) await make(source.admin.api, values);
        await source.whenIdle();
        const expected = await readEverything(source.admin.api, values);
        const path = await backUp();
        const restored = await restore(path);
        const again = isEmbedded ? restored : await restore(await backUp(restored), embeddedUrl());
        const [written, kept] = [await verifyBackup(path), await verifyBackup(await backUp(again))];
        // Encrypted with the keys of the other service.
        for (const { manifest } of [written, kept]) {
          delete manifest.tables.webhook;
          delete manifest.tables.identity_provider;
        }
        expect(kept.manifest).toEqual(written.manifest);
        expect(expected.unanswered).toEqual([]);
        for (const target of new Set([restored, again])) {
          const actual = await readRestored(target);
          expect([...actual.answers]).toEqual([...expected.answers]);
        }
      });
      await fc.assert(worlds, { numRuns: 1, seed: 33, endOnFailure: true });
    },
    TIMEOUT_MS,
  );

  it('drops the leases of deliveries, and disables webhooks on request', async () => {
    const [{ id }] = await source.dataSource.query<[{ id: number }]>(
      'SELECT MIN(id) AS id FROM webhook_delivery',
    );
    const setLease = (token: string | null, until: number): Promise<unknown> =>
      source.write((manager) =>
        manager.query('UPDATE webhook_delivery SET lease_token = ?, lease_until = ? WHERE id = ?', [
          token,
          until,
          id,
        ]),
      );
    await setLease('of another process', 2 ** 50);
    await source.write((manager) => manager.query('UPDATE webhook_health SET enabled = ?', [true]));
    const path = await backUp();
    await setLease(null, 0);
    await source.write(disableWebhooks);

    const sending = await openRestored(await restore(path));
    expect(sending).toEqual({ leased: 0, enabled: 2 });
    const holding = await openRestored(await restore(path, undefined, { isHoldingDeliveries: true }));
    expect(holding).toEqual({ leased: 0, enabled: 0 });
  });

  /** Returns the number of leased deliveries and of enabled webhooks in a restored database. */
  const openRestored = async (restored: Environment): Promise<{ leased: number; enabled: number }> => {
    const snapshot = await openSnapshot(restored);
    try {
      const count = async (condition: string): Promise<number> => {
        const [row] = await snapshot.query<[{ count: number | string }]>(
          `SELECT COUNT(*) AS count FROM ${condition}`,
        );
        return Number(row.count);
      };
      return {
        leased: await count('webhook_delivery WHERE lease_token IS NOT NULL OR lease_until <> 0'),
        enabled: await count('webhook_health WHERE enabled = 1'),
      };
    } finally {
      await snapshot.close();
    }
  };

  it('captures one moment while others write and remove files', async () => {
    const wikiId = values.get('wikiId')?.[0];
    const { api } = source.admin;
    const uploaded = await source.addUpload(source.admin, 'is removed meanwhile');
    await api.post(`/wikis/${wikiId}/attachments`, { attachmentId: [uploaded] });
    const [row] = await source.dataSource.query<[{ storageKey: string }]>(
      'SELECT storage_key AS storageKey FROM attachment WHERE id = ?',
      [uploaded],
    );
    const written: number[] = [];
    const storage = openStorage(environment);
    const read = storage.read.bind(storage);
    storage.read = async (key) => {
      if (key === row.storageKey) {
        await api.delete(`/wikis/${wikiId}/attachments/${uploaded}`);
        await source.whenIdle();
        const { body } = await api.post(`/issues/${values.get('issueId')?.[0]}/comments`, {
          content: 'Meanwhile',
        });
        written.push(body.id);
      }
      return read(key);
    };
    const path = folder.file('busy.tar.gz');
    const { lostFiles } = await createBackup({ environment, storage, path });
    expect(lostFiles).toEqual([]);
    expect(written).toHaveLength(1);
    const { manifest } = await verifyBackup(path);
    expect(manifest.files.superfluous).toEqual([]);
    await restore(path);
  });

  it('reports a lost file and restores without it', async () => {
    const uploaded = await source.addUpload(source.admin, 'is lost');
    const [row] = await source.dataSource.query<[{ storageKey: string }]>(
      'SELECT storage_key AS storageKey FROM attachment WHERE id = ?',
      [uploaded],
    );
    await openStorage(environment).remove(row.storageKey);
    const path = folder.file('lossy.tar.gz');
    const { lostFiles } = await createBackup({ environment, storage: openStorage(environment), path });
    expect(lostFiles).toEqual([uploaded]);
    const restored = await restore(path);
    expect(await openStorage(restored).size(row.storageKey)).toBeUndefined();
    await openStorage(environment).write(row.storageKey, Readable.from(['is lost']));
  });

  it('fails while the storage is missing', async () => {
    const path = folder.file('unmounted.tar.gz');
    const files = folder.file('files');
    renameSync(files, `${files}-unmounted`);
    try {
      const backup = createBackup({ environment, storage: openStorage(environment), path });
      await expect(backup).rejects.toThrow('ENOENT');
    } finally {
      renameSync(`${files}-unmounted`, files);
    }
  });

  it('contains the same files from a bucket as from a folder', async () => {
    const server = await S3Server.start();
    try {
      const expected = (await verifyBackup(await backUp())).manifest.files;
      const settings = { STORAGE_URL: server.url('/tracker'), ...S3_KEY };
      const inBucket = await restore(await backUp(), undefined, { settings });
      const path = await backUp(inBucket);
      expect((await verifyBackup(path)).manifest.files).toEqual(expected);
      const inFolder = await restore(path);
      expect((await verifyBackup(await backUp(inFolder))).manifest.files).toEqual(expected);
    } finally {
      await server.stop();
    }
  });

  it('reuses no id of a removed object after the restore', async () => {
    const categories = `/projects/${values.get('projectIdOrKey')?.[0]}/categories`;
    const { body: removed } = await source.admin.api.post(categories, { name: 'Removed' });
    await source.admin.api.delete(`${categories}/${removed.id}`);
    const restored = await restore(await backUp());
    const { DATABASE_URL, STORAGE_URL, ENCRYPTION_KEY = '' } = restored;
    const server = await startTestServer({
      database: DATABASE_URL,
      environment: { STORAGE_URL, ENCRYPTION_KEY },
    });
    const { body } = await new ApiClient(server.baseUrl, source.admin.key).post(categories, { name: 'New' });
    await server.close();
    expect(body.id).toBeGreaterThan(removed.id);
  });

  it('has the file mode 0600 and replaces no existing file', async () => {
    const path = await backUp();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const storage = openStorage(environment);
    await expect(createBackup({ environment, storage, path })).rejects.toThrow(`${path} already exists`);
  });

  describe('of a database that is not that of the version', () => {
    afterEach(() => source.dataSource.query('DROP TABLE IF EXISTS copy_of_issue'));

    it('leaves out tables that do not belong to the service, and names them', async () => {
      // A column that this service could not restore.
      await source.dataSource.query(
        'CREATE TABLE copy_of_issue (id integer NOT NULL PRIMARY KEY, weight double)',
      );
      const path = folder.file('foreign.tar.gz');
      const { foreignTables } = await createBackup({ environment, storage: openStorage(environment), path });
      expect(foreignTables).toEqual(['copy_of_issue']);
      await restore(path);
    });

    it('fails with the columns of an interrupted migration', async () => {
      await source.dataSource.query('ALTER TABLE team ADD COLUMN half integer');
      try {
        await expect(backUp()).rejects.toThrow('The table team is not that of the migrations');
      } finally {
        await source.dataSource.query('ALTER TABLE team DROP COLUMN half');
      }
    });
  });

  it('leaves no file when it is aborted', async () => {
    const path = folder.file('given-up.tar.gz');
    const abort = new AbortController();
    const backup = createBackup({
      environment,
      storage: openStorage(environment),
      path,
      onProgress: () => abort.abort(),
      signal: abort.signal,
    });
    await expect(backup).rejects.toThrow('aborted');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('given-up'))).toEqual([]);
  });

  describe('when it is restored', () => {
    it('refuses a database that is not empty and leaves it unchanged', async () => {
      const path = await backUp();
      const storage = openStorage(environment);
      const before = await backUp();
      await expect(restoreBackup({ environment, storage, path })).rejects.toThrow(
        'can only be restored into an empty',
      );
      expect((await verifyBackup(await backUp())).manifest).toEqual((await verifyBackup(before)).manifest);
    });

    it('needs a single connection', async () => {
      const restored = await restore(await backUp(), undefined, { settings: { DATABASE_POOL_SIZE: '1' } });
      expect((await verifyBackup(await backUp(restored))).manifest.tables).toHaveProperty('issue');
    });

    it('refuses to replace another file of the same name', async () => {
      const path = await backUp();
      const target = readEnvironment(settingsOf((await newDatabase()).url, 'other-files'));
      const storage = openStorage(target);
      await storage.prepare(false);
      const [row] = await source.dataSource.query<[{ storageKey: string }]>(
        'SELECT MAX(storage_key) AS storageKey FROM attachment WHERE attached = 1',
      );
      await storage.write(row.storageKey, Readable.from(['another content']));
      const restoring = restoreBackup({ environment: target, storage, path });
      await expect(restoring).rejects.toThrow(`already has another file named ${row.storageKey}`);
      expect(await storage.size(row.storageKey)).toBe('another content'.length);
      // The database is still empty.
      await storage.remove(row.storageKey);
      await restoreBackup({ environment: target, storage, path });
    });

    it('brings its encryption key to a service without one', async () => {
      const path = await backUp();
      const { ENCRYPTION_KEY: _, ...settings } = settingsOf(embeddedUrl(), 'with-key');
      const target = readEnvironment(settings);
      const summary = await restoreBackup({ environment: target, storage: openStorage(target), path });
      expect(summary.missingKeys).toBeUndefined();
      const { keys } = await verifyBackup(await backUp(target));
      expect(keys.map((key) => key.toString('base64'))).toEqual([environment.ENCRYPTION_KEY]);
    });

    it('reports which key is missing when it was left out', async () => {
      const path = folder.file('without-key.tar.gz');
      const storage = openStorage(environment);
      const { hasKey } = await createBackup({ environment, storage, path, isWithoutKey: true });
      expect(hasKey).toBe(false);
      const target = readEnvironment(settingsOf((await newDatabase()).url, 'without-key'));
      const { missingKeys } = await restoreBackup({
        environment: target,
        storage: openStorage(target),
        path,
      });
      expect(missingKeys).toContain('2 secrets of webhooks are encrypted with the key');
    });
  });
});
