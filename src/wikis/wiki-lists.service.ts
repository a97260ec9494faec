import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AuthorizedSearcher } from '../access/access';
import { Conditions } from '../database/conditions';
import { contains } from '../database/contains';
import { countRows, idPage } from '../database/list-page';
import { keywordSearchRunner } from '../database/search/searches';
import { inList, type StatementRunner } from '../database/statements';
import { type CountDto } from '../http/response/count.dto';
import { type IdPageQuery } from '../http/request/page-query';
import { Page } from '../paging/page';
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

/** Lists of wiki pages and of what has become of them. */
@Injectable()
export class WikiListsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly tags: WikiTagsService,
  ) {}

  /** The pages of a project by name, without their contents, in three queries. */
  async list(projectId: number): Promise<WikiSummaryDto[]> {
    const rows = await this.read(new Conditions().add('w.project_id = ?', projectId), this.dataSource);
    return this.toDtos(projectId, rows);
  }

  /** The same, of those pages that have a keyword in their name or content, in capitals or not. */
  async search(projectId: number, keyword: string, searcher: AuthorizedSearcher): Promise<WikiSummaryDto[]> {
    const { sql: inName, parameter } = contains(this.dataSource, 'w.name', keyword);
    const { sql: inContent } = contains(this.dataSource, 'w.content', keyword);
    const conditions = new Conditions()
      .add('w.project_id = ?', projectId)
      .add(`(${inName} OR ${inContent})`, parameter, parameter);
    const rows = await this.read(conditions, keywordSearchRunner(this.dataSource, searcher));
    searcher.signal.throwIfAborted();
    await searcher.authorizeAgain();
    return this.toDtos(projectId, rows);
  }

  /** How many pages a project has. */
  async count(projectId: number): Promise<CountDto> {
    const conditions = new Conditions().add('project_id = ?', projectId);
    return { count: await countRows(this.dataSource, { from: 'wiki', conditions }) };
  }

  /** One page of a wiki page's versions, in two queries, or three when some have the content of earlier ones. */
  async history(wikiId: number, query: IdPageQuery): Promise<Page<WikiVersionDto>> {
    const page = await idPage<WikiVersionRow>(
      this.dataSource,
      {
        select: `version AS id, wiki_id AS wikiId, name, content, content_version AS contentVersion,
          created_user_id AS createdUserId, created`,
        from: 'wiki_version',
        conditions: new Conditions().add('wiki_id = ?', wikiId),
      },
      query,
      'version',
    );
    const users = await this.users.findByIds(page.items.map((row) => row.createdUserId));
    const contents = await this.contentsOf(
      wikiId,
      page.items.flatMap((row) => row.contentVersion ?? []),
    );
    return new Page(
      page.items.map((row) => toWikiVersionDto(row, users, contents)),
      page.next,
    );
  }

  /** The contents that are kept with versions of a page, by version. */
  private async contentsOf(wikiId: number, versions: readonly number[]): Promise<Map<number, string>> {
    if (versions.length === 0) return new Map();
    const list = inList([...new Set(versions)]);
    const rows = await this.dataSource.query<{ version: number; content: string }[]>(
      `SELECT version, content FROM wiki_version WHERE wiki_id = ? AND version ${list.sql}`,
      [wikiId, ...list.parameters],
    );
    return new Map(rows.map(({ version, content }) => [version, content]));
  }

  private async toDtos(projectId: number, rows: WikiSummaryRow[]): Promise<WikiSummaryDto[]> {
    const tags = await this.tags.listByPages(projectId);
    const users = await this.users.findByIds(rows.flatMap((row) => [row.createdUserId, row.updatedUserId]));
    return rows.map((row) => toWikiSummaryDto(row, tags.get(row.id) ?? [], users));
  }

  /** Pages by name. */
  private read(conditions: Conditions, runner: StatementRunner): Promise<WikiSummaryRow[]> {
    return runner.query<WikiSummaryRow[]>(
      `SELECT ${WIKI_SUMMARY_COLUMNS} FROM wiki w ${conditions.where} ORDER BY w.name, w.id LIMIT ?`,
      [...conditions.parameters, COUNTERS.wiki.limit],
    );
  }
}
