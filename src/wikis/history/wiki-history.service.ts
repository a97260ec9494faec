import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type IdPageQuery } from '../../http/request/page-query';
import { Page } from '../../paging/page';
import { UsersService } from '../../users/users.service';
import { WikiHistoryRepository, type WikiVersionRow } from '../data/wiki-history.repository';
import { type WikiState } from '../data/wiki.repository';
import { type WikiVersionDto } from '../dto/wiki-version.dto';
import { toWikiVersionDto } from '../wiki.mapper';

/** A version to add. */
export type NewWikiVersion = Omit<WikiVersionRow, 'contentVersion'>;

/** Maximum length of contents, in characters, that are stored again with a version that changes only the name. */
const MAX_COPIED_LENGTH = 1024;

/** Manages the versions of wiki pages. */
@Injectable()
export class WikiHistoryService {
  constructor(
    private readonly history: WikiHistoryRepository,
    private readonly users: UsersService,
  ) {}

  /** Returns one page of a wiki page's versions, in two queries, or three when some share the content of earlier ones. */
  async list(wikiId: number, query: IdPageQuery): Promise<Page<WikiVersionDto>> {
    const { items, next } = await this.history.findPage(wikiId, query);
    const users = await this.users.findByIds(items.map((row) => row.createdUserId));
    const contents = await this.contentsOf(
      wikiId,
      items.flatMap((row) => row.contentVersion ?? []),
    );
    return new Page(
      items.map((row) => toWikiVersionDto(row, users, contents)),
      next,
    );
  }

  /**
   * Adds a version.
   * @param before the previous state of the page; undefined for a new page
   */
  async add(manager: EntityManager, version: NewWikiVersion, before?: WikiState): Promise<void> {
    const { wikiId, content } = version;
    const isShared = content === before?.content && content.length > MAX_COPIED_LENGTH;
    const contentVersion = isShared
      ? await this.history.findContentVersion(manager, wikiId, before.version)
      : null;
    await this.history.insert(manager, {
      ...version,
      content: contentVersion === null ? content : '',
      contentVersion,
    });
  }

  /** Returns the contents stored with versions of a wiki page, by version. */
  private async contentsOf(wikiId: number, versions: readonly number[]): Promise<Map<number, string>> {
    if (versions.length === 0) return new Map();
    const rows = await this.history.findContents(wikiId, [...new Set(versions)]);
    return new Map(rows.map(({ version, content }) => [version, content]));
  }
}
