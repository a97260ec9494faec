import { isEmbedded } from '../../src/database/sql/statements';
import { loopTurns } from '../../src/event-loop/loop-turns';
import { WikiTagRepository } from '../../src/wikis/data/wiki-tag.repository';
import { PAGES_AT_ONCE } from '../../src/wikis/tags/wiki-tags.service';
import { WikisService } from '../../src/wikis/wikis.service';
import { itOnEmbedded } from '../support/engines';
import { activitiesOf, everythingStored, statementsOf } from '../support/records';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

interface Tag {
  id: number;
  name: string;
}

describe('the tagging of wiki pages', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const add = (name: string, { id } = project) =>
    member.api.post<{ id: number; name: string; tags: Tag[] }>('/wikis', {
      projectId: id,
      name,
      content: '',
    });
  const addPage = async (name: string): Promise<number> => (await add(name)).body.id;
  const rename = async (id: number, name: string): Promise<Tag[]> =>
    (await member.api.patch<{ tags: Tag[] }>(`/wikis/${id}`, { name })).body.tags;
  const tags = async ({ key } = project): Promise<Tag[]> =>
    (await member.api.get<Tag[]>(`/wikis/tags?projectIdOrKey=${key}`)).body;
  const names = (list: readonly Tag[]): string[] => list.map(({ name }) => name);

  it('takes tags in brackets out of the name, and sorts them by name', async () => {
    const { body } = await add('[guide][api] Keys [dev]');
    expect(body.name).toBe('Keys');
    expect(names(body.tags)).toEqual(['api', 'dev', 'guide']);
    expect((await member.api.get(`/wikis/${body.id}`)).body).toEqual(body);
    expect(names(await tags())).toEqual(['api', 'dev', 'guide']);
  });

  it('leaves tags out of the name in lists and activities', async () => {
    const { body } = await add('[api] Keys');
    await member.api.patch(`/wikis/${body.id}`, { name: '[dev] Doors' });
    const list = await member.api.get<{ name: string }[]>(`/wikis?projectIdOrKey=${project.key}`);
    expect(list.body.map(({ name }) => name)).toEqual(['Doors', 'Home']);
    const activities = await activitiesOf(tested.world, project);
    expect(activities.map(({ content }) => content.name)).toEqual(['Keys', 'Doors']);
    await member.api.delete(`/wikis/${body.id}`);
    expect((await activitiesOf(tested.world, project)).at(-1)?.content).toMatchObject({ name: 'Doors' });
  });

  it('keeps tags for a name without brackets, and removes them for empty brackets', async () => {
    const page = await addPage('[dev][api] Keys');
    expect(names(await rename(page, 'Doors'))).toEqual(['api', 'dev']);
    expect(names(await rename(page, 'Doors[0'))).toEqual(['api', 'dev']);
    expect(await rename(page, '[] Doors')).toEqual([]);
    expect((await member.api.get(`/wikis/${page}`)).body).toMatchObject({ name: 'Doors', tags: [] });
  });

  it('takes tags out of a name stored by an earlier version when resent', async () => {
    const page = await addPage('[api] Keys');
    await tested.world.dataSource.query('UPDATE wiki SET name = ? WHERE id = ?', ['[api] Keys', page]);
    expect(names(await rename(page, '[api] Keys'))).toEqual(['api']);
    expect((await member.api.get(`/wikis/${page}`)).body).toMatchObject({ name: 'Keys' });
  });

  it('keeps the brackets in a name that consists only of tags', async () => {
    const { body } = await add('[dev][api]');
    expect(body).toMatchObject({ name: '[dev][api]', tags: [{ name: 'api' }, { name: 'dev' }] });
    const before = await everythingStored(tested.world);
    expect(names(await rename(body.id, '[dev][api]'))).toEqual(['api', 'dev']);
    expect(await everythingStored(tested.world)).toEqual(before);
  });

  it('shares tags within a project, but not across projects', async () => {
    const other = await tested.world.addProject();
    await tested.world.join(other, member);
    const [first, second, elsewhere] = [
      await add('[dev] One'),
      await add('[dev] Two'),
      await add('[dev] Three', other),
    ];
    expect(second.body.tags).toEqual(first.body.tags);
    expect(elsewhere.body.tags).not.toEqual(first.body.tags);
    expect(await tags()).toEqual(first.body.tags);
    expect(await tags(other)).toEqual(elsewhere.body.tags);
  });

  it('distinguishes tags by case and accents', async () => {
    await addPage('[dev][Dev][dév]');
    expect(names(await tags())).toEqual(['Dev', 'dev', 'dév']);
  });

  it('changes tags with the name, and lists only those in use', async () => {
    const page = await addPage('[dev][api] Keys');
    const [api, dev] = await tags();
    expect(await rename(page, '[dev] Keys')).toEqual([dev]);
    expect(await tags()).toEqual([dev]);
    expect(names(await rename(page, '[guide][dev] Keys'))).toEqual(['dev', 'guide']);
    expect(await rename(page, '[] Keys')).toEqual([]);
    expect(await tags()).toEqual([]);
    expect(await rename(page, '[api] Keys')).toEqual([api]);
    await member.api.delete(`/wikis/${page}`);
    expect(await tags()).toEqual([]);
  });

  it('keeps tags when only the content changes', async () => {
    const page = await addPage('[dev] Keys');
    const before = (await everythingStored(tested.world)).wiki_tagging;
    const { body } = await member.api.patch(`/wikis/${page}`, { content: '[api]' });
    expect(names(body.tags)).toEqual(['dev']);
    expect((await everythingStored(tested.world)).wiki_tagging).toEqual(before);
  });

  it('reads the tags of the shown pages only, in batches between which others are served', async () => {
    const { world } = tested;
    const pages = Array.from({ length: PAGES_AT_ONCE }, (_, number) => `Page ${number}.`);
    await world.write(async (manager) => {
      for (const name of pages) {
        const page = { projectId: project.id, name, tags: [`of ${name}`, 'all'], content: '' };
        await world.service(WikisService).add(manager, { ...page, createdUserId: member.id });
      }
    });
    const reads = vi.spyOn(world.service(WikiTagRepository), 'findByPages');
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    const list = async (query: string): Promise<string[][]> => {
      reads.mockClear();
      const path = `/wikis?projectIdOrKey=${project.key}${query}`;
      const { body } = await member.api.get<{ name: string; tags: Tag[] }[]>(path);
      return body.map((page) => [page.name, ...names(page.tags)]);
    };
    const tagged = (name: string): string[] => [name, 'all', `of ${name}`];
    const sizes = (): number[] => reads.mock.calls.map(([ids]) => ids.length);
    expect(await list(`&keyword=${encodeURIComponent('Page 7.')}`)).toEqual([tagged('Page 7.')]);
    expect(sizes()).toEqual([1]);
    // The page Home is one more than a batch has.
    expect(new Set(await list(''))).toEqual(new Set([['Home'], ...pages.map(tagged)]));
    expect(sizes()).toEqual([PAGES_AT_ONCE, 1]);
    const [first, second] = reads.mock.invocationCallOrder as [number, number];
    expect(slices.mock.invocationCallOrder.some((order) => first < order && order < second)).toBe(true);
    vi.restoreAllMocks();
  });

  itOnEmbedded('finds the tags in use by the pages, not by all tags that a project ever had', async () => {
    const page = await addPage('[dev] Keys');
    await rename(page, '[api] Keys');
    const sql = (await statementsOf(tested.world, tags)).find((one) => one.includes('wiki_tagging'));
    const steps = await tested.world.dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const plan = steps.map(({ detail }) => detail).join('; ');
    expect(plan).toContain('SEARCH t USING INTEGER PRIMARY KEY (rowid=?)');
    expect(plan).toMatch(/SEARCH w USING COVERING INDEX \w+ \(project_id=\?\)/);
    expect(plan).toMatch(/SEARCH g USING (COVERING INDEX \w+|PRIMARY KEY) \(wiki_id=\?\)/);
  });

  it('creates a tag once when many requests add it at the same time', async () => {
    const pages = [await addPage('One'), await addPage('Two'), await addPage('Three')];
    const given = await Promise.all([
      ...Array.from({ length: 5 }, async () => (await add('[b][a][c]')).body.tags),
      ...pages.map((page) => rename(page, '[c][b][a]')),
    ]);
    const made = await tags();
    expect(names(made)).toEqual(['a', 'b', 'c']);
    expect(given).toEqual(given.map(() => made));
  });

  it('uses a tag that another transaction creates at the same time', async () => {
    const { world } = tested;
    const page = await addPage('One');
    let renaming: Promise<Tag[]> | undefined;
    await world.write(async (manager) => {
      await manager.query('INSERT INTO wiki_tag (project_id, name) VALUES (?, ?)', [project.id, 'new']);
      const met = whenSent(world, /^INSERT INTO `wiki_tag`/);
      renaming = rename(page, '[new] One');
      // The embedded database allows no second writer.
      if (!isEmbedded(world.dataSource)) await met;
    });
    expect(names((await renaming) ?? [])).toEqual(['new']);
    vi.restoreAllMocks();
  });
});

/** Resolves when the service sends a matching statement. */
const whenSent = (world: World, statement: RegExp): Promise<void> =>
  new Promise((resolve) => {
    vi.spyOn(world.dataSource.logger, 'logQuery').mockImplementation((sql: string) => {
      if (statement.test(sql)) resolve();
    });
  });
