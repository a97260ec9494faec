import type * as z from 'zod';
import { type Losses } from '../losses';
import { SourceError } from '../source.error';
import { type HttpSpool } from '../spool/http-spool';
import { JsonApi, type Query } from '../spool/json-api';
import { type Spool } from '../spool/spool';

/** The largest page of lists. */
export const PAGE = 100;
/** Pages of one list, after which a source is taken for one that never ends. */
const MAX_PAGES = 50_000;
const SECOND = 1000;
const HIDDEN_LISTS = 'Lists that the source does not show to this key, with all that they have';

/** A list of a source. */
export interface ForgeList<T> {
  path: string;
  query?: Query;
  element: z.ZodType<T>;
  keyOf: (element: T) => number;
  /** Called if the key may not see the list; by default, this is a loss. */
  onHidden?: () => void;
}

/** A list that is in the order of a time, from which on it can be read. */
export interface TimedList<T> extends ForgeList<T> {
  /** The parameter for the time. */
  from: string;
  timeOf: (element: T) => number;
}

/**
 * Reads lists with numbered pages. Pages can have gaps, where the key may not see something: only the links of answers say where a list
 * ends.
 */
export class ForgeApi extends JsonApi {
  /** @param maxPages of one list */
  constructor(
    http: HttpSpool,
    spool: Spool,
    private readonly losses: Losses,
    private readonly maxPages = MAX_PAGES,
  ) {
    super(http, spool);
  }

  /** Returns the query of a page. */
  static pageQuery(query: Query = {}, page = 1): Query {
    return { ...query, per_page: PAGE, page };
  }

  /**
   * Yields the pages of a list; none if the key may not see it.
   * @param onRefused called if the source shows no more pages, although there are some
   */
  async *pages<T>(list: ForgeList<T>, onRefused?: () => void): AsyncGenerator<T[]> {
    const { path, query, element, keyOf } = list;
    let before = new Set<number>();
    for (let page = 1; ; page++) {
      const found = await this.page(element, path, ForgeApi.pageQuery(query, page));
      if (!found) {
        if (page > 1) onRefused?.();
        else this.hidden(list);
        return;
      }
      const { elements } = found;
      // What was added meanwhile moves the elements, but not a page of them.
      const added = elements.filter((one) => !before.has(keyOf(one)));
      this.checkPage(path, page, elements.length, page > 1 && added.length === 0);
      yield added;
      if (isLast(found)) return;
      before = new Set(elements.map(keyOf));
    }
  }

  /**
   * Yields the pages of a list in the order of its times; none if the key may not see it. Each page begins at the time at which the last one
   * ended: sources refuse large numbers of pages, and what changes meanwhile moves those behind it.
   * @throws SourceError for a list that does not progress, or of which the source shows only a part
   */
  async *pagesByTime<T>(list: TimedList<T>): AsyncGenerator<T[]> {
    const { path, query, element, keyOf, from, timeOf } = list;
    /** The times of the elements that the next page may have again. */
    const seen = new Map<number, number>();
    let window = new Set<number>();
    let since: number | undefined;
    for (let page = 1, count = 1; ; count++) {
      const start: Query = since === undefined ? {} : { [from]: toSeconds(since) };
      const found = await this.page(element, path, ForgeApi.pageQuery({ ...query, ...start }, page));
      if (!found) {
        if (count > 1) throw new SourceError(`The source shows only a part of the list ${path}.`);
        this.hidden(list);
        return;
      }
      const { elements } = found;
      const isAgain = page > 1 && elements.every((one) => window.has(keyOf(one)));
      this.checkPage(path, count, elements.length, isAgain);
      const added = elements.filter((one) => !seen.has(keyOf(one)));
      yield added;
      if (isLast(found)) return;
      for (const one of elements) seen.set(keyOf(one), timeOf(one));
      // Times have seconds, and whether the bound belongs to the page is not documented.
      const last = elements.reduce((time, one) => Math.max(time, timeOf(one)), -Infinity);
      const next = Math.floor(last / SECOND - 1) * SECOND;
      if (next > (since ?? -Infinity)) {
        for (const [key, time] of seen) if (time < next) seen.delete(key);
        since = next;
        page = 1;
        window = new Set();
      } else {
        for (const one of elements) window.add(keyOf(one));
        page++;
      }
    }
  }

  /** Returns a list that is not paged; undefined, which is a loss, if the key may not see it. */
  async whole<T>(element: z.ZodType<T>, path: string): Promise<T[] | undefined> {
    const found = await this.list(element, path);
    if (!found) this.hidden({ path });
    return found;
  }

  private hidden({ path, onHidden }: Pick<ForgeList<never>, 'path' | 'onHidden'>): void {
    if (onHidden) onHidden();
    else this.losses.note(HIDDEN_LISTS, path);
  }

  private checkPage(path: string, count: number, length: number, isAgain: boolean): void {
    if (length > PAGE) {
      throw new SourceError(
        `The list ${path} has pages with more than ${PAGE} elements, which were not asked for.`,
      );
    }
    if (isAgain && length > 0) throw new SourceError(`The list ${path} answers with the same page again.`);
    if (count >= this.maxPages) throw new SourceError(`The list ${path} does not end.`);
  }
}

/** Returns a time such as `2024-01-31T12:00:00Z`. */
const toSeconds = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

const isLast = ({ elements, hasNext }: { elements: unknown[]; hasNext: boolean }): boolean =>
  !hasNext && elements.length < PAGE;
