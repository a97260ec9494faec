import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../../database/connections/database-errors';
import { groupBy } from '../../database/sql/group-by';
import { type EntityRunner } from '../../database/sql/statements';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { loopTurns } from '../../event-loop/loop-turns';
import { WikiTagRepository } from '../data/wiki-tag.repository';
import { type WikiTagDto } from '../dto/wiki-tag.dto';

/** Maximum number of attempts of a transaction when concurrent ones add the same tags. */
const MAX_ATTEMPTS = 10;

/** Number of pages whose tags one statement reads: a page has up to 85, so more would block the event loop. */
export const PAGES_AT_ONCE = 200;

/**
 * Manages the tags of wiki pages. A tag is kept when the last page loses it, so that no request encounters a tag that is being removed.
 * Lists show only tags in use.
 */
@Injectable()
export class WikiTagsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly tags: WikiTagRepository,
  ) {}

  /** Returns the tags in use on a project's pages, ordered by name. */
  list(projectId: number): Promise<WikiTagDto[]> {
    return this.tags.findUsed(projectId);
  }

  /** Returns the tags of one page, ordered by name. */
  listOfPage(wikiId: number, runner?: EntityRunner): Promise<WikiTagDto[]> {
    return this.tags.findOfPage(wikiId, runner);
  }

  /**
   * Returns the tags of pages of any projects by page id, ordered by name, in one query unless there are hundreds. Pages without tags are
   * absent.
   */
  async listByIds(wikiIds: readonly number[]): Promise<Map<number, WikiTagDto[]>> {
    const tags = new Map<number, WikiTagDto[]>();
    for (let start = 0; start < wikiIds.length; start += PAGES_AT_ONCE) {
      if (start > 0) await loopTurns.nextSlice();
      const rows = await this.tags.findByPages(wikiIds.slice(start, start + PAGES_AT_ONCE));
      for (const [wikiId, ofPage] of groupBy(rows, (row) => row.wikiId)) {
        tags.set(
          wikiId,
          ofPage.map(({ id, name }) => ({ id, name })),
        );
      }
    }
    return tags;
  }

  /**
   * Runs a transaction that tags pages. If two transactions add the same tag concurrently, the second one fails with a duplicate key error,
   * and finds the tag when it is retried.
   */
  async runTagging<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transactions.run(work);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isDuplicate(error)) throw error;
      }
    }
  }

  /**
   * Adds tags to a page that has none.
   * @throws a duplicate key error when a concurrent transaction has added one of the tags; `runTagging` handles it
   */
  async add(
    manager: EntityManager,
    wiki: { id: number; projectId: number },
    names: readonly string[],
  ): Promise<void> {
    if (names.length === 0) return;
    const known = new Set(await this.tags.findKnownNames(manager, wiki.projectId, names));
    const missing = names.filter((name) => !known.has(name));
    if (missing.length > 0) await this.tags.insert(manager, wiki.projectId, missing);
    await this.tags.addToPage(manager, wiki, names);
  }

  /** Replaces the tags of a locked page, and returns whether they differ; throws the same error as `add`. */
  async replace(
    manager: EntityManager,
    wiki: { id: number; projectId: number },
    names: readonly string[],
  ): Promise<boolean> {
    const before = await this.tags.findOfPage(wiki.id, manager);
    const isSame = before.length === names.length && before.every(({ name }) => names.includes(name));
    if (isSame) return false;
    if (before.length > 0) await this.tags.removeFromPage(manager, wiki.id);
    await this.add(manager, wiki, names);
    return true;
  }
}
