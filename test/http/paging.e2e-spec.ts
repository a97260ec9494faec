import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, World } from '../support/world';

const NEXT = /^<(http:\/\/[^>]+)>; rel="next"$/;

describe('a paged list of comments', () => {
  let world: World;
  let project: ProjectFixture;
  let member: Person;
  let path: string;
  /** In ascending order. */
  let ids: number[];

  beforeAll(async () => {
    world = await World.start();
    project = await world.addProject();
    member = await world.addMember(project);
    path = pullRequestComments(project);
    ids = [];
    for (let number = 0; number < 105; number++) {
      ids.push(await world.addComment(project.pullRequestThreadId, member));
      // Leaves gaps between the ids of one thread.
      if (number % 10 === 0) await world.addComment(project.issueThreadId, member);
    }
  });
  afterAll(() => world.stop());

  const list = async (query: string): Promise<{ ids: number[]; next: string | undefined }> => {
    const { status, body, headers } = await member.api.get<{ id: number }[]>(`${path}${query}`);
    expect(status).toBe(200);
    const link = headers.get('link');
    return {
      ids: body.map(({ id }) => id),
      next: link === null ? undefined : NEXT.exec(link)?.[1]?.slice((world.server.baseUrl + path).length),
    };
  };

  const descending = (): number[] => [...ids].reverse();

  it('returns the 20 newest comments by default', async () => {
    expect((await list('')).ids).toEqual(descending().slice(0, 20));
  });

  it.each<[string, (ids: number[]) => string, (ids: number[]) => number[]]>([
    ['count=1', () => 'count=1', (all) => all.slice(-1)],
    ['count=100', () => 'count=100', (all) => all.slice(-100).reverse()],
    ['order=desc', () => 'order=desc&count=3', (all) => all.slice(-3).reverse()],
    ['order=asc', () => 'order=asc&count=3', (all) => all.slice(0, 3)],
    ['offset=0', () => 'offset=0&count=2', (all) => all.slice(-2).reverse()],
    ['offset=103', () => 'offset=103', (all) => all.slice(0, 2).reverse()],
    ['an offset of the total', () => 'offset=105', () => []],
    ['an offset of 2^31 - 1', () => 'offset=2147483647', () => []],
    ['an offset in ascending order', () => 'order=asc&offset=2&count=2', (all) => all.slice(2, 4)],
    ['an inclusive minId', (all) => `minId=${all[100]}`, (all) => all.slice(100).reverse()],
    ['an inclusive maxId', (all) => `maxId=${all[4]}`, (all) => all.slice(0, 5).reverse()],
    ['minId and maxId', (all) => `minId=${all[5]}&maxId=${all[7]}&order=asc`, (all) => all.slice(5, 8)],
    ['equal minId and maxId', (all) => `minId=${all[5]}&maxId=${all[5]}`, (all) => [all[5]!]],
    ['a minId above maxId', (all) => `minId=${all[7]}&maxId=${all[5]}`, () => []],
    [
      'minId and an offset',
      (all) => `minId=${all[100]}&offset=1&count=2`,
      (all) => all.slice(102, 104).reverse(),
    ],
    ['minId=0', () => 'minId=0&order=asc&count=1', (all) => all.slice(0, 1)],
    ['maxId=0', () => 'maxId=0', () => []],
    ['a maxId of 2^53 - 1', () => 'maxId=9007199254740991&count=1', (all) => all.slice(-1)],
    ['a maxId of 2^63 - 1', () => 'maxId=9223372036854775807&count=1', (all) => all.slice(-1)],
    ['a minId of 2^53', () => 'minId=9007199254740992', () => []],
    ['a minId of 2^63 - 1', () => 'minId=9223372036854775807', () => []],
  ])('returns the comments selected by %s', async (_what, query, expected) => {
    expect((await list(`?${query(ids)}`)).ids).toEqual(expected(ids));
  });

  it.each([
    ['count=0', 'count'],
    ['count=101', 'count'],
    ['count=-1', 'count'],
    ['count=', 'count'],
    ['count=abc', 'count'],
    ['count=1.5', 'count'],
    ['count=1e1', 'count'],
    ['count=%2010', 'count'],
    ['count=99999999999999999999', 'count'],
    ['offset=-1', 'offset'],
    ['offset=2147483648', 'offset'],
    ['offset=x', 'offset'],
    ['order=ASC', 'order'],
    ['order=descending', 'order'],
    ['order=', 'order'],
    ['order=id;DROP', 'order'],
    ['minId=-1', 'minId'],
    ['minId=99999999999999999999', 'minId'],
    ['maxId=9223372036854777856', 'maxId'],
    ['maxId=x', 'maxId'],
    ['maxId=null', 'maxId'],
  ])('answers 400 to %s', async (query, field) => {
    const { status, body } = await member.api.get(`${path}?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual(errorShape(7, [field]));
  });

  it('returns one error for each invalid parameter', async () => {
    const { body } = await member.api.get(`${path}?count=0&offset=-1&order=x&minId=x&maxId=x`);
    expect(body).toEqual(errorShape(7, ['count', 'offset', 'order', 'minId', 'maxId']));
  });

  it.each([
    ['in descending order', '?count=10', () => descending()],
    ['in ascending order', '?count=10&order=asc', () => ids],
    ['with the default count', '', () => descending()],
    ['with an offset', '?count=10&offset=7', () => descending().slice(7)],
    ['with an offset in the form of a list', '?count=10&offset[]=7', () => descending().slice(7)],
    ['with a count that divides the total', '?count=35', () => descending()],
    [
      'between minId and maxId',
      '?count=2',
      () => descending().slice(95, 100),
      (all: number[]) => `&minId=${all[5]}&maxId=${all[9]}`,
    ],
    [
      'between minId and maxId in the form of lists',
      '?count=2',
      () => descending().slice(95, 100),
      (all: number[]) => `&minId%5B%5D=${all[5]}&maxId[0]=${all[9]}`,
    ],
  ])(
    'returns each selected comment once through the Links, %s',
    async (_what, query, expected, bounds = () => '') => {
      const seen: number[] = [];
      let pages = 0;
      for (let next: string | undefined = query + bounds(ids); next !== undefined;) {
        const page = await list(next);
        seen.push(...page.ids);
        ({ next } = page);
        expect(++pages).toBeLessThan(100);
      }
      expect(seen).toEqual(expected());
    },
  );

  it('sends a Link only if another page follows', async () => {
    expect((await list('?count=100')).next).toBeDefined();
    expect((await list('?count=100&offset=4')).next).toBeDefined();
    expect((await list('?count=100&offset=5')).next).toBeUndefined();
    expect((await list('?count=100&offset=500')).next).toBeUndefined();
  });

  it('keeps the other parameters in the Link', async () => {
    const { next } = await list(`?order=asc&count=2&maxId=${ids[50]}`);
    const parameters = Object.fromEntries(new URLSearchParams(next));
    expect(parameters).toEqual({
      order: 'asc',
      count: '2',
      maxId: String(ids[50]),
      minId: String(ids[1]! + 1),
    });
  });

  it('skips and repeats no comments while others are added', async () => {
    const before = descending();
    const added: number[] = [];
    const seen: number[] = [];
    let pages = 0;
    for (let next: string | undefined = '?count=25'; next !== undefined; pages++) {
      const page = await list(next);
      seen.push(...page.ids);
      ({ next } = page);
      added.push(await world.addComment(project.pullRequestThreadId, member));
    }
    expect(seen).toEqual(before);
    ids.push(...added);
    expect((await list('?count=5')).ids).toEqual(descending().slice(0, 5));
    expect(pages).toBe(5);
  });

  it('uses PUBLIC_URL in the Link', async () => {
    const other = await World.start({ PUBLIC_URL: 'https://projects.example.com' });
    try {
      const fixture = await other.addProject();
      for (let times = 0; times < 2; times++)
        await other.addComment(fixture.pullRequestThreadId, other.admin);
      const { headers } = await other.admin.api.get(`${pullRequestComments(fixture)}?count=1`);
      expect(headers.get('link')).toMatch(/^<https:\/\/projects\.example\.com\/api\/v2\/projects\//);
    } finally {
      await other.stop();
    }
  });
});
