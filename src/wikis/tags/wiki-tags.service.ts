import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../../database/database-errors';
import { groupBy } from '../../database/group-by';
import { type EntityRunner } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { type PageTagRow, WikiTagRepository } from '../data/wiki-tag.repository';
import { type WikiTagDto } from '../dto/wiki-tag.dto';

/** How often a transaction is run when others add the same tags at the same time. */
const MAX_ATTEMPTS = 10;

/**
 * The tags of wiki pages. A tag stays when the last page loses it, so that no request meets a tag that is just being removed.
 * Lists show only tags that a page has.
 */
@Injectable()
export class WikiTagsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly tags: WikiTagRepository,
  ) {}

  /** The tags that pages of a project have, ordered by name. */
  list(projectId: number): Promise<WikiTagDto[]> {
    return this.tags.findUsed(projectId);
  }

  /** The tags of one page, ordered by name. */
  listOfPage(wikiId: number, runner?: EntityRunner): Promise<WikiTagDto[]> {
    return this.tags.findOfPage(wikiId, runner);
  }

  /** The tags of a project's pages by the page's id, each page's ordered by name. Pages without tags are missing. */
  async listByPages(projectId: number): Promise<Map<number, WikiTagDto[]>> {
    return byPage(await this.tags.findOfPages(projectId));
  }

  /** The same for pages of any projects. */
  async listByIds(wikiIds: readonly number[]): Promise<Map<number, WikiTagDto[]>> {
    return byPage(await this.tags.findByPages(wikiIds));
  }

  /**
   * Runs a transaction that tags pages. Of two that add the same tag at once, the second fails with a duplicate key; when it is
   * run again, it finds the tag.
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
   * Tags a page that has no tags.
   * @throws a duplicate key error when somebody else has just added one of the tags; `runTagging` handles it
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

  /** Replaces the tags of a page, as `add` does. */
  async replace(
    manager: EntityManager,
    wiki: { id: number; projectId: number },
    before: readonly string[],
    after: readonly string[],
  ): Promise<void> {
    const isSame = before.length === after.length && before.every((name) => after.includes(name));
    if (isSame) return;
    if (before.length > 0) await this.tags.removeFromPage(manager, wiki.id);
    await this.add(manager, wiki, after);
  }
}

function byPage(rows: readonly PageTagRow[]): Map<number, WikiTagDto[]> {
  const grouped = groupBy(rows, (row) => row.wikiId);
  return new Map([...grouped].map(([wikiId, tags]) => [wikiId, tags.map(({ id, name }) => ({ id, name }))]));
}
