import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoleType } from '../../src/access/role-type';
import { ActivityType } from '../../src/activities/activity-type';
import { GitError } from '../../src/git/git-errors';
import { PushReconciliationService } from '../../src/git-repositories/pushes/push-reconciliation.service';
import { PushesService } from '../../src/git-repositories/pushes/pushes.service';
import { GitRefsService } from '../../src/git-repositories/refs/git-refs.service';
import { NO_HASH } from '../../src/git-repositories/refs/ref-names';
import { ApiClient } from '../support/api';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { PushedRepository } from '../support/pushes';
import { useReceiver } from '../support/receiver';
import { activitiesOf, statementsOf } from '../support/records';
import { addWebhook, QUICK_DELIVERY } from '../support/webhooks';
import { type Person, type ProjectFixture, useSharedDatabase, useWorld, World } from '../support/world';

interface PushContent {
  repository: object;
  change_type: string;
  revision_type: string;
  ref: string;
  revision_count: number;
  revisions: { rev: string; comment: string; author: object; created: string }[];
}

interface PushActivity {
  createdUser: { id: number };
  content: PushContent;
}

describeWithGit('a push', () => {
  const tested = useWorld({ ...WITH_GIT, GIT_TIMEOUT: '1' });
  let project: ProjectFixture;
  let person: Person;
  let other: Person;
  let folder: GitFolder;
  let repository: PushedRepository;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    person = await world.addMember(project);
    other = await world.addMember(project);
    folder = await GitFolder.make();
    repository = await PushedRepository.clone(world, project.repositoryId, folder);
  });

  afterEach(() => folder.remove());

  /** Returns the activities of pushes, oldest first. */
  const pushes = async (): Promise<PushActivity[]> => {
    const query = `activityTypeId[]=${ActivityType.GitPushed}&count=100&order=asc`;
    const { body } = await person.api.get<PushActivity[]>(`/projects/${project.key}/activities?${query}`);
    return body;
  };

  /** Returns the author, change type, ref and number of commits of each push. */
  const summary = async (): Promise<[number, string, string, number][]> =>
    (await pushes()).map(({ createdUser, content }) => [
      createdUser.id,
      content.change_type,
      content.ref,
      content.revision_count,
    ]);

  const rows = async (table: string): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ number: number | string }]>(
      `SELECT COUNT(*) AS number FROM ${table} WHERE repository_id = ?`,
      [project.repositoryId],
    );
    return Number(row.number);
  };

  const read = async (): Promise<{ pushedAt: string | null; updated: string }> =>
    (
      await person.api.get<{ pushedAt: string | null; updated: string }>(
        `/projects/${project.key}/git/repositories/${project.repositoryName}`,
      )
    ).body;

  it('deletes no recorded ref when the folder is lost or recreated', async () => {
    await repository.commit('First');
    await repository.push(person, 'main', 'main:other');
    await rename(repository.bare, `${repository.bare}.away`);
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/branches`;
    const answer = await person.api.get<{ errors: { message: string }[] }>(path);
    expect(answer.status).toBe(503);
    expect(answer.body.errors[0]?.message).toMatch(/must restore GIT_ROOT/);
    await repository.record();
    await folder.git('init', '--quiet', '--bare', repository.bare);
    await repository.record();
    expect(await rows('git_ref')).toBe(2);
    expect((await summary()).map(([, type]) => type)).toEqual(['create', 'create']);
    await rm(repository.bare, { recursive: true });
    await rename(`${repository.bare}.away`, repository.bare);
    expect((await person.api.get(path)).status).toBe(200);
  });

  it('is recorded once the lost folder is back, also after an hour', async () => {
    const { world } = tested;
    await repository.commit('First');
    await repository.push(person, 'main');
    await repository.commit('Second');
    const ids = await repository.pushOnly(other, 'main');
    await rename(repository.bare, `${repository.bare}.away`);
    await world.dataSource.query('UPDATE git_push SET created = created - 3600000');
    await repository.record(ids);
    await folder.git('init', '--quiet', '--bare', repository.bare);
    await repository.record(ids);
    expect(await rows('git_push')).toBe(1);
    await rm(repository.bare, { recursive: true });
    await rename(`${repository.bare}.away`, repository.bare);
    await repository.record();
    expect((await summary()).at(-1)).toEqual([other.id, 'update', 'refs/heads/main', 1]);
    expect(await rows('git_push')).toBe(0);
  });

  it('becomes an activity with its commits', async () => {
    const before = await read();
    expect(before.pushedAt).toBeNull();
    const first = await repository.commit('First');
    const second = await repository.commit('Second\n\nWith a body');
    await repository.push(person, 'main');
    const author = { name: 'Ada', mailAddress: 'ada@example.com' };
    const created = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string;
    expect(await pushes()).toEqual([
      expect.objectContaining({
        createdUser: expect.objectContaining({ id: person.id }) as object,
        content: {
          repository: { id: project.repositoryId, name: project.repositoryName, description: '' },
          change_type: 'create',
          revision_type: 'commit',
          ref: 'refs/heads/main',
          revision_count: 2,
          revisions: [
            { rev: second, comment: 'Second\n\nWith a body', author, created },
            { rev: first, comment: 'First', author, created },
          ],
        },
      }),
    ]);
    const after = await read();
    expect(after).toEqual({ ...before, pushedAt: created });
    expect(await rows('git_push')).toBe(0);
    expect(await rows('git_ref')).toBe(1);
  });

  it('is recorded as the creation, update or deletion of a branch', async () => {
    await repository.commit('One');
    await repository.push(person, 'main');
    await repository.commit('Two');
    await repository.push(person, 'main');
    await folder.git('commit', '--quiet', '--amend', '--allow-empty', '-m', 'Two again');
    await repository.push(other, 'main');
    await repository.push(other, 'main:feature');
    await repository.push(person, ':feature');
    expect(await summary()).toEqual([
      [person.id, 'create', 'refs/heads/main', 1],
      [person.id, 'update', 'refs/heads/main', 1],
      [other.id, 'update', 'refs/heads/main', 1],
      [other.id, 'create', 'refs/heads/feature', 0],
      [person.id, 'delete', 'refs/heads/feature', 0],
    ]);
    expect((await pushes()).at(-1)?.content).toMatchObject({ revision_type: 'commit', revisions: [] });
  });

  it('is recorded as the creation or deletion of a tag', async () => {
    const commit = await repository.commit('Tagged');
    await folder.git('tag', 'light');
    await folder.git('tag', '-a', '-m', 'A release', 'v1');
    await folder.git('tag', 'tree', 'HEAD^{tree}');
    const tags = ['light', 'v1', 'tree'].map((tag) => `refs/tags/${tag}`);
    await repository.push(person, 'main', ...tags);
    await repository.push(person, ...tags.map((tag) => `:${tag}`));
    expect(await summary()).toEqual([
      [person.id, 'create', 'refs/heads/main', 1],
      ...tags.map((tag) => [person.id, 'create', tag, tag === 'refs/tags/tree' ? 0 : 1]),
      ...tags.map((tag) => [person.id, 'delete', tag, 0]),
    ]);
    const [, light, annotated] = await pushes();
    for (const tag of [light, annotated]) {
      expect(tag?.content).toMatchObject({
        revision_type: 'tag',
        revisions: [{ rev: commit, comment: 'Tagged' }],
      });
    }
  });

  it('belongs to its pusher, also when several pushes are recorded together', async () => {
    await repository.commit('One');
    await repository.pushOnly(person, 'main:topic');
    await repository.commit('Two');
    await repository.pushOnly(other, 'main:topic');
    await repository.pushOnly(other, ':topic');
    await repository.commit('Three');
    await repository.pushOnly(person, 'main:topic');
    await repository.record();
    expect(await summary()).toEqual([
      [person.id, 'create', 'refs/heads/topic', 1],
      [other.id, 'update', 'refs/heads/topic', 1],
      [other.id, 'delete', 'refs/heads/topic', 0],
      [person.id, 'create', 'refs/heads/topic', 3],
    ]);
    expect(await rows('git_push')).toBe(0);
  });

  it('belongs to the creator of the repository after a manual change', async () => {
    await repository.commit('One');
    await repository.pushByHand('main');
    await repository.record();
    expect(await summary()).toEqual([[tested.world.admin.id, 'create', 'refs/heads/main', 1]]);
  });

  it('leaves no activity when git has refused it', async () => {
    const { world } = tested;
    const hash = await repository.commit('One');
    const update = { ref: 'refs/heads/main', oldHash: NO_HASH, newHash: hash };
    const ids = await world.service(PushesService).announce(project.repositoryId, person, [update]);
    await repository.record();
    expect(await rows('git_push')).toBe(1);
    await repository.record(ids);
    expect(await rows('git_push')).toBe(0);
    expect(await pushes()).toEqual([]);
    expect((await read()).pushedAt).toBeNull();
  });

  it('leaves no announcement when git cannot move the ref', async () => {
    const newHash = await repository.commit('One');
    await repository.push(person, 'main');
    const update = { ref: 'refs/heads/main/below', oldHash: NO_HASH, newHash };
    const moved = tested.world.service(PushesService).updateRef(project.repositoryId, person, update);
    await expect(moved).rejects.toThrow(GitError);
    expect(await rows('git_push')).toBe(0);
    expect(await pushes()).toHaveLength(1);
  });

  it('is dropped when its outcome is still unknown after an hour', async () => {
    const { world } = tested;
    const update = { ref: 'refs/heads/main', oldHash: NO_HASH, newHash: await repository.commit('One') };
    await world.service(PushesService).announce(project.repositoryId, person, [update]);
    await world.dataSource.query('UPDATE git_push SET created = created - 3600000');
    await repository.record();
    expect(await rows('git_push')).toBe(0);
  });

  it('keeps its user when it takes long and others are recorded meanwhile', async () => {
    const { world } = tested;
    await repository.commit('One');
    await folder.git('branch', 'slow');
    const slow = [
      { ref: 'refs/heads/quick', oldHash: NO_HASH, newHash: await repository.head() },
      { ref: 'refs/heads/slow', oldHash: NO_HASH, newHash: await repository.head() },
    ];
    const ids = await world.service(PushesService).announce(project.repositoryId, other, slow);
    await repository.pushByHand('main:quick');
    await repository.push(person, 'main');
    await repository.pushByHand('slow');
    await repository.record(ids);
    expect(await summary()).toEqual([
      [other.id, 'create', 'refs/heads/quick', 1],
      [person.id, 'create', 'refs/heads/main', 0],
      [other.id, 'create', 'refs/heads/slow', 0],
    ]);
    expect(await rows('git_push')).toBe(0);
  });

  it('leaves nothing behind when its transaction fails, and is recorded later', async () => {
    const { world } = tested;
    // Until the end, because the service's own check of each minute may try first.
    let fails = true;
    world
      .service(PushesService)
      .onPush((push) =>
        Promise.resolve(() =>
          push.repositoryId === project.repositoryId && fails
            ? Promise.reject(new Error('It fails.'))
            : Promise.resolve(),
        ),
      );
    await repository.commit('One');
    const ids = await repository.pushOnly(person, 'main');
    await expect(repository.record(ids)).rejects.toThrow('It fails.');
    expect(await pushes()).toEqual([]);
    expect([await rows('git_push'), await rows('git_ref')]).toEqual([1, 0]);
    fails = false;
    await repository.record();
    expect(await summary()).toEqual([[person.id, 'create', 'refs/heads/main', 1]]);
    expect(await rows('git_push')).toBe(0);
  });

  it('becomes one activity when it is recorded several times simultaneously', async () => {
    await repository.commit('One');
    const ids = await repository.pushOnly(person, 'main');
    await Promise.all([repository.record(), repository.record(ids), repository.record()]);
    expect(await summary()).toEqual([[person.id, 'create', 'refs/heads/main', 1]]);
  });

  it('is compared again when another process has recorded a push meanwhile', async () => {
    const { world } = tested;
    const first = await repository.commit('One');
    const [firstId] = await repository.pushOnly(person, 'main');
    let times = 0;
    const recordFirst = async (): Promise<void> => {
      const ref = [project.repositoryId, 'refs/heads/main', first];
      await world.dataSource.query('INSERT INTO git_ref (repository_id, name, hash) VALUES (?, ?, ?)', ref);
      await world.dataSource.query('DELETE FROM git_push WHERE id = ?', [firstId]);
    };
    world.service(PushesService).onPush(async ({ repositoryId }) => {
      if (repositoryId === project.repositoryId && times++ === 0) await recordFirst();
      return () => Promise.resolve();
    });
    await repository.commit('Two');
    await repository.pushOnly(other, 'main');
    await repository.record();
    expect(await summary()).toEqual([[other.id, 'update', 'refs/heads/main', 1]]);
    expect(await rows('git_push')).toBe(0);
  });

  it('keeps its user when another process has recorded a later push meanwhile', async () => {
    const { world } = tested;
    const newHash = await repository.commit('One');
    const updates = ['main', 'later'].map((name) => ({
      ref: `refs/heads/${name}`,
      oldHash: NO_HASH,
      newHash,
    }));
    await world.service(PushesService).announce(project.repositoryId, other, updates);
    await repository.pushByHand('main');
    const [laterId] = await repository.pushOnly(person, 'main:work');
    let times = 0;
    world.service(PushesService).onPush(async ({ repositoryId }) => {
      if (repositoryId === project.repositoryId && times++ === 0)
        await world.dataSource.query('DELETE FROM git_push WHERE id = ?', [laterId]);
      return () => Promise.resolve();
    });
    await repository.record();
    expect(await summary()).toContainEqual([other.id, 'create', 'refs/heads/main', expect.any(Number)]);
  });

  it('succeeds once among 20 simultaneous pushes and adds one activity', async () => {
    const { world } = tested;
    await repository.commit('Begin');
    await repository.push(person, 'main');
    const oldHash = await repository.head();
    const people = [person, other];
    const names = Array.from({ length: 20 }, (_, index) => `work-${index}`);
    for (const name of names) {
      await folder.git('checkout', '--quiet', '-b', name, 'main');
      await repository.commit(name);
      await repository.pushByHand(`${name}:refs/hidden/${name}`);
    }
    const done = await Promise.all(
      names.map(async (name, index) =>
        world.service(PushesService).updateRef(project.repositoryId, people[index % 2] ?? person, {
          ref: 'refs/heads/main',
          oldHash,
          newHash: await folder.git('rev-parse', name),
        }),
      ),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    const [, won, ...others] = await summary();
    expect(won?.[0]).toBe(people[done.indexOf(true) % 2]?.id);
    expect(others).toEqual([]);
    expect(await rows('git_push')).toBe(0);
    for (const name of names) {
      await folder.git('checkout', '--quiet', '-B', 'main', name);
      await repository.push(person, 'main');
    }
    const again = names[0] === names[done.indexOf(true)] ? 19 : 20;
    expect(await summary()).toHaveLength(2 + again);
  });

  /** Adds a branch and tags to the repository, which are announced but not recorded; returns the ids of the pushes. */
  async function pushMany(branch: string, tagCount: number, isBranchFirst = true): Promise<number[]> {
    const hash = await repository.commit('One');
    await repository.pushByHand(`main:${branch}`);
    const tags = Array.from({ length: tagCount }, (_, index) => `refs/tags/t${index}`);
    await writeFile(
      join(repository.bare, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${tags
        .toSorted()
        .map((tag) => `${hash} ${tag}\n`)
        .join('')}`,
    );
    const refs = isBranchFirst ? [`refs/heads/${branch}`, ...tags] : [...tags, `refs/heads/${branch}`];
    const updates = refs.map((ref) => ({ ref, oldHash: NO_HASH, newHash: hash }));
    return tested.world.service(PushesService).announce(project.repositoryId, person, updates);
  }

  const activityCount = async (): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ number: number | string }]>(
      'SELECT COUNT(*) AS number FROM activity WHERE project_id = ? AND type = 12 AND created_user_id = ?',
      [project.id, person.id],
    );
    return Number(row.number);
  };

  it('is compared again when another process has recorded a later batch of it', async () => {
    const { world } = tested;
    const ids = await pushMany('main', 299);
    let batches = 0;
    world.service(PushesService).onPush(async ({ repositoryId, updates }) => {
      if (repositoryId === project.repositoryId && ++batches === 2) {
        for (const { ref, newHash } of updates) {
          await world.dataSource.query('INSERT INTO git_ref (repository_id, name, hash) VALUES (?, ?, ?)', [
            repositoryId,
            ref,
            newHash,
          ]);
        }
        await world.dataSource.query('DELETE FROM git_push WHERE id = ?', [ids[1]]);
      }
      return () => Promise.resolve();
    });
    await repository.record(ids);
    expect([await rows('git_push'), await rows('git_ref'), await activityCount()]).toEqual([0, 300, 200]);
  });

  it('makes its only branch the default branch also if the branch is in a later batch', async () => {
    const ids = await pushMany('work', 150, false);
    await repository.record(ids);
    const [row] = await tested.world.dataSource.query<[{ branch: string }]>(
      'SELECT default_branch AS branch FROM git_repository WHERE id = ?',
      [project.repositoryId],
    );
    expect([row.branch, await activityCount()]).toEqual(['work', 151]);
  });

  it('is recorded in batches when it contains 1,000 tags', async () => {
    const { world } = tested;
    const ids = await pushMany('main', 1000);
    const read = vi.spyOn(world.service(GitRefsService), 'read');
    const statements = await statementsOf(world, () => repository.record(ids));
    // Git and the database have as many refs as the push, however many batches there are.
    expect(read).toHaveBeenCalledOnce();
    expect(statements.filter((sql) => /FROM .git_ref. WHERE repository_id = \?$/.test(sql))).toHaveLength(1);
    expect(
      statements.filter((sql) => /FROM .git_push. WHERE repository_id = \? ORDER/.test(sql)),
    ).toHaveLength(1);
    expect(Math.max(...statements.map((sql) => sql.split('?').length))).toBeLessThan(2500);
    expect([await rows('git_push'), await rows('git_ref')]).toEqual([0, 1001]);
    expect(await activityCount()).toBe(1001);
  });

  it('lists the last 100 of 10,000 commits', async () => {
    const commits = Array.from(
      { length: 10_000 },
      (_, index) =>
        `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\ndata 6\n${String(index).padStart(6, '0')}\n`,
    );
    await writeFile(join(folder.path, 'stream'), commits.join(''));
    await folder.git('-c', 'alias.import=!git fast-import --quiet < stream', 'import');
    const ids = await repository.pushOnly(person, 'main');
    const started = performance.now();
    await repository.record(ids);
    expect(performance.now() - started).toBeLessThan(5000);
    const [push] = await pushes();
    expect(push?.content).toMatchObject({ revision_count: 10_000 });
    expect(push?.content.revisions.map(({ comment }) => comment)).toEqual(
      Array.from({ length: 100 }, (_, index) => String(9999 - index).padStart(6, '0')),
    );
    expect(push?.content.revisions[0]?.created).toBe('2023-11-15T00:59:59Z');
  });

  it('truncates overlong texts and replaces invalid UTF-8 of commits', async () => {
    const import_ = async (name: string, parts: (string | Buffer)[]): Promise<void> => {
      await writeFile(join(folder.path, 'object'), Buffer.concat(parts.map((part) => Buffer.from(part))));
      const hash = await folder.git('hash-object', '-t', 'commit', '-w', '--literally', 'object');
      await folder.git('update-ref', `refs/heads/${name}`, hash);
    };
    const tree = await folder.git('hash-object', '-t', 'tree', '-w', '/dev/null');
    const head = (who: string | Buffer, time = '1700000000 +0000'): (string | Buffer)[] => [
      `tree ${tree}\nauthor `,
      who,
      ` <ada@example.com> ${time}\ncommitter Ada <ada@example.com> 1700000000 +0000\n\n`,
    ];
    await import_('huge', [...head('Ada'), 'é'.repeat(8 * 1024 * 1024)]);
    await import_('latin', [...head(Buffer.from([0x41, 0xe9])), Buffer.from([0x63, 0xe9, 0xff, 0x0a])]);
    await import_('name', [...head('A'.repeat(100_000)), 'A name']);
    await import_('time', [...head('Ada', '99999999999999999999 +0000'), 'A time']);
    await import_('none', head('Ada'));
    await repository.push(person, 'huge', 'latin', 'name', 'time', 'none');
    const contents = new Map(
      (await pushes()).map(({ content }) => [content.ref.slice(11), content.revisions[0]]),
    );
    expect(contents.get('huge')?.comment).toBe(`${'é'.repeat(3999)}…`);
    expect(contents.get('latin')).toMatchObject({ comment: 'c\ufffd\ufffd', author: { name: 'A\ufffd' } });
    expect(contents.get('name')).toMatchObject({ comment: 'A name', author: { name: 'A'.repeat(255) } });
    expect(contents.get('time')).toMatchObject({ comment: 'A time' });
    expect(contents.get('none')).toMatchObject({ comment: '' });
  });

  it('adds no deletions when the folder is missing', async () => {
    await repository.commit('One');
    await repository.push(person, 'main');
    await rm(repository.bare, { recursive: true });
    await repository.record();
    expect(await summary()).toHaveLength(1);
    expect(await rows('git_ref')).toBe(1);
  });

  it('stays hidden from viewers', async () => {
    const { world } = tested;
    await repository.commit('One');
    await repository.push(person, 'main');
    const viewer = await world.addMember(project, RoleType.Viewer);
    const query = `activityTypeId[]=${ActivityType.GitPushed}`;
    expect((await viewer.api.get(`/projects/${project.key}/activities?${query}`)).body).toEqual([]);
  });
});

