import { type EntityManager } from 'typeorm';
import { IssuesService } from '../../src/issues/issues.service';
import { addIssue } from '../support/issues';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('GET /issues with a keyword', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    member = await world.addMember(project);
    await addIssue(member, project, { summary: 'Straße gesperrt', description: 'ÜBERALL Größe 10%' });
    await addIssue(member, project, { summary: 'Привет Мир', description: 'вКонтакте_1' });
    const commented = await addIssue(member, project, {
      summary: 'Printer on fire',
      description: "It's hot!",
    });
    await member.api.post(`/issues/${commented.issueKey}/comments`, { content: 'Call the FIREFIGHTERS' });
    await member.api.post(`/issues/${commented.issueKey}/comments`, { content: '消防車を呼ぶ 🚒' });
    await addIssue(member, project, { summary: 'Fire drill', description: 'A \\ path' });
    const elsewhere = await world.addProject();
    await addIssue(world.admin, elsewhere, { summary: 'Fire elsewhere' });
  });

  const search = async (keyword: string, query = ''): Promise<string[]> => {
    const path = `keyword=${encodeURIComponent(keyword)}${query}`;
    const { status, body } = await member.api.get<{ summary: string }[]>(`/issues?${path}`);
    expect(status).toBe(200);
    const { body: counted } = await member.api.get(`/issues/count?${path}`);
    expect(counted).toEqual({ count: body.length });
    return body.map(({ summary }) => summary);
  };

  const STREET = 'Straße gesperrt';
  const WORLD = 'Привет Мир';
  const PRINTER = 'Printer on fire';
  const DRILL = 'Fire drill';

  it.each<[string, string[]]>([
    ['fire', [DRILL, PRINTER]],
    ['FIRE', [DRILL, PRINTER]],
    ['irefight', [PRINTER]],
    ['fire printer', [PRINTER]],
    ['fighters hot on', [PRINTER]],
    ['  drill \t fire　', [DRILL]],
    ['fire nowhere', []],
    ['elsewhere', []],
    ['überall', [STREET]],
    ['STRASSE', []],
    ['straße', [STREET]],
    ['GRÖßE', [STREET]],
    ['мир', [WORLD]],
    ['ПРИВЕТ', [WORLD]],
    ['вконтакте', [WORLD]],
    ['消防', [PRINTER]],
    ['🚒', [PRINTER]],
    ['%', [STREET]],
    ['10%', [STREET]],
    ['_', [WORLD]],
    ['!', [PRINTER]],
    ['\\', [DRILL]],
    ["it's", [PRINTER]],
    ['"', []],
  ])('searches summaries, descriptions and comments for %j', async (keyword, expected) => {
    expect(await search(keyword)).toEqual(expected);
  });

  it.each(['', '   ', '　'])('ignores the blank keyword %j', async (keyword) => {
    expect(await search(keyword)).toHaveLength(5);
  });

  it('combines the keyword with filters and sort orders', async () => {
    expect(await search('fire', '&order=asc')).toEqual([PRINTER, DRILL]);
    expect(await search('fire', '&sort=summary&order=asc')).toEqual([DRILL, PRINTER]);
    expect(await search('fire', '&sort=updated&order=asc&count=100')).toEqual([PRINTER, DRILL]);
    expect(await search('fire', '&statusId[]=4')).toEqual([]);
    expect(await search('fire', `&projectId[]=${project.id}&priorityId[]=3`)).toEqual([DRILL, PRINTER]);
  });

  it('returns the results page by page with a next link', async () => {
    const { body, headers } = await member.api.get<{ summary: string }[]>('/issues?keyword=fire&count=1');
    expect(body.map(({ summary }) => summary)).toEqual([DRILL]);
    expect(headers.get('link')).toMatch(/[?&]offset=1\b/);
    const last = await member.api.get<{ summary: string }[]>('/issues?keyword=fire&count=1&offset=1');
    expect(last.body.map(({ summary }) => summary)).toEqual([PRINTER]);
    expect(last.headers.get('link')).toBeNull();
  });

  it('searches the issues of every project for an Administrator', async () => {
    const { body } = await tested.world.admin.api.get<{ summary: string }[]>('/issues?keyword=fire');
    expect(body.map(({ summary }) => summary)).toEqual(['Fire elsewhere', DRILL, PRINTER]);
  });

  it('refuses a keyword of more than 255 characters', async () => {
    expect((await member.api.get(`/issues?keyword=${'x'.repeat(255)}`)).status).toBe(200);
    expect((await member.api.get(`/issues?keyword=${'x'.repeat(256)}`)).status).toBe(400);
  });

  it('refuses a keyword of more than 10 distinct words', async () => {
    const words = Array.from({ length: 11 }, (_, index) => `word${index}`);
    for (const path of ['/issues', '/issues/count']) {
      for (const person of [member, await tested.world.addUser()]) {
        const ask = (some: string[]) => person.api.get(`${path}?keyword=${some.join('+')}`);
        expect((await ask(words.slice(1))).status).toBe(200);
        const { status, body } = await ask(words);
        expect(status).toBe(400);
        expect(body).toEqual(errorShape(7, ['keyword']));
        expect((await ask(Array<string>(128).fill('a'))).status).toBe(200);
      }
    }
  });

  describe('in a project with 1,200 issues', () => {
    const COUNT = 1200;
    let large: ProjectFixture;
    let reader: Person;

    beforeAll(async () => {
      const { world } = tested;
      large = await world.addProject();
      reader = await world.addMember(large);
      const add = (manager: EntityManager, number: number): Promise<unknown> =>
        world.service(IssuesService).add(manager, {
          projectId: large.id,
          issueTypeId: large.issueTypeId,
          statusId: large.statusId,
          summary: number % 400 === 0 ? 'A needle' : `Hay ${['🌾', 'Ｆ', 'f'][number % 3]} ${number % 7}`,
          description: 'A common word',
          createdUserId: world.admin.id,
          dueDate: number % 2 === 0 ? null : `2026-01-1${number % 5}`,
        });
      // In several transactions, because each has a deadline.
      for (let first = 1; first < COUNT; first += 200) {
        await world.write(async (manager) => {
          for (let number = first; number < Math.min(first + 200, COUNT); number++)
            await add(manager, number);
        });
      }
      await world.dataSource.query(
        `UPDATE issue SET created = id * 7919 % 100, updated = id % 2, description = 'A common word'
          WHERE project_id = ?`,
        [large.id],
      );
    });

    const idsOf = async (query: string): Promise<number[]> =>
      (await reader.api.get<{ id: number }[]>(`/issues?${query}`)).body.map(({ id }) => id);

    it.each(['created', 'updated', 'summary', 'dueDate', 'childIssue', 'sharedFile'])(
      'sorts by %s as without a keyword',
      async (sort) => {
        for (const order of ['asc', 'desc']) {
          for (const offset of [0, 480, 550, 1150]) {
            const query = `sort=${sort}&order=${order}&offset=${offset}&count=100`;
            const [searched, all] = [await idsOf(`${query}&keyword=common`), await idsOf(query)];
            expect(all).toHaveLength(Math.min(100, COUNT - offset));
            expect([query, searched]).toEqual([query, all]);
          }
        }
      },
    );

    it('finds rare words and counts frequent ones', async () => {
      expect(await idsOf('keyword=NEEDLE')).toHaveLength(2);
      expect((await reader.api.get('/issues/count?keyword=needle')).body).toEqual({ count: 2 });
      expect((await reader.api.get('/issues/count?keyword=common')).body).toEqual({ count: COUNT });
      expect((await reader.api.get('/issues/count?keyword=common+%F0%9F%8C%BE')).body).toEqual({
        count: 399,
      });
    });
  });
});
