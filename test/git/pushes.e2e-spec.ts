import { ActivityType } from '../../src/activities/activity-type';
import { PushesService } from '../../src/git-repositories/pushes/pushes.service';
import { NO_HASH } from '../../src/git-repositories/refs/git-refs.service';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { PushedRepository } from '../support/pushes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

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

describeWithGit('pushes', () => {
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

  /** The activities about pushes, oldest first. */
  const pushes = async (): Promise<PushActivity[]> => {
    const query = `activityTypeId[]=${ActivityType.GitPushed}&count=100&order=asc`;
    const { body } = await person.api.get<PushActivity[]>(`/projects/${project.key}/activities?${query}`);
    return body;
  };

  /** Who has done what. */
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

  it('are activities with their commits', async () => {
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

  it('are updates, forced updates and deletions', async () => {
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

  it('are tags', async () => {
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

  it('are of those who have announced them, also when they are recorded together', async () => {
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

  it("are the creator's when somebody has changed the folder", async () => {
    await repository.commit('One');
    await repository.pushByHand('main');
    await repository.record();
    expect(await summary()).toEqual([[tested.world.admin.id, 'create', 'refs/heads/main', 1]]);
  });

  it('are nothing when git has refused them', async () => {
    const { world } = tested;
    const hash = await repository.commit('One');
    const update = { ref: 'refs/heads/main', oldHash: NO_HASH, newHash: hash };
    const id = await world.service(PushesService).announce(project.repositoryId, person.id, [update]);
    await repository.record();
    expect(await rows('git_push')).toBe(1);
    await repository.record(id);
    expect(await rows('git_push')).toBe(0);
    expect(await pushes()).toEqual([]);
    expect((await read()).pushedAt).toBeNull();
  });

  it('of which nobody knows the end are forgotten when they must be over', async () => {
    const { world } = tested;
    const update = { ref: 'refs/heads/main', oldHash: NO_HASH, newHash: await repository.commit('One') };
    await world.service(PushesService).announce(project.repositoryId, person.id, [update]);
    await world.dataSource.query('UPDATE git_push SET created = created - 3600000');
    await repository.record();
    expect(await rows('git_push')).toBe(0);
  });

  it('that take long keep their user while others are recorded', async () => {
    const { world } = tested;
    await repository.commit('One');
    await folder.git('branch', 'slow');
    const slow = [
      { ref: 'refs/heads/quick', oldHash: NO_HASH, newHash: await repository.head() },
      { ref: 'refs/heads/slow', oldHash: NO_HASH, newHash: await repository.head() },
    ];
    const id = await world.service(PushesService).announce(project.repositoryId, other.id, slow);
    await repository.pushByHand('main:quick');
    await repository.push(person, 'main');
    await repository.pushByHand('slow');
    await repository.record(id);
    expect(await summary()).toEqual([
      [other.id, 'create', 'refs/heads/quick', 1],
      [person.id, 'create', 'refs/heads/main', 0],
      [other.id, 'create', 'refs/heads/slow', 0],
    ]);
    expect(await rows('git_push')).toBe(0);
  });
});
