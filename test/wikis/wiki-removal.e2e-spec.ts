import { type MockInstance } from 'vitest';
import { ActivitiesService } from '../../src/activities/activities.service';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { activitiesOf, everythingStored } from '../support/records';
import { type ProjectFixture, useSharedDatabase, useWorld, World } from '../support/world';

const TABLES = [
  'wiki',
  'wiki_version',
  'removed_wiki',
  'wiki_tag',
  'wiki_tagging',
  'wiki_attachment',
  'attachment',
] as const;

/** Extends a page with one version to a history of 1,201. */
async function fill(world: World, wikiId: number): Promise<void> {
  const versions = Array.from({ length: 1200 }, (_, index) => [wikiId, index + 2, '', '', world.admin.id, 1]);
  await world.write(async (manager) => {
    await manager.query(
      `INSERT INTO wiki_version (wiki_id, version, name, content, created_user_id, created)
       VALUES ${versions.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}`,
      versions.flat(),
    );
    await manager.query('UPDATE wiki SET version = 1201 WHERE id = ?', [wikiId]);
  });
}

/** Returns the number of remaining versions of a page, and of records of its removal. */
async function leftOf(world: World, wikiId: number): Promise<{ versions: number; notes: number }> {
  const count = async (table: string): Promise<number> => {
    const [row] = await world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM ${table} WHERE wiki_id = ?`,
      [wikiId],
    );
    return Number(row.count);
  };
  return { versions: await count('wiki_version'), notes: await count('removed_wiki') };
}

/** Makes the transactions fail after the next few, as if the process had ended there. */
function failAfter(world: World, count: number): MockInstance {
  const transactions = world.service(TransactionsService);
  const run = transactions.run.bind(transactions);
  let left = count;
  return vi
    .spyOn(transactions, 'run')
    .mockImplementation((work) =>
      left-- > 0 ? run(work) : Promise.reject(new Error('That is far enough.')),
    );
}

describe('a wiki page with a long history', () => {
  const tested = useSharedDatabase(() => ({}));
  const NONE = { versions: 0, notes: 0 };
  let project: ProjectFixture;

  beforeEach(async () => {
    project = await tested.world.addProject();
    await fill(tested.world, project.wikiId);
  });

  afterEach(() => vi.restoreAllMocks());

  const remove = () => tested.world.admin.api.delete<{ id: number }>(`/wikis/${project.wikiId}`);
  const whenIdle = () => tested.world.background.whenIdle();
  const left = () => leftOf(tested.world, project.wikiId);
  const told = async () => (await activitiesOf(tested.world, project)).map(({ type }) => type);

  /** Deletes the page, but removes only some of its versions. */
  const removeHalf = async (): Promise<void> => {
    const spy = failAfter(tested.world, 4);
    const { status, body } = await remove();
    expect([status, body.id]).toEqual([200, project.wikiId]);
    await whenIdle();
    spy.mockRestore();
  };

  it('loses all its versions when it is deleted', async () => {
    const { world } = tested;
    const other = await world.addProject();
    const { status, body } = await remove();
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: project.wikiId, name: 'Home', content: 'Its content' });
    await whenIdle();
    expect(await left()).toEqual(NONE);
    expect(await leftOf(world, other.wikiId)).toEqual({ versions: 1, notes: 0 });
    expect(await told()).toEqual([7]);
  });

  it('stays unchanged when its deletion fails', async () => {
    const { world } = tested;
    const before = await everythingStored(world);
    vi.spyOn(world.service(ActivitiesService), 'record').mockRejectedValue(new Error('No more of this.'));
    expect((await remove()).status).toBe(500);
    await whenIdle();
    expect(await everythingStored(world)).toEqual(before);
  });

  it('disappears at once with one activity, and loses its other versions in the next run', async () => {
    const { world } = tested;
    const { admin } = world;
    await removeHalf();
    const { versions, notes } = await left();
    expect(versions).toBeGreaterThan(0);
    expect(versions).toBeLessThan(1201);
    expect(notes).toBe(1);
    for (const path of ['', '/history']) {
      expect((await admin.api.get(`/wikis/${project.wikiId}${path}`)).status).toBe(404);
    }
    expect((await remove()).status).toBe(404);
    expect((await admin.api.get(`/wikis/count?projectIdOrKey=${project.key}`)).body).toEqual({ count: 0 });
    world.startBackgroundWork();
    await whenIdle();
    expect(await left()).toEqual(NONE);
    expect(await told()).toEqual([7]);
  });

  it('leaves its remaining versions to the next process', async () => {
    await removeHalf();
    await tested.world.server.app.close();
    const next = await World.start({ DATABASE_URL: tested.databaseUrl });
    try {
      await next.background.whenIdle();
      expect(await leftOf(next, project.wikiId)).toEqual(NONE);
      expect((await activitiesOf(next, project)).map(({ type }) => type)).toEqual([7]);
    } finally {
      await next.stop();
    }
  });

  it('leaves no rows when its project is deleted during its removal', async () => {
    const { world } = tested;
    await removeHalf();
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
    world.service(ProjectRemovalService).start();
    world.startBackgroundWork();
    await world.whenIdle();
    await whenIdle();
    const after = await everythingStored(world);
    for (const table of TABLES) expect([table, after[table]]).toEqual([table, []]);
  });
});

describe('the removal of a project with wiki pages', () => {
  const tested = useWorld();

  it('removes the pages with all their rows, but no other pages', async () => {
    const { world } = tested;
    const { admin } = world;
    const removal = world.service(ProjectRemovalService);
    const kept = await world.addProject();
    await admin.api.patch(`/wikis/${kept.wikiId}`, { name: '[dev] Home' });
    const before = await everythingStored(world);

    const project = await world.addProject();
    const { body: page } = await admin.api.post<{ id: number }>('/wikis', {
      projectId: project.id,
      name: '[dev] Keys',
      content: '',
    });
    const attachmentId = await world.addUpload(admin);
    await admin.api.post(`/wikis/${page.id}/attachments`, { attachmentId: [attachmentId] });
    await fill(world, page.id);

    // Otherwise the pages would be deleted with the project's row, not by their own remover.
    removal.register('contents', () => Promise.reject(new Error('That is far enough.')));
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
    removal.start();
    await world.background.whenIdle();
    const after = await everythingStored(world);
    for (const table of TABLES) expect([table, after[table]]).toEqual([table, before[table]]);
  });
});
