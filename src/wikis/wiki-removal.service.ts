import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { CommentsService } from '../comments/comments.service';
import { inList } from '../database/statements';
import { ProjectRemovalService, type Remover } from '../projects/project-removal.service';
import { WIKI_FILES } from './wiki-files';

/** Removes the wiki pages of deleted projects. */
@Injectable()
export class WikiRemovalService implements OnModuleInit {
  constructor(
    private readonly removal: ProjectRemovalService,
    private readonly links: AttachmentLinksService,
    private readonly comments: CommentsService,
  ) {}

  onModuleInit(): void {
    const removers: Remover[] = [removeVersions, (...batch) => this.removePages(...batch), removeTags];
    for (const remover of removers) this.removal.register('wiki pages', remover);
  }

  private async removePages(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await manager.query<{ id: number; threadId: number }[]>(
      `SELECT id, thread_id AS threadId FROM wiki WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.id);
    await this.links.detachAll(manager, WIKI_FILES, ids);
    await deleteRows(manager, 'wiki', 'id', ids);
    // Of a page that was changed since its versions were removed.
    await deleteRows(manager, 'wiki_version', 'wiki_id', ids);
    await this.comments.removeThreads(
      manager,
      rows.map((row) => row.threadId),
    );
    return rows.length;
  }
}

/** A page can have any number of versions: they go before it, by page and version. */
async function removeVersions(manager: EntityManager, projectId: number, limit: number): Promise<number> {
  const rows = await manager.query<{ wikiId: number; version: number }[]>(
    `SELECT v.wiki_id AS wikiId, v.version AS version FROM wiki w JOIN wiki_version v ON v.wiki_id = w.id
      WHERE w.project_id = ? ORDER BY v.wiki_id, v.version LIMIT ${limit}`,
    [projectId],
  );
  const last = rows.at(-1);
  if (!last) return 0;
  const whole = rows.filter(({ wikiId }) => wikiId !== last.wikiId).map(({ wikiId }) => wikiId);
  await deleteRows(manager, 'wiki_version', 'wiki_id', [...new Set(whole)]);
  await manager.query('DELETE FROM wiki_version WHERE wiki_id = ? AND version <= ?', [
    last.wikiId,
    last.version,
  ]);
  return rows.length;
}

async function removeTags(manager: EntityManager, projectId: number, limit: number): Promise<number> {
  const rows = await manager.query<{ id: number }[]>(
    `SELECT id FROM wiki_tag WHERE project_id = ? LIMIT ${limit}`,
    [projectId],
  );
  await deleteRows(
    manager,
    'wiki_tag',
    'id',
    rows.map((row) => row.id),
  );
  return rows.length;
}

async function deleteRows(
  manager: EntityManager,
  table: string,
  column: string,
  values: readonly number[],
): Promise<void> {
  if (values.length === 0) return;
  const list = inList(values);
  await manager.query(`DELETE FROM ${table} WHERE ${column} ${list.sql}`, list.parameters);
}
