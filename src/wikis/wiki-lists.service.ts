import { Injectable } from '@nestjs/common';
import { type AuthorizedSearcher } from '../access/access';
import { type CountDto } from '../http/response/count.dto';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { WikiRepository, type WikiSummaryRow } from './data/wiki.repository';
import { type ListWikisQuery } from './dto/wiki-queries.dto';
import { type WikiSummaryDto } from './dto/wiki.dto';
import { WikiTagsService } from './tags/wiki-tags.service';
import { toWikiSummaryDto } from './wiki.mapper';

type WikiOrder = Pick<ListWikisQuery, 'sort' | 'order'>;

/** Lists the wiki pages of projects. */
@Injectable()
export class WikiListsService {
  constructor(
    private readonly wikis: WikiRepository,
    private readonly users: UsersService,
    private readonly tags: WikiTagsService,
  ) {}

  /** Returns the pages of a project without their contents, in three queries unless there are hundreds. */
  async list(projectId: number, order: WikiOrder = { sort: 'name' }): Promise<WikiSummaryDto[]> {
    return this.toDtos(inOrder(await this.wikis.findSummaries(projectId), order));
  }

  /** Returns the pages whose name, content or tags contain a keyword, ignoring case. */
  async search(
    projectId: number,
    keyword: string,
    order: WikiOrder,
    searcher: AuthorizedSearcher,
  ): Promise<WikiSummaryDto[]> {
    const rows = await this.wikis.searchSummaries(projectId, keyword, searcher);
    searcher.signal.throwIfAborted();
    await searcher.authorizeAgain();
    return this.toDtos(inOrder(rows, order));
  }

  /** Returns the pages that exist among these ids, by id, in three queries, regardless of who can see them. */
  async findByIds(ids: readonly number[]): Promise<Map<number, WikiSummaryDto>> {
    if (ids.length === 0) return new Map();
    const pages = await this.toDtos(await this.wikis.findSummariesByIds(ids));
    return new Map(pages.map((page) => [page.id, page]));
  }

  /** Counts the pages of a project. */
  async count(projectId: number): Promise<CountDto> {
    return { count: await this.wikis.count(projectId) };
  }

  private async toDtos(rows: readonly WikiSummaryRow[]): Promise<WikiSummaryDto[]> {
    const tags = await this.tags.listByIds(rows.map(({ id }) => id));
    const users = await this.users.findByIds(userIdsIn(rows));
    return rows.map((row) => toWikiSummaryDto(row, tags.get(row.id) ?? [], users));
  }
}

/** Sorts pages that are already ordered by name. */
function inOrder(rows: WikiSummaryRow[], { sort, order }: WikiOrder): WikiSummaryRow[] {
  if (sort === 'name') return order === 'desc' ? rows.toReversed() : rows;
  const direction = order === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => direction * (a[sort] - b[sort]));
}
