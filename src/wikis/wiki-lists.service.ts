import { Injectable } from '@nestjs/common';
import { type AuthorizedSearcher } from '../access/access';
import { type CountDto } from '../http/response/count.dto';
import { UsersService } from '../users/users.service';
import { WikiRepository, type WikiSummaryRow } from './data/wiki.repository';
import { type WikiSummaryDto } from './dto/wiki.dto';
import { WikiTagsService } from './tags/wiki-tags.service';
import { toWikiSummaryDto } from './wiki.mapper';

/** Lists the wiki pages of projects. */
@Injectable()
export class WikiListsService {
  constructor(
    private readonly wikis: WikiRepository,
    private readonly users: UsersService,
    private readonly tags: WikiTagsService,
  ) {}

  /** The pages of a project, without their contents, ordered by name, in three queries. */
  async list(projectId: number): Promise<WikiSummaryDto[]> {
    return this.toDtos(projectId, await this.wikis.findSummaries(projectId));
  }

  /** The pages whose name or content contains a keyword, whatever the case of its letters. */
  async search(projectId: number, keyword: string, searcher: AuthorizedSearcher): Promise<WikiSummaryDto[]> {
    const rows = await this.wikis.searchSummaries(projectId, keyword, searcher);
    searcher.signal.throwIfAborted();
    await searcher.authorizeAgain();
    return this.toDtos(projectId, rows);
  }

  /** How many pages a project has. */
  async count(projectId: number): Promise<CountDto> {
    return { count: await this.wikis.count(projectId) };
  }

  private async toDtos(projectId: number, rows: readonly WikiSummaryRow[]): Promise<WikiSummaryDto[]> {
    const tags = await this.tags.listByPages(projectId);
    const users = await this.users.findByIds(rows.flatMap((row) => [row.createdUserId, row.updatedUserId]));
    return rows.map((row) => toWikiSummaryDto(row, tags.get(row.id) ?? [], users));
  }
}
