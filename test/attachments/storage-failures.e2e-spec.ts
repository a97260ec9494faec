import { rename, rm, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStorage } from '../../src/attachments/file-storage';
import { Environment } from '../../src/config/environment';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { explainStartFailure } from '../../src/start-failure';
import { useApplications } from '../support/applications';
import { S3_KEY, useS3Server } from '../support/s3-server';
import { useWorld } from '../support/world';

/** How long the service may rely on its last check of the storage, in milliseconds. */
const FRESH_MS = 3000;

describe.each(['a folder', 'a bucket'])('GET /health/ready with files in %s', (kind) => {
  const s3 = useS3Server();
  const tested = useWorld(() => (kind === 'a folder' ? {} : { STORAGE_URL: s3().url(), ...S3_KEY }));
  let passed = 0;

  /** Requests the readiness when the last check of the storage has expired. */
  const isReady = async (): Promise<number> => {
    const now = Date.now();
    passed += FRESH_MS + 1;
    vi.spyOn(Date, 'now').mockReturnValue(now + passed);
    const response = await fetch(`${new URL(tested.world.server.baseUrl).origin}/health/ready`);
    vi.restoreAllMocks();
    if (response.status === 503) expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    return response.status;
  };

  it('answers 503 while files cannot be stored, then 200', async () => {
    const { storageLocation: location } = tested.world.service(Environment);
    expect(await isReady()).toBe(200);
    if (location.type === 'folder') await rename(location.path, `${location.path}-elsewhere`);
    else s3().fault = () => ({ kind: 'error', status: 403, code: 'AccessDenied' });
    expect(await isReady()).toBe(503);
    if (location.type === 'folder') await rename(`${location.path}-elsewhere`, location.path);
    else s3().reset();
    expect(await isReady()).toBe(200);
  });

  it('answers 503 within two seconds and probes a hanging storage once', async () => {
    const storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
    let answer = (): void => undefined;
    const original = storage.probe.bind(storage);
    let probes = 0;
    storage.probe = () => {
      probes++;
      return new Promise((resolve) => (answer = resolve));
    };
    const began = performance.now();
    expect(await Promise.all([isReady(), isReady()])).toEqual([503, 503]);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(probes).toBe(1);
    storage.probe = original;
    answer();
    expect(await isReady()).toBe(200);
  });
});

describe('a start with files in a folder', () => {
  const applications = useApplications();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'project-management-files-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = (path: string): Promise<string[]> =>
    applications.create({ DEMO_DATA: 'true', STORAGE_URL: `file:${path}` }).then(async (app) => {
      await app.get(FirstStartService).run();
      await applications.close();
      return [];
    }, explainStartFailure);

  it('creates the folder', async () => {
    expect(await start(join(folder, 'new', 'files'))).toEqual([]);
  });

  it('fails with a one-line message when files cannot be stored', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await start(join(folder, 'file'))).toEqual([
      expect.stringMatching(/^The service could not start: Files cannot be stored .*STORAGE_URL: \w+.*$/),
    ]);
  });

  it('fails with a one-line message while the files of the database are missing', async () => {
    expect(await start(join(folder, 'files'))).toEqual([]);
    await rename(join(folder, 'files'), join(folder, 'elsewhere'));
    for (let time = 0; time < 2; time++) {
      expect(await start(join(folder, 'files'))).toEqual([
        expect.stringMatching(/^The service could not start: The database has files, .*missing or empty.*$/),
      ]);
    }
    await rename(join(folder, 'elsewhere'), join(folder, 'files'));
    expect(await start(join(folder, 'files'))).toEqual([]);
  });
});