describeWithGit('a webhook for pushes', () => {
  const tested = useWorld({ ...WITH_GIT, ...QUICK_DELIVERY });
  const listening = useReceiver();

  it('receives each push once, without authors and dates', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const endpoint = listening.receiver.endpoint();
    await addWebhook(world.admin, project, endpoint);
    const folder = await GitFolder.make();
    const repository = await PushedRepository.clone(world, project.repositoryId, folder);
    for (const message of ['One', 'Two', 'Three']) {
      await repository.commit(message);
      await repository.push(world.admin, 'main');
    }
    await repository.record();
    await endpoint.received(3);
    const received = endpoint.requests.map(
      ({ body }) => JSON.parse(body) as { type: number; content: PushContent },
    );
    expect(received.map(({ type, content }) => [type, content.revisions[0]?.comment])).toEqual([
      [ActivityType.GitPushed, 'One'],
      [ActivityType.GitPushed, 'Two'],
      [ActivityType.GitPushed, 'Three'],
    ]);
    // Strict receivers refuse the author and the date, which the activity shows.
    for (const { content } of received) {
      expect(Object.keys(content.revisions[0] ?? {})).toEqual(['rev', 'comment']);
    }
    await folder.remove();
  });
});

describeWithGit('a push that a killed process has not recorded', () => {
  let root: string;
  const settings = (): Record<string, string> => ({ ...WITH_GIT, GIT_ROOT: root });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'git-root-'));
  });
  afterAll(() => rm(root, { recursive: true }));
  const tested = useSharedDatabase(settings);

  it('is recorded by the next process and changes the issue that it names', async () => {
    const project = await tested.world.addProject();
    const person = await tested.world.addMember(project);
    const adminId = tested.world.admin.id;
    const folder = await GitFolder.make();
    const repository = await PushedRepository.clone(tested.world, project.repositoryId, folder);
    await repository.commit(`#fix ${project.issueKey}`);
    await repository.pushOnly(person, 'main');
    await repository.pushByHand('main:by-hand');
    expect((await activitiesOf(tested.world, project)).filter(({ type }) => type === 12)).toEqual([]);
    await tested.world.stop();
    const environment = { ...settings(), DATABASE_URL: tested.databaseUrl };
    // An embedded database belongs to one process.
    const names = process.env.TEST_DATABASE_URL ? ['one', 'other'] : ['one'];
    const worlds = await Promise.all(names.map(() => World.start(environment)));
    try {
      for (const world of worlds) await world.whenIdle();
      const [world] = worlds as [World];
      const recorded = (await activitiesOf(world, project)).filter(({ type }) => type === 12);
      expect(recorded.map(({ createdUserId, content }) => [content.ref, createdUserId]).toSorted()).toEqual([
        ['refs/heads/by-hand', adminId],
        ['refs/heads/main', person.id],
      ]);
      for (const one of worlds) await one.whenIdle();
      const api = new ApiClient(world.server.baseUrl, person.key);
      const { body } = await api.get<{ status: { id: number } }>(`/issues/${project.issueKey}`);
      expect(body.status.id).toBe(3);
    } finally {
      for (const world of worlds) await world.stop();
    }
    await folder.remove();
  });
});

describe('push reconciliation without git', () => {
  const tested = useWorld();

  it('ends without an error', async () => {
    await tested.world.addProject();
    const reconciliation = tested.world.service(PushReconciliationService);
    reconciliation.start();
    await expect(tested.world.background.whenIdle()).resolves.toBeUndefined();
  });
});
