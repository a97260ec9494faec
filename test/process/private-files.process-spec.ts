import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child';

const KEY = 'key-of-the-administrator-0123456789abcdef';

describe('a service without a umask', () => {
  let folder: string;
  let umask: number;

  beforeAll(async () => {
    umask = process.umask(0);
    folder = await mkdtemp(join(tmpdir(), 'private-files-'));
  });
  afterAll(async () => {
    process.umask(umask);
    await rm(folder, { recursive: true, force: true });
  });

  const settings = (): Record<string, string> => ({
    PORT: '0',
    DATABASE_URL: `sqlite:${folder}/data/service.db`,
    STORAGE_URL: `file:${folder}/data/files`,
    GIT_ROOT: `${folder}/data/git`,
    ADMIN_API_KEY: KEY,
    DEMO_DATA: 'true',
    LOG_LEVEL: 'fatal',
  });

  /** Returns the paths that others than the owner may access, with their modes. */
  async function sharedIn(place: string): Promise<string[]> {
    const shared: string[] = [];
    for (const name of await readdir(place)) {
      const path = join(place, name);
      const stats = await lstat(path);
      if ((stats.mode & 0o077) !== 0) shared.push(`${path} ${(stats.mode & 0o777).toString(8)}`);
      if (stats.isDirectory()) shared.push(...(await sharedIn(path)));
    }
    return shared;
  }

  it('creates files that only their owner can access', async () => {
    const child = new Child('run-service', JSON.stringify(settings()));
    let origin: string | undefined;
    while (origin === undefined) {
      const line = await child.nextLine();
      if (line === undefined) throw new Error('The service did not start.');
      origin = /^ *Documentation +(http:\/\/\S+)\/api-docs/.exec(line)?.[1];
    }
    const form = new FormData();
    form.set('file', new Blob(['Text']), 'a.txt');
    const headers = { 'X-API-Key': KEY };
    const upload = await fetch(`${origin}/api/v2/space/attachment`, { method: 'POST', headers, body: form });
    expect(upload.status).toBe(200);
    expect(await sharedIn(folder)).toEqual([]);
    child.signal('SIGTERM');
    await child.outcome();
    expect((await readdir(join(folder, 'data'))).length).toBeGreaterThan(3);
    // A command makes files of its own.
    const command = new Child('run-pms', JSON.stringify(settings()), 'backup', join(folder, 'backup'));
    expect(await command.outcome()).toEqual([0, null]);
    expect(await readdir(folder)).toContain('backup');
    expect(await sharedIn(folder)).toEqual([]);
  });
});
