import * as z from 'zod';
import { Losses } from '../../src/sources/losses';
import { ForgeApi } from '../../src/sources/forges/forge-api';

const element = z.object({ id: z.int().min(1), updated: z.int() });
type Element = z.output<typeof element>;
const SECOND = 1000;
const BEGUN = Date.UTC(2024, 0, 1);

/** A page of a list that a source answers with. */
type Pages = (query: URLSearchParams) => { elements: object[]; hasNext?: boolean } | undefined;

describe(ForgeApi.name, () => {
  let asked: URLSearchParams[];

  let losses: Losses;

  beforeEach(() => {
    asked = [];
    losses = new Losses();
  });

  function apiOf(pages: Pages, maxPages?: number): ForgeApi {
    const answer = (address: string) => {
      const query = new URLSearchParams(address.split('?')[1]);
      asked.push(query);
      const found = pages(query);
      return Promise.resolve(
        found
          ? { status: 200, body: JSON.stringify(found.elements), hasNext: found.hasNext }
          : { status: 422, body: '' },
      );
    };
    const spool = { forget: () => Promise.resolve() };
    return new ForgeApi({ answer } as never, spool as never, losses, maxPages);
  }

  const byNumber = (api: ForgeApi, onRefused?: () => void) =>
    api.pages({ path: '/list', element, keyOf: ({ id }) => id }, onRefused);

  const byTime = (api: ForgeApi) =>
    api.pagesByTime({
      ...{ path: '/list', element, keyOf: ({ id }: Element) => id, from: 'since' },
      timeOf: ({ updated }: Element) => updated,
    });

  async function idsOf(pages: AsyncIterable<Element[]>): Promise<number[]> {
    const ids: number[] = [];
    for await (const page of pages) ids.push(...page.map(({ id }) => id));
    return ids;
  }

  const elementsOf = (count: number, timeOf: (id: number) => number): Element[] =>
    Array.from({ length: count }, (_value, index) => ({ id: index + 1, updated: timeOf(index + 1) }));

  /** Answers as a source does that has a list. */
  const served =
    (list: readonly Element[], isInclusive: boolean): Pages =>
    (query) => {
      const since = Date.parse(query.get('since') ?? '1970-01-01T00:00:00Z');
      const page = Number(query.get('page'));
      const left = list.filter(({ updated }) => (isInclusive ? updated >= since : updated > since));
      return { elements: left.slice((page - 1) * 100, page * 100), hasNext: left.length > page * 100 };
    };

  describe('of a list with numbered pages', () => {
    it('reads pages with gaps to the last one', async () => {
      const sizes = [3, 0, 100, 7];
      const pages: Pages = (query) => {
        const page = Number(query.get('page'));
        const elements = Array.from({ length: sizes[page - 1]! }, (_value, index) => ({
          id: page * 1000 + index,
          updated: 0,
        }));
        return { elements, hasNext: page < sizes.length };
      };
      expect(await idsOf(byNumber(apiOf(pages)))).toHaveLength(110);
    });

    it('says when the source refuses the rest', async () => {
      let refused = 0;
      const pages: Pages = (query) =>
        query.get('page') === '1' ? { elements: [{ id: 1, updated: 0 }], hasNext: true } : undefined;
      expect(await idsOf(byNumber(apiOf(pages), () => refused++))).toEqual([1]);
      expect(refused).toBe(1);
    });
  });

  describe('of a list in the order of a time', () => {
    it.each([
      ['each its own second', (id: number) => BEGUN + id * SECOND],
      ['the same second for more than a page', (id: number) => BEGUN + Math.floor(id / 250) * SECOND],
      ['the same second for all', () => BEGUN],
    ])(
      'reads every element once with %s, whether the bound belongs to the page or not',
      async (_case, timeOf) => {
        const list = elementsOf(777, timeOf);
        for (const isInclusive of [true, false]) {
          const ids = await idsOf(byTime(apiOf(served(list, isInclusive))));
          expect(ids).toEqual(list.map(({ id }) => id));
        }
      },
    );

    it('asks for no page behind those of one second', async () => {
      await idsOf(
        byTime(
          apiOf(
            served(
              elementsOf(1000, (id) => BEGUN + id * SECOND),
              true,
            ),
          ),
        ),
      );
      expect(Math.max(...asked.map((query) => Number(query.get('page'))))).toBe(1);
      expect(asked.length).toBeLessThanOrEqual(12);
    });

    it('loses nothing when an element is changed meanwhile, and so moves behind the others', async () => {
      const list = elementsOf(300, (id) => BEGUN + id * SECOND);
      const changed = (): Element[] => [
        ...list.filter(({ id }) => id !== 50),
        { id: 50, updated: BEGUN + 1000 * SECOND },
      ];
      const pages: Pages = (query) => served(asked.length === 1 ? list : changed(), true)(query);
      expect(new Set(await idsOf(byTime(apiOf(pages)))).size).toBe(300);
    });
  });

  describe('of a list that the key may not see', () => {
    const hidden: Pages = () => undefined;
    const HIDDEN = {
      text: 'Lists that the source does not show to this key, with all that they have',
      ...{ count: 3, examples: ['/list', '/list', '/list'] },
    };

    it('names it as a loss', async () => {
      expect(await idsOf(byNumber(apiOf(hidden)))).toEqual([]);
      expect(await idsOf(byTime(apiOf(hidden)))).toEqual([]);
      expect(await apiOf(hidden).whole(element, '/list')).toBeUndefined();
      expect(losses.list()).toEqual([HIDDEN]);
    });

    it('lets the reader of the list decide', async () => {
      const onHidden = () => {
        throw new Error('hidden');
      };
      const list = { path: '/list', element, keyOf: ({ id }: Element) => id, onHidden };
      await expect(idsOf(apiOf(hidden).pages(list))).rejects.toThrow('hidden');
      expect(losses.list()).toEqual([]);
    });
  });

  it('refuses a list in the order of a time of which the source shows only a part', async () => {
    const list = elementsOf(300, (id) => BEGUN + id * SECOND);
    const pages: Pages = (query) => (asked.length > 2 ? undefined : served(list, true)(query));
    await expect(idsOf(byTime(apiOf(pages)))).rejects.toThrow(/shows only a part/);
  });

  it.each<[string, Pages, RegExp]>([
    ['the same page', () => ({ elements: elementsOf(100, () => BEGUN), hasNext: true }), /same page again/],
    [
      'pages without an end',
      (query) => {
        const since = Date.parse(query.get('since') ?? '2024-01-01T00:00:00Z');
        const first = since / SECOND + (Number(query.get('page')) - 1) * 100;
        return {
          elements: Array.from({ length: 100 }, (_value, index) => ({
            id: first + index,
            updated: (first + index) * SECOND,
          })),
          hasNext: true,
        };
      },
      /does not end/,
    ],
    ['empty pages without an end', () => ({ elements: [], hasNext: true }), /does not end/],
    ['larger pages than asked for', () => ({ elements: elementsOf(101, () => BEGUN) }), /more than 100/],
    ['wrong types', () => ({ elements: [{ id: 'one', updated: 0 }] }), /not as the API describes/],
  ])('refuses a list with %s', async (_case, pages, sentence) => {
    await expect(idsOf(byTime(apiOf(pages, 30)))).rejects.toThrow(sentence);
    await expect(idsOf(byNumber(apiOf(pages, 30)))).rejects.toThrow(sentence);
  });
});
