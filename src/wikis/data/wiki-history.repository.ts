import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { idPage } from '../../database/sql/list-page';
import { entityColumns, insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { inList } from '../../database/sql/statements';
import { type IdPaging, type Page } from '../../paging/page';
import { RemovedWiki } from '../entities/removed-wiki.entity';
import { WikiVersion } from '../entities/wiki-version.entity';

const COLUMNS = [
  'wikiId',
  'version',
  'name',
  'content',
  'contentVersion',
  'createdUserId',
  'created',
] as const satisfies readonly (keyof WikiVersion)[];

/** A version of a wiki page. */
export type WikiVersionRow = Pick<WikiVersion, (typeof COLUMNS)[number]>;

type VersionKey = Pick<WikiVersion, 'wikiId' | 'version'>;

/** Stores the versions of wiki pages, and which removed pages still have versions. */
@Injectable()
export class WikiHistoryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns one page of a wiki page's versions, ordered by version; `minId` and `maxId` refer to version numbers. */
  findPage(wikiId: number, query: IdPaging): Promise<Page<WikiVersionRow & { id: number }>> {
    return idPage(
      this.dataSource,
      {
        select: `version AS id, ${entityColumns(this.dataSource, WikiVersion, COLUMNS, '')}`,
        from: 'wiki_version',
        conditions: new Conditions().add('wiki_id = ?', wikiId),
      },
      query,
      'version',
    );
  }

  /** Returns the contents stored with versions of a wiki page. */
  findContents(
    wikiId: number,
    versions: readonly number[],
  ): Promise<Pick<WikiVersion, 'version' | 'content'>[]> {
    const { sql, parameters } = inList(versions);
    const rest = `WHERE wiki_id = ? AND version ${sql}`;
    return selectRows(this.dataSource, WikiVersion, ['version', 'content'], rest, [wikiId, ...parameters]);
  }

  /** Returns the version that stores the content of a version; null when the version does not exist. */
  async findContentVersion(manager: EntityManager, wikiId: number, version: number): Promise<number | null> {
    const rest = 'WHERE wiki_id = ? AND version = ?';
    const row = await selectRow(manager, WikiVersion, ['contentVersion'], rest, [wikiId, version]);
    return row ? (row.contentVersion ?? version) : null;
  }

  async insert(manager: EntityManager, version: WikiVersionRow): Promise<void> {
    await insertRow(manager, WikiVersion, version);
  }

  /** Deletes up to `limit` of a wiki page's oldest versions and returns their number. */
  async deleteOldest(manager: EntityManager, wikiId: number, limit: number): Promise<number> {
    const rest = `WHERE wiki_id = ? ORDER BY version LIMIT ${limit}`;
    const rows = await selectRows(manager, WikiVersion, ['version'], rest, [wikiId]);
    const last = rows.at(-1);
    if (last) await deleteUpTo(manager, { wikiId, version: last.version });
    return rows.length;
  }

  /** Deletes up to `limit` versions of a project's wiki pages, in the order of page and version, and returns their number. */
  async deleteSomeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await selectRows(
      manager,
      WikiVersion,
      ['wikiId', 'version'],
      `JOIN wiki w ON w.id = wiki_version.wiki_id WHERE w.project_id = ?
        ORDER BY wiki_version.wiki_id, wiki_version.version LIMIT ${limit}`,
      [projectId],
    );
    const last = rows.at(-1);
    if (!last) return 0;
    const completeIds = rows.map((row) => row.wikiId).filter((wikiId) => wikiId !== last.wikiId);
    await this.deleteOfPages(manager, [...new Set(completeIds)]);
    await deleteUpTo(manager, last);
    return rows.length;
  }

  /** Deletes all versions of wiki pages. */
  async deleteOfPages(manager: EntityManager, wikiIds: readonly number[]): Promise<void> {
    if (wikiIds.length === 0) return;
    const { sql, parameters } = inList(wikiIds);
    await manager.query(`DELETE FROM wiki_version WHERE wiki_id ${sql}`, parameters);
  }

  /** Records that a wiki page has been removed and still has versions. */
  async insertRemovedPage(manager: EntityManager, wikiId: number): Promise<void> {
    await insertRow(manager, RemovedWiki, { wikiId });
  }

  /** Returns the ids of removed wiki pages that still have versions, at most 1,000. */
  async findRemovedPages(): Promise<number[]> {
    const pages = await selectRows(this.dataSource, RemovedWiki, ['wikiId'], 'ORDER BY wiki_id LIMIT 1000');
    return pages.map((page) => page.wikiId);
  }

  async deleteRemovedPage(manager: EntityManager, wikiId: number): Promise<void> {
    await manager.query('DELETE FROM removed_wiki WHERE wiki_id = ?', [wikiId]);
  }
}

async function deleteUpTo(manager: EntityManager, { wikiId, version }: VersionKey): Promise<void> {
  await manager.query('DELETE FROM wiki_version WHERE wiki_id = ? AND version <= ?', [wikiId, version]);
}
