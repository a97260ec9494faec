import type * as z from 'zod';
import { SourceError } from '../source.error';
import { type HttpSpool } from '../spool/http-spool';
import { JsonApi, type Query } from '../spool/json-api';
import { type Spool } from '../spool/spool';

/** The largest page of the family's lists. */
export const PAGE = 100;
/** Pages of one list, after which a source is taken for one that never ends. */
const MAX_PAGES = 50_000;

/** Reads the lists of the family's API. */
export class BacklogApi extends JsonApi {
  /** @param maxPages of one list */
  constructor(
    http: HttpSpool,
    spool: Spool,
    private readonly maxPages = MAX_PAGES,
  ) {
    super(http, spool);
  }

  /** Yields the pages of a list that continues at an offset; none if the key may not see it. */
  async *pagesByOffset<T>(
    schema: z.ZodType<T>,
    keyOf: (element: T) => string | number,
    path: string,
    query: Query = {},
  ): AsyncGenerator<T[]> {
    let before = new Set<string | number>();
    for (let page = 0; ; page++) {
      const address = { ...query, count: PAGE, offset: page * PAGE };
      const elements = await this.list(schema, path, address);
      if (!elements) return;
      // What was added meanwhile moves the elements, but not a page of them.
      const added = elements.filter((element) => !before.has(keyOf(element)));
      this.checkPage(path, page, elements.length, added.length);
      yield added;
      if (elements.length < PAGE) return;
      before = new Set(elements.map(keyOf));
    }
  }

  /** Returns the query of the first page of a list that continues after an id. */
  static firstPage(query: Query = {}): Query {
    return { ...query, count: PAGE, order: 'asc' };
  }

  /** Yields the pages of a list that continues after an id, oldest first; none if the key may not see it. */
  async *pagesById<T>(
    schema: z.ZodType<T>,
    keyOf: (element: T) => number,
    path: string,
    query: Query = {},
  ): AsyncGenerator<T[]> {
    let last = 0;
    for (let page = 0; ; page++) {
      const first = BacklogApi.firstPage(query);
      const elements = await this.list(schema, path, last === 0 ? first : { ...first, minId: last });
      if (!elements) return;
      // Whether the bound belongs to the page is not documented.
      const added = elements.filter((element) => keyOf(element) > last);
      this.checkPage(path, page, elements.length, added.length);
      yield added;
      if (elements.length < PAGE) return;
      last = Math.max(...added.map(keyOf));
    }
  }

  private checkPage(path: string, page: number, length: number, added: number): void {
    if (length > PAGE && !path.includes('/files/metadata')) {
      throw new SourceError(
        `The list ${path} has pages with more than ${PAGE} elements, which were not asked for.`,
      );
    }
    if (page > 0 && length >= PAGE && added === 0) {
      throw new SourceError(`The list ${path} answers with the same page again.`);
    }
    if (page >= this.maxPages) throw new SourceError(`The list ${path} does not end.`);
  }
}
