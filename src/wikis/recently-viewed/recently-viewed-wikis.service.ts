import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { InvalidRequestError } from '../../errors/domain-errors';
import { toTimestamp } from '../../http/request/timestamp';
import { type OffsetPaging, Page } from '../../paging/page';
import { ViewKind } from '../../views/view-kind';
import { ViewsService } from '../../views/views.service';
import { WikiRepository } from '../data/wiki.repository';
import { type RecentlyViewedWikiDto } from '../dto/recently-viewed-wiki.dto';
import { type WikiSummaryDto } from '../dto/wiki.dto';
import { WikiListsService } from '../wiki-lists.service';

/** Manages the recently viewed wiki pages of users. */
@Injectable()
export class RecentlyViewedWikisService {
  constructor(
    private readonly views: ViewsService,
    private readonly wikis: WikiRepository,
    private readonly lists: WikiListsService,
  ) {}

  /** Returns one page of the wiki pages that the caller has viewed and can still see. */
  async list(caller: Caller, query: OffsetPaging): Promise<Page<RecentlyViewedWikiDto>> {
    const { items, next } = await this.views.page(caller.id, ViewKind.WikiPage, query, async (ids) =>
      (await this.wikis.findVisiblePlaces(caller, ids)).map(({ id }) => id),
    );
    const pages = await this.lists.findByIds(items.map(({ subjectId }) => subjectId));
    return new Page(
      items.flatMap(({ subjectId, viewed }) => {
        const page = pages.get(subjectId);
        return page ? [{ page, updated: toTimestamp(viewed) }] : [];
      }),
      next,
    );
  }

  /**
   * Records that the caller has viewed a page, and returns it.
   * @throws InvalidRequestError when the caller can see no such page
   */
  async add(caller: Caller, wikiId: number): Promise<WikiSummaryDto> {
    const [place] = await this.wikis.findVisiblePlaces(caller, [wikiId]);
    const page = place && (await this.lists.findByIds([wikiId])).get(wikiId);
    if (!page) throw InvalidRequestError.of('wikiId', `There is no wiki page ${wikiId}.`);
    await this.views.add(caller.id, ViewKind.WikiPage, place);
    return page;
  }
}
