import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conditions } from '../database/conditions';
import { contains } from '../database/contains';
import { searchesOf } from '../database/contains-search';
import { countRows, idPage } from '../database/list-page';
import { isEmbedded, type StatementRunner } from '../database/statements';
import { type CountDto } from '../http/count.dto';
import { type IdPageQuery, Page } from '../http/paging';
import { COUNTERS } from '../projects/project-counters.service';
import { UsersService } from '../users/users.service';
import { type WikiVersionDto } from './dto/wiki-version.dto';
import { type WikiSummaryDto } from './dto/wiki.dto';
import {
  toWikiSummaryDto,
  toWikiVersionDto,
  WIKI_SUMMARY_COLUMNS,
  type WikiSummaryRow,
  type WikiVersionRow,
} from './wiki.mapper';
import { WikiTagsService } from './wiki-tags.service';

/** So many pages of the greatest length are searched without a pause: some 10 to 20 ms. */
const SLICE = 20;

/** Lists of wiki pages and of what has become of them. */
@Injectable()
export class WikiListsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly tags: WikiTagsService,
  ) {}

  /**
   * The pages of a project by name, without their contents, in three queries; in more for a keyword on the embedded database.
   * @param keyword what their name or content has in it, in capitals or not
   */
  async list(projectId: number, keyword = ''): Promise<WikiSummaryDto[]> {
    const rows = await this.find(projectId, keyword);
    const tags = await this.tags.listByPages(projectId);
    const users = await this.users.findByIds(rows.flatMap((row) => [row.createdUserId, row.updatedUserId]));
    return rows.map((row) => toWikiSummaryDto(row, tags.get(row.id) ?? [], users));
  }

  /** How many pages a project has. */
  async count(projectId: number): Promise<CountDto> {
    const conditions = new Conditions().add('project_id = ?', projectId);
    return { count: await countRows(this.dataSource, { from: 'wiki', conditions }) };
  }

  /** One page of a wiki page's versions, in two queries. */
  async history(wikiId: number, query: IdPageQuery): Promise<Page<WikiVersionDto>> {
    const page = await idPage<WikiVersionRow>(
      this.dataSource,
      {
        select: `version AS id, wiki_id AS wikiId, name, content, created_user_id AS createdUserId, created`,
        from: 'wiki_version',
        conditions: new Conditions().add('wiki_id = ?', wikiId),
      },
      query,
      'version',
    );
    const users = await this.users.findByIds(page.items.map((row) => row.createdUserId));
    return new Page(
      page.items.map((row) => toWikiVersionDto(row, users)),
      page.next,
    );
  }

  private async find(projectId: number, keyword: string): Promise<WikiSummaryRow[]> {
    const place = new Conditions().add('w.project_id = ?', projectId);
    if (keyword === '') return this.read(WIKI_SUMMARY_COLUMNS, place);
    const { sql: inName, parameter } = contains(this.dataSource, 'w.name', keyword);
    const { sql: inContent } = contains(this.dataSource, 'w.content', keyword);
    const search = new Conditions().add(`(${inName} OR ${inContent})`, parameter, parameter);
    if (!isEmbedded(this.dataSource)) {
      return this.read(WIKI_SUMMARY_COLUMNS, place.and(search), searchesOf(this.dataSource));
    }

    // It searches in this process, where nothing else goes on meanwhile: others have their turn after every few pages.
    const found: WikiSummaryRow[] = [];
    const pages = await this.read<{ id: number }>('w.id AS id', place);
    for (let start = 0; start < pages.length; start += SLICE) {
      const ids = pages.slice(start, start + SLICE).map(({ id }) => id);
      found.push(...(await this.read(WIKI_SUMMARY_COLUMNS, new Conditions().in('w.id', ids).and(search))));
      await setImmediate();
    }
    return found;
  }

  /** Pages by name. */
  private read<Row = WikiSummaryRow>(
    columns: string,
    conditions: Conditions,
    runner: StatementRunner = this.dataSource,
  ): Promise<Row[]> {
    return runner.query<Row[]>(
      `SELECT ${columns} FROM wiki w ${conditions.where} ORDER BY w.name, w.id LIMIT ?`,
      [...conditions.parameters, COUNTERS.wiki.limit],
    );
  }
}
