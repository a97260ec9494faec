import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Environment } from '../../src/config/environment';
import { NOBODY } from '../../src/git/git-pools';
import { GitProgram } from '../../src/git/git-program';
import { GitHousekeeping } from '../../src/git/git-housekeeping';
import { GitStore } from '../../src/git/git-store';
import { GitFoldersService } from '../../src/git-repositories/storage/git-folders.service';
import { GitMaintenanceService } from '../../src/git-repositories/storage/git-maintenance.service';
import { GitSizesService } from '../../src/git-repositories/storage/git-sizes.service';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { usedBytes } from '../support/records';
import { eventually } from '../support/webhooks';
import { type ProjectFixture, World } from '../support/world';

const OLD = new Date(Date.now() - 40 * 86_400_000);

interface Usage {
  git: number;
  details: { projectId: number; git: number }[];
}

describeWithGit('the folder of a git repository', () => {
  let world: World;
  let project: ProjectFixture;
  let work: GitFolder;
  let store: GitStore;
  let root: string;

  beforeEach(async () => {
    world = await World.start(WITH_GIT);
    project = await world.addProject();
    work = await GitFolder.make();
    store = world.service(GitStore);
    root = world.service(Environment).GIT_ROOT;
    await world.whenIdle();
  });
  afterEach(async () => {
    await world.stop();
    await work.remove();
  });

  const add = async (name: string): Promise<number> => {
    const path = `/projects/${project.id}/git/repositories`;
    const { body } = await world.admin.api.post<{ id: number }>(path, { name });
    await world.whenIdle();
    return body.id;
  };

  /** Adds a commit to a repository as a push would. */
  const commit = async (id: number, file: string, content: string): Promise<string> => {
    const clone = work.in(`${id}`);
    if (!existsSync(clone.path)) await work.git('clone', '--quiet', store.folderOf(id), `${id}`);
    await writeFile(join(clone.path, file), content);
    await clone.git('add', '.');
    await clone.git('commit', '--quiet', '-m', file);
    await clone.git('push', '--quiet', 'origin', 'HEAD:main');
    return clone.git('rev-parse', 'HEAD');
  };

  const measure = (id: number): Promise<void> => world.service(GitSizesService).measure(id);

  it('is created and removed together with its row', async () => {
    const id = await add('web');
    expect(await store.has(id)).toBe(true);
    expect(await store.has(project.repositoryId)).toBe(true);
    await world.admin.api.delete(`/projects/${project.id}/git/repositories/${id}`);
    await world.whenIdle();
    expect(await store.has(id)).toBe(false);
    expect(await store.has(project.repositoryId)).toBe(true);
    await world.admin.api.delete(`/projects/${project.id}`);
    await world.whenIdle();
    await world.service(GitFoldersService).tidyUp();
    expect(await store.has(project.repositoryId)).toBe(false);
    expect(await world.dataSource.query('SELECT * FROM removed_git_repository')).toEqual([]);
    expect(await readdir(join(root, 'removed'))).toEqual([]);
    expect(existsSync(join(root, 'orphans'))).toBe(false);
  });

  it('is removed when the row is deleted during its creation', async () => {
    const path = `/projects/${project.id}/git/repositories`;
    const removed = vi.spyOn(store, 'remove');
    const makeAt = store.makeAt.bind(store);
    vi.spyOn(store, 'makeAt').mockImplementationOnce(async (folder) => {
      await eventually(
        () => Promise.resolve(removed.mock.calls.length),
        (calls) => calls > 0,
      );
      await makeAt(folder);
    });
    const { body } = await world.admin.api.post<{ id: number }>(path, { name: 'web' });
    await world.admin.api.delete(`${path}/${body.id}`);
    await world.whenIdle();
    expect(existsSync(store.folderOf(body.id))).toBe(false);
  });

  it('is removed by the next cleanup when only its row has been deleted', async () => {
    const id = await add('web');
    await world.write(async (manager) => {
      await manager.query('INSERT INTO removed_git_repository (repository_id) VALUES (?)', [id]);
      await manager.query('DELETE FROM git_repository WHERE id = ?', [id]);
    });
    await world.service(GitFoldersService).tidyUp();
    expect(await store.has(id)).toBe(false);
    expect(existsSync(join(root, 'orphans'))).toBe(false);
  });

  it('moves to the orphans without a row, and is removed after a month', async () => {
    await store.makeAt(store.folderOf(777));
    await world.service(GitFoldersService).tidyUp();
    // It may belong to a row that is not visible yet.
    expect(await store.has(777)).toBe(true);
    await utimes(store.folderOf(777), OLD, OLD);
    await world.service(GitFoldersService).tidyUp();
    expect(await store.has(777)).toBe(false);
    expect(await store.has(project.repositoryId)).toBe(true);
    const orphans = join(root, 'orphans');
    const [name = ''] = await readdir(orphans);
    expect(name).toMatch(/^777\.git-\d{4}-/);
    expect(existsSync(join(orphans, name, 'HEAD'))).toBe(true);
    await rename(join(orphans, name), join(orphans, name.replace(/-\d{4}-\d\d-\d\dT/, '-2020-01-01T')));
    await world.service(GitFoldersService).tidyUp();
    expect(await readdir(orphans)).toEqual([]);
  });

  it('counts towards the disk usage and the used capacity of the space', async () => {
    const before = await usedBytes(world);
    const id = await add('web');
    await commit(id, 'a', 'x'.repeat(10_000));
    await measure(id);
    await measure(id);
    const size = await store.size(id);
    const { body } = await world.admin.api.get<Usage>('/space/diskUsage');
    expect(body.git).toBe(size);
    expect(body.details.find(({ projectId }) => projectId === project.id)?.git).toBe(size);
    const ofProject = await world.admin.api.get<Usage>(`/projects/${project.id}/diskUsage`);
    expect(ofProject.body.git).toBe(size);
    expect(await usedBytes(world)).toBe(before + size);
    await world.admin.api.delete(`/projects/${project.id}/git/repositories/${id}`);
    expect(await usedBytes(world)).toBe(before);
    const other = await add('other');
    await measure(other);
    expect(await usedBytes(world)).toBeGreaterThan(before);
    await world.admin.api.delete(`/projects/${project.id}`);
    await world.whenIdle();
    expect(await usedBytes(world)).toBe(before);
  });

  it('keeps all reachable commits when git packs it during a push', async () => {
    const id = await add('web');
    const hashes: string[] = [];
    for (let number = 0; number < 3; number++) hashes.push(await commit(id, `${number}`, `${number}`));
    const folder = store.folderOf(id);
    const housekeeping = world.service(GitHousekeeping);
    expect(await housekeeping.isNeeded(folder)).toBe(false);
    const [last] = await Promise.all([commit(id, 'more', 'more'), housekeeping.collect(folder)]);
    // Git has packed everything up to some point in time.
    expect((await readdir(join(folder, 'objects/pack'))).some((name) => name.endsWith('.pack'))).toBe(true);
    const options = { repository: folder, userId: NOBODY };
    await world.service(GitProgram).run(['fsck', '--full', '--strict'], options);
    const log = await world.service(GitProgram).text(['log', '--format=%H', 'main'], options);
    expect(log.split('\n')).toEqual([last, ...hashes.reverse()]);
  });

  it('needs packing with many loose objects, and survives a failed git gc', async () => {
    const id = await add('web');
    const hash = await commit(id, 'a', 'a');
    const folder = store.folderOf(id);
    await mkdir(join(folder, 'objects/17'), { recursive: true });
    const names = Array.from({ length: 9 }, (_, number) => String(number).padStart(38, '0'));
    for (const name of names) await writeFile(join(folder, 'objects/17', name), '');
    expect(await world.service(GitHousekeeping).isNeeded(folder)).toBe(true);
    // Git rejects a repository with empty objects, so that it reports an error and changes nothing.
    await expect(world.service(GitMaintenanceService).maintain(id)).rejects.toThrow('git gc ended with');
    expect(await work.in(`${id}`).git('ls-remote', 'origin', 'main')).toBe(`${hash}\trefs/heads/main`);
  });

  it('loses stale locks and temporary files, but keeps fresh ones', async () => {
    const id = await add('web');
    await commit(id, 'a', 'a');
    const folder = store.folderOf(id);
    const stale = [
      'packed-refs.lock',
      'refs/heads/main.lock',
      'objects/pack/tmp_pack_AbCdEf',
      'objects/tmp_objdir-incoming-AbCdEf/pack/x.pack',
      'objects/info/commit-graphs/commit-graph-chain.lock',
    ];
    const fresh = ['HEAD.lock', 'objects/pack/tmp_pack_GhIjKl'];
    for (const name of [...stale, ...fresh]) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), '');
    }
    for (const name of stale) await utimes(join(folder, name), OLD, OLD);
    await utimes(join(folder, 'objects/tmp_objdir-incoming-AbCdEf'), OLD, OLD);
    await world.service(GitMaintenanceService).maintain(id);
    expect([...stale, ...fresh].filter((name) => existsSync(join(folder, name)))).toEqual(fresh);
  });

  it('accepts only deletions when the space is full', async () => {
    expect(await world.service(GitSizesService).roomForPush()).toBe(1024 ** 3);
    const small = await World.start({ ...WITH_GIT, SPACE_CAPACITY: '1000000', MAX_PUSH_SIZE: '0' });
    try {
      const { key, repositoryName } = await small.addProject();
      const { origin, host } = new URL(small.server.baseUrl);
      const url = `${origin}/git/${key}/${repositoryName}.git`.replace(
        host,
        `admin:${small.admin.key}@${host}`,
      );
      const clone = work.in('small');
      await work.git('clone', '--quiet', url, 'small');
      await clone.git('commit', '--quiet', '--allow-empty', '-m', 'first');
      await clone.git('push', '--quiet', 'origin', 'HEAD:main', 'HEAD:other');
      const room = (await small.service(GitSizesService).roomForPush()) ?? 0;
      expect(room).toBeGreaterThan(0);
      expect(room).toBeLessThan(1_000_000);
      await writeFile(join(clone.path, 'large'), randomBytes(2_000_000));
      await clone.git('add', '.');
      await clone.git('commit', '--quiet', '-m', 'large');
      expect((await clone.try('push', 'origin', 'HEAD:main')).code).not.toBe(0);
      await small.write((manager) => manager.query('UPDATE space SET used_bytes = 1000000'));
      const full = await clone.try('push', 'origin', 'HEAD:main');
      expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('no storage left') as string });
      await clone.git('push', '--quiet', 'origin', ':other');
      expect(await clone.git('ls-remote', '--heads', 'origin')).toMatch(/^\w+\trefs\/heads\/main$/);
    } finally {
      await small.stop();
    }
  });
});

describe('a git repository without git', () => {
  it('exists without a folder and can be deleted', async () => {
    const world = await World.start();
    const project = await world.addProject();
    await world.whenIdle();
    expect(await world.service(GitStore).has(project.repositoryId)).toBe(false);
    const path = `/projects/${project.id}/git/repositories/${project.repositoryId}`;
    expect((await world.admin.api.delete(path)).status).toBe(200);
    await world.whenIdle();
    await world.stop();
  });
});
