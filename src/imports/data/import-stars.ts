import { type EntityManager } from 'typeorm';
import { type RecordKind } from '../../archives/record-kinds';
import { quoted } from '../../database/sql/statements';
import { updateRecord } from './import-rows';

/** A star without an address, with what it is on. */
export interface StarredRow {
  id: number;
  commentId: number | null;
  /** The number of an issue. */
  keyId: number | null;
  wikiId: number | null;
  /** The name of the repository of a pull request, and its number. */
  repository: string | null;
  number: number | null;
}

/** Returns stars of a project without an address. */
export async function findStarred(
  manager: EntityManager,
  kinds: readonly RecordKind[],
  projectId: number,
  limit: number,
): Promise<StarredRow[]> {
  const table = (name: string): string =>
    quoted((kinds.find((kind) => kind.name === name) as RecordKind).table);
  return manager.query<StarredRow[]>(
    `SELECT s.id AS id, s.comment_id AS commentId, i.key_id AS keyId, w.id AS wikiId, r.name AS repository, p.number AS number
       FROM ${table('star')} s
       LEFT JOIN ${table('comment')} c ON c.id = s.comment_id
       LEFT JOIN ${table('issue')} i ON i.thread_id = COALESCE(s.thread_id, c.thread_id)
       LEFT JOIN ${table('wiki')} w ON w.thread_id = COALESCE(s.thread_id, c.thread_id)
       LEFT JOIN ${table('pullRequest')} p ON p.thread_id = COALESCE(s.thread_id, c.thread_id)
       LEFT JOIN ${table('gitRepository')} r ON r.id = p.repository_id
      WHERE s.project_id = ? AND s.url = '' ORDER BY s.id LIMIT ${limit}`,
    [projectId],
  );
}

/** Sets the addresses of stars. */
export async function setUrls(
  manager: EntityManager,
  star: RecordKind,
  rows: readonly { id: number; url: string }[],
): Promise<void> {
  for (const { id, url } of rows) await updateRecord(manager, star, id, { url });
}
