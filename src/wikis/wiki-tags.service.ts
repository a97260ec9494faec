import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { groupBy } from '../database/group-by';
import { insertRows } from '../database/rows';
import { inList, type StatementRunner } from '../database/statements';
import { type WikiTagDto } from './dto/wiki-tag.dto';
import { WikiTag } from './entities/wiki-tag.entity';

/**
 * The tags of wiki pages. A tag stays when no page has it any more, so that nobody meets one that is just going, and only
 * those are shown that some page has.
 */
@Injectable()
export class WikiTagsService {
  constructor(private readonly dataSource: DataSource) {}

  /** The tags that pages of a project have, by name. */
  list(projectId: number): Promise<WikiTagDto[]> {
    return this.dataSource.query<WikiTagDto[]>(
      `SELECT t.id AS id, t.name AS name FROM wiki_tag t
        WHERE t.project_id = ? AND EXISTS (SELECT 1 FROM wiki_tagging g WHERE g.tag_id = t.id)
        ORDER BY t.name`,
      [projectId],
    );
  }

  /** The tags of one page, by name. */
  listOfPage(wikiId: number, runner: StatementRunner): Promise<WikiTagDto[]> {
    return runner.query<WikiTagDto[]>(
      `SELECT t.id AS id, t.name AS name FROM wiki_tagging g JOIN wiki_tag t ON t.id = g.tag_id
        WHERE g.wiki_id = ? ORDER BY t.name`,
      [wikiId],
    );
  }

  /** The tags of every page of a project that has any, by the page's id, each page's by name. */
  async listByPages(projectId: number): Promise<Map<number, WikiTagDto[]>> {
    const rows = await this.dataSource.query<(WikiTagDto & { wikiId: number })[]>(
      `SELECT g.wiki_id AS wikiId, t.id AS id, t.name AS name
         FROM wiki_tag t JOIN wiki_tagging g ON g.tag_id = t.id WHERE t.project_id = ? ORDER BY t.name`,
      [projectId],
    );
    const byPage = groupBy(rows, (row) => row.wikiId);
    return new Map([...byPage].map(([wikiId, tags]) => [wikiId, tags.map(({ id, name }) => ({ id, name }))]));
  }

  /**
   * Tags a page that has no tags.
   * @throws a duplicate key when somebody else has just added one of the tags: then the transaction is to be run again
   */
  async add(
    manager: EntityManager,
    wiki: { id: number; projectId: number },
    tags: readonly string[],
  ): Promise<void> {
    if (tags.length === 0) return;
    const { sql, parameters } = inList(tags);
    const known = await manager.query<{ name: string }[]>(
      `SELECT name FROM wiki_tag WHERE project_id = ? AND name ${sql}`,
      [wiki.projectId, ...parameters],
    );
    const names = new Set(known.map((row) => row.name));
    const missing = tags.filter((name) => !names.has(name));
    if (missing.length > 0) {
      const rows = missing.map((name) => ({ projectId: wiki.projectId, name }));
      await insertRows(manager, WikiTag, rows);
    }
    await manager.query(
      `INSERT INTO wiki_tagging (wiki_id, tag_id) SELECT ?, id FROM wiki_tag WHERE project_id = ? AND name ${sql}`,
      [wiki.id, wiki.projectId, ...parameters],
    );
  }

  /** Takes all tags off a page. */
  async clear(manager: EntityManager, wikiId: number): Promise<void> {
    await manager.query('DELETE FROM wiki_tagging WHERE wiki_id = ?', [wikiId]);
  }
}
