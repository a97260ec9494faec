import type * as z from 'zod';
import { SourceError } from '../source.error';
import { type HttpSpool } from '../spool/http-spool';
import { addressOf, JsonApi, type Query } from '../spool/json-api';
import { type Spool } from '../spool/spool';
import { type Page } from './wire';

/** The largest page of Redmine's lists. */
export const PAGE = 100;
/** Pages of one list, after which a source is taken for one that never ends. */
const MAX_PAGES = 50_000;

/** Reads the lists of Redmine's REST API. */
export class RedmineApi extends JsonApi {
  /** @param maxPages of one list */
  constructor(
    http: HttpSpool,
    spool: Spool,
    private readonly maxPages = MAX_PAGES,
  ) {
    super(http, spool);
  }

  /** Yields the pages of a list; none if the key may not see it. */
  async *pages<T>(
    schema: z.ZodType<Page<T>>,
    keyOf: (element: T) => number,
    path: string,
    query: Query = {},
  ): AsyncGenerator<T[]> {
    let before = new Set<number>();
    let offset = 0;
    for (let page = 0; ; page++) {
      const found = await this.find(schema, path, { ...query, limit: PAGE, offset });
      if (!found) return;
      const { total, elements } = found;
      // What was added meanwhile moves the elements, but not a page of them.
      const added = elements.filter((element) => !before.has(keyOf(element)));
      if (elements.length > PAGE) {
        throw new SourceError(
          `The list ${path} has pages with more than ${PAGE} elements, which were not asked for.`,
        );
      }
      if (elements.length > 0 && added.length === 0) {
        throw new SourceError(`The list ${path} answers with the same page again.`);
      }
      if (page >= this.maxPages) throw new SourceError(`The list ${path} does not end.`);
      yield added;
      offset += elements.length;
      if (elements.length === 0 || offset >= total) return;
      before = new Set(elements.map(keyOf));
    }
  }

  /** Returns all elements of a list; undefined if the key may not see it. */
  async all<T>(
    schema: z.ZodType<Page<T>>,
    keyOf: (element: T) => number,
    path: string,
    query: Query = {},
  ): Promise<T[] | undefined> {
    const elements: T[] = [];
    let isVisible = false;
    for await (const page of this.pages(schema, keyOf, path, query)) {
      isVisible = true;
      elements.push(...page);
    }
    return isVisible ? elements : undefined;
  }

  /** Returns how many elements a list has; 0 if the key may not see it. */
  async count<T>(schema: z.ZodType<Page<T>>, path: string, query: Query = {}): Promise<number> {
    return (await this.find(schema, path, { ...query, limit: 1 }))?.total ?? 0;
  }
}

/** The issues of a project alone, in the order of their numbers. */
export const issuesQuery = (projectId: number): Query => ({
  project_id: projectId,
  subproject_id: '!*',
  status_id: '*',
  sort: 'id:asc',
});

/** Returns the address of an issue with what an import reads of it. */
export const issueAddress = (issueId: number): [path: string, query: Query] => [
  `/issues/${issueId}.json`,
  { include: 'journals,attachments,relations,watchers' },
];

export const addressOfIssue = (issueId: number): string => addressOf(...issueAddress(issueId));
