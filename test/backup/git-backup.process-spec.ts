import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStorage } from '../../src/attachments/open-storage';
import { type BackupSummary, createBackup } from '../../src/backup/create-backup';
import { restoreBackup, type RestoreOptions, type RestoreSummary } from '../../src/backup/restore-backup';
import { verifyBackup } from '../../src/backup/verify-backup';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { type Finding } from '../../src/doctor/finding';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { Child } from '../support/child';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { commitOddFile } from '../support/git-history';
import { Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { type ProjectFixture, World } from '../support/world';

const TIMEOUT_MS = 120_000;
const NO_GIT = '/nonexistent/git';

describeWithGit('the backup of git repositories', () => {
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  const commands = new Commands();
  let work: GitFolder;
  let world: World;
  let project: ProjectFixture;
  let settings: Record<string, string>;
  /** The repositories with commits: all but the project's first. */
  let ids: number[];

  beforeAll(async () => {
    work = await GitFolder.make();
    const database = await newDatabase();
    await applyTemplate(database.url);
    settings = settingsOf(database.url);
    world = await World.start(settings);
    await world.stopDeliveries();
    project = await world.addProject();
    ids = [];
    for (const name of ['web', 'server']) {
      const path = `/projects/${project.id}/git/repositories`;
      ids.push((await world.admin.api.post<{ id: number }>(path, { name })).body.id);
      await world.whenIdle();
      await commit(ids.at(-1) as number, name);
    }
    // Refs that cannot be fetched or pushed.
    await git(ids[0] as number, 'update-ref', 'refs/pull/1/head', 'main');
    await git(ids[0] as number, 'update-ref', 'refs/heads/größe', 'main');
    await git(ids[1] as number, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
  }, TIMEOUT_MS);

  afterAll(async () => {
    await world.stop();
    await commands.stop();
    for (const { drop } of databases) await drop();
    folder.remove();
    await work.remove();
  });

  const newDatabase = async (): Promise<LastingTestDatabase> => {
    const database = await createLastingTestDatabase();
    databases.push(database);
    return database;
  };

  const settingsOf = (databaseUrl: string): Record<string, string> => {
    const place = folder.file(randomBytes(6).toString('hex'));
    return {
      ...WITH_GIT,
      DATABASE_URL: databaseUrl,
      STORAGE_URL: `file:${place}/files`,
      GIT_ROOT: `${place}/git`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
  };
  const embeddedUrl = (): string => `sqlite:${folder.file(randomBytes(6).toString('hex'))}/service.db`;

  const storeOf = (environment: Environment): GitStore =>
    new GitStore(environment, new GitProgram(environment));
  const git = (id: number, ...args: string[]): Promise<string> =>
    work.git('-C', world.service(GitStore).folderOf(id), ...args);

  /** Adds a commit to a repository as a push would. */
  const commit = async (id: number, file: string): Promise<void> => {
    const clone = work.in(`${id}`);
    if (!existsSync(clone.path))
      await work.git('clone', '--quiet', world.service(GitStore).folderOf(id), `${id}`);
    await writeFile(join(clone.path, file), randomBytes(1000));
    await clone.git('add', '.');
    await clone.git('commit', '--quiet', '-m', file);
    await clone.git('push', '--quiet', 'origin', 'HEAD:main');
    await world.write((manager) =>
      manager.query('UPDATE git_repository SET pushed_at = 1 WHERE id = ?', [id]),
    );
  };

  const backUp = async (
    of: Record<string, string> = settings,
    options: { isWithoutRepositories?: boolean } = {},
  ): Promise<{ path: string; summary: BackupSummary }> => {
    const environment = readEnvironment(of);
    const path = folder.file(`${randomBytes(6).toString('hex')}.tar.gz`);
    const storage = openStorage(environment);
    return { path, summary: await createBackup({ environment, storage, path, ...options }) };
  };

  const restore = (
    path: string,
    to: Record<string, string>,
    options: Partial<RestoreOptions> = {},
  ): Promise<RestoreSummary> => {
    const environment = readEnvironment(to);
    return restoreBackup({ environment, storage: openStorage(environment), path, ...options });
  };

  /** Returns the refs, hashes and HEAD of each repository, as git reads them. */
  const contents = async (of: Record<string, string>): Promise<string[]> => {
    const store = storeOf(readEnvironment(of));
    return Promise.all(
      ids.map(async (id) => {
        const place = store.folderOf(id);
        await work.git('-C', place, 'fsck', '--full', '--strict');
        const refs = await work.git('-C', place, 'for-each-ref');
        return `${refs}\n${await work.git('-C', place, 'symbolic-ref', 'HEAD')}`;
      }),
    );
  };

  it(
    'restores objects that no push may have: an earlier version may have stored them',
    async () => {
      const [id] = ids as [number];
      const odd = await commitOddFile(world, id, 'refs/heads/odd', '100644 .git');
      try {
        const there = settingsOf(embeddedUrl());
        await restore((await backUp()).path, there);
        const place = storeOf(readEnvironment(there)).folderOf(id);
        expect(await work.git('-C', place, 'rev-parse', 'refs/heads/odd')).toBe(odd);
      } finally {
        await git(id, 'update-ref', '-d', 'refs/heads/odd');
        await git(id, 'prune', '--expire=now');
      }
    },
    TIMEOUT_MS,
  );

  it(
    'restores branches, hidden refs and HEAD on this engine and the embedded one',
    async () => {
      const { path, summary } = await backUp();
      expect(summary).toMatchObject({ repositories: 3, lostRepositories: [] });
      expect(summary.repositoryBytes).toBeGreaterThan(2000);
      const there = settingsOf((await newDatabase()).url);
      expect(await restore(path, there)).toMatchObject({ repositories: 3, lostRepositories: [] });
      expect(await contents(there)).toEqual(await contents(settings));
      expect((await readdir(there.GIT_ROOT as string)).sort()).toEqual(['repositories']);
      const again = settingsOf(embeddedUrl());
      await restore((await backUp(there)).path, again);
      expect(await contents(again)).toEqual(await contents(settings));
      expect(await contents(again)).toEqual([
        expect.stringContaining('refs/pull/1/head') as string,
        expect.stringContaining('refs/heads/trunk') as string,
      ]);
    },
    TIMEOUT_MS,
  );

  it('restores a consistent repository while commits are pushed and packed', async () => {
    const done = new AbortController();
    const pushing = (async () => {
      for (let number = 0; !done.signal.aborted; number++) {
        await commit(ids[1] as number, `more-${number}`);
        await git(ids[1] as number, 'gc', '--quiet');
      }
    })();
    const { path } = await backUp();
    done.abort();
    await pushing;
    const there = settingsOf(embeddedUrl());
    await restore(path, there);
    const store = storeOf(readEnvironment(there));
    const restored = await work.git('-C', store.folderOf(ids[1] as number), 'rev-parse', 'main');
    await git(ids[1] as number, 'merge-base', '--is-ancestor', restored, 'main');
  });

  it(
    'restores again after a killed restore',
    async () => {
      const { path } = await backUp();
      const expected = await contents(settings);
      await commit(ids[0] as number, 'later');
      for (const step of ['repositories', 'place']) {
        const there = settingsOf(embeddedUrl());
        const child = new Child('restore-and-die', JSON.stringify(there), path, step);
        expect(await child.restOfLines()).toEqual([]);
        expect(existsSync((there.DATABASE_URL as string).slice('sqlite:'.length))).toBe(false);
        // Another backup does not match the repositories that exist already.
        if (step === 'place') {
          await expect(restore((await backUp()).path, there)).rejects.toThrow(
            'GIT_ROOT already has a git repository',
          );
        }
        await restore(path, there);
        expect(await contents(there)).toEqual(expected);
        expect(await readdir(there.GIT_ROOT as string)).not.toContain('restore');
      }
    },
    TIMEOUT_MS,
  );

  it('updates the restore folder regularly while the rows take long', async () => {
    const { path } = await backUp();
    const there = settingsOf(embeddedUrl());
    const { restoreFolder } = storeOf(readEnvironment(there));
    const touched: number[] = [];
    const onProgress: RestoreOptions['onProgress'] = ({ step }) => {
      if (step !== 'check') return;
      for (const name of ['', ...readdirSync(restoreFolder)]) utimesSync(join(restoreFolder, name), 1, 1);
      vi.advanceTimersByTime(60_000);
      touched.push(statSync(restoreFolder).mtimeMs);
    };
    const touch = vi.spyOn(GitStore.prototype, 'touch');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await restore(path, there, { onProgress });
      touch.mockClear();
      vi.advanceTimersByTime(60_000);
      expect(touch).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
      touch.mockRestore();
    }
    expect(Date.now() - Math.min(...touched)).toBeLessThan(3_600_000);
  });

  it('continues after a second restore into the same place was refused', async () => {
    const { path } = await backUp();
    const there = settingsOf(embeddedUrl());
    const environment = readEnvironment(there);
    const { restoreFolder } = storeOf(environment);
    const storage = openStorage(environment);
    const prepare = storage.prepare.bind(storage);
    vi.spyOn(storage, 'prepare').mockImplementation(async (isInUse) => {
      await prepare(isInUse);
      await writeFile(join(restoreFolder, 'work'), '');
      await expect(restore(path, there)).rejects.toThrow('in use by another process');
      expect(await readdir(restoreFolder)).toEqual(['work']);
    });
    expect(await restoreBackup({ environment, storage, path })).toMatchObject({ repositories: 3 });
    expect(await contents(there)).toEqual(await contents(settings));
  });

  it('refuses to replace an existing repository', async () => {
    const { path } = await backUp();
    const there = settingsOf(embeddedUrl());
    const store = storeOf(readEnvironment(there));
    await store.open(ids[1] as number);
    await expect(restore(path, there)).rejects.toThrow(`GIT_ROOT already has a git repository ${ids[1]}`);
    expect(await work.git('-C', store.folderOf(ids[1] as number), 'for-each-ref')).toBe('');
    expect(existsSync((there.DATABASE_URL as string).slice('sqlite:'.length))).toBe(false);
  });

  it('fails without git, unless the repositories are left out', async () => {
    const withoutGit = { ...settings, GIT_PATH: NO_GIT };
    await expect(backUp(withoutGit)).rejects.toThrow('Git is needed to back up 3 git repositories');
    const { path, summary } = await backUp(withoutGit, { isWithoutRepositories: true });
    expect(summary.repositories).toBe(0);
    expect((await verifyBackup(path)).manifest.repositories).toMatchObject({ count: 0, isLeftOut: true });
    const there = settingsOf(embeddedUrl());
    expect(await restore(path, there)).toMatchObject({ repositories: 0, lacksRepositories: true });
    const whole = (await backUp()).path;
    const withoutGitThere: Record<string, string> = { ...settingsOf(embeddedUrl()), GIT_PATH: NO_GIT };
    await expect(restore(whole, withoutGitThere)).rejects.toThrow('Git is needed to restore 3 git');
    expect(existsSync((withoutGitThere.DATABASE_URL as string).slice('sqlite:'.length))).toBe(false);
    await restore(whole, withoutGitThere, { isWithoutRepositories: true });
    expect(existsSync(withoutGitThere.GIT_ROOT as string)).toBe(false);
  });

  it('includes in a project export a bundle that git can clone', async () => {
    const { stdout, stderr } = await commands.run(['project', 'export', project.key], settings);
    expect(stderr).toBe('');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; of?: number; data: { base64: string } });
    expect(lines.at(-1)?.type).toBe('end');
    const bundle = lines.filter(({ type, of }) => type === 'repositoryBundle' && of === ids[0]);
    await writeFile(join(work.path, 'web.bundle'), bundle.map(({ data }) => data.base64).join(''), 'base64');
    await work.git('clone', '--quiet', '--branch', 'main', 'web.bundle', 'cloned');
    expect(await work.in('cloned').git('rev-parse', 'HEAD')).toBe(
      await git(ids[0] as number, 'rev-parse', 'main'),
    );
    const without = [...['project', 'export', project.key], '--without-repositories'];
    const noGit = { ...settings, GIT_PATH: NO_GIT };
    expect((await commands.run(without, noGit)).exitCode).toBe(0);
    expect(await commands.run(without.slice(0, -1), noGit)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Git is not available on the server') as unknown,
    });
  });

  it('reports missing folders, and pms doctor also damaged and orphaned repositories', async () => {
    const complaints = async (): Promise<string[]> => {
      const { stdout } = await commands.run(['doctor', '--json'], settings);
      return (JSON.parse(stdout) as Finding[])
        .filter(({ level, check }) => level !== 'ok' && check.startsWith('git'))
        .map(({ level, check, message }) => `${level} ${check}: ${message}`);
    };
    expect(await complaints()).toEqual([]);
    const store = world.service(GitStore);
    const [first, second] = ids.map((id) => store.folderOf(id)) as [string, string];
    await rename(first, `${first}.away`);
    expect((await backUp()).summary).toMatchObject({ repositories: 2, lostRepositories: [ids[0]] });
    await rename(join(second, 'objects'), join(second, 'away'));
    await mkdir(join(second, 'objects'));
    await store.makeAt(store.folderOf(999));
    expect(await complaints()).toEqual([
      `problem git repositories: The folders of 1 git repository are missing, such as ${ids[0]}.`,
      expect.stringMatching(
        /^problem git refs: \d+ damaged refs? that cannot be repaired, such as refs\/heads\//,
      ),
      `problem git objects: Objects are missing in 1 git repository, such as ${ids[1]}.`,
      'warning git orphans: 1 folder of git repositories without a row, such as 999.',
    ]);
    await rename(`${first}.away`, first);
    await rm(join(second, 'objects'), { recursive: true });
    await rename(join(second, 'away'), join(second, 'objects'));
    await store.remove(999);
    await utimes(second, new Date(), new Date());
    expect(await complaints()).toEqual([]);
    const { stdout } = await commands.run(['doctor'], { ...settings, GIT_PATH: NO_GIT });
    expect(stdout).toContain(`warning  git: GIT_PATH is ${NO_GIT}, which cannot be run`);
  });
});
