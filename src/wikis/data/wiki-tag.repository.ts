import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns, insertRows, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList } from '../../database/sql/statements';
import { type WikiTagging } from '../entities/wiki-tagging.entity';
import { WikiTag } from '../entities/wiki-tag.entity';

/** A tag, with the fields that responses show. */
export type WikiTagRow = Pick<WikiTag, 'id' | 'name'>;

/** A tag with the id of a page that has it. */
export type PageTagRow = WikiTagRow & Pick<WikiTagging, 'wikiId'>;

/** Stores tags and their assignment to wiki pages. */
@Injectable()
export class WikiTagRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the tags in use on a project's pages, ordered by name. */
  findUsed(projectId: number): Promise<WikiTagRow[]> {
    // Starts at the pages, because a project keeps the tags that are no longer on any page.
    return this.dataSource.query<WikiTagRow[]>(
      `SELECT ${entityColumns(this.dataSource, WikiTag, ['id', 'name'], 't')}
         FROM (SELECT DISTINCT g.tag_id FROM wiki w JOIN wiki_tagging g ON g.wiki_id = w.id WHERE w.project_id = ?) u
         JOIN wiki_tag t ON t.id = u.tag_id ORDER BY t.name`,
      [projectId],
    );
  }

  /** Returns the tags of one page, ordered by name. */
  findOfPage(wikiId: number, runner: EntityRunner = this.dataSource): Promise<WikiTagRow[]> {
    return selectRows(
      runner,
      WikiTag,
      ['id', 'name'],
      'JOIN wiki_tagging g ON g.tag_id = wiki_tag.id WHERE g.wiki_id = ? ORDER BY wiki_tag.name',
      [wikiId],
    );
  }

  /** Returns the tags of these pages, ordered by name. */
  findByPages(wikiIds: readonly number[]): Promise<PageTagRow[]> {
    const list = inList(wikiIds);
    return this.dataSource.query<PageTagRow[]>(
      `SELECT ${entityColumns(this.dataSource, WikiTag, ['id', 'name'], 't')}, g.wiki_id AS wikiId
         FROM wiki_tag t JOIN wiki_tagging g ON g.tag_id = t.id WHERE g.wiki_id ${list.sql} ORDER BY t.name`,
      list.parameters,
    );
  }

  /** Returns which of the names are already tags of a project. */
  async findKnownNames(
    manager: EntityManager,
    projectId: number,
    names: readonly string[],
  ): Promise<string[]> {
    const { sql, parameters } = inList(names);
    const rest = `WHERE project_id = ? AND name ${sql}`;
    const rows = await selectRows(manager, WikiTag, ['name'], rest, [projectId, ...parameters]);
    return rows.map((row) => row.name);
  }

  /** @throws a duplicate key error when a concurrent transaction has added one of the tags */
  async insert(manager: EntityManager, projectId: number, names: readonly string[]): Promise<void> {
    await insertRows(
      manager,
      WikiTag,
      names.map((name) => ({ projectId, name })),
    );
  }

  /** Adds tags of its project to a page. */
  async addToPage(
    manager: EntityManager,
    wiki: { id: number; projectId: number },
    names: readonly string[],
  ): Promise<void> {
    const { sql, parameters } = inList(names);
    await manager.query(
      `INSERT INTO wiki_tagging (wiki_id, tag_id) SELECT ?, id FROM wiki_tag WHERE project_id = ? AND name ${sql}`,
      [wiki.id, wiki.projectId, ...parameters],
    );
  }

  /** Removes all tags from a page. */
  async removeFromPage(manager: EntityManager, wikiId: number): Promise<void> {
    await manager.query('DELETE FROM wiki_tagging WHERE wiki_id = ?', [wikiId]);
  }

  /** Deletes up to `limit` tags of a project and returns their number. */
  async deleteSomeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const tags = await selectRows(manager, WikiTag, ['id'], `WHERE project_id = ? LIMIT ${limit}`, [
      projectId,
    ]);
    if (tags.length === 0) return 0;
    const { sql, parameters } = inList(tags.map((tag) => tag.id));
    await manager.query(`DELETE FROM wiki_tag WHERE id ${sql}`, parameters);
    return tags.length;
  }
}
