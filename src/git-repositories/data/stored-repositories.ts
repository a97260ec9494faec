import { type StatementRunner } from '../../database/sql/statements';

/** A repository that may have a folder. */
export interface StoredRepository {
  id: number;
  /** Whether it has ever been pushed to. */
  wasPushed: boolean;
}

/** Returns repositories in the order of their ids, at most `limit` after an id. */
export async function findStoredRepositories(
  runner: StatementRunner,
  afterId: number,
  limit: number,
): Promise<StoredRepository[]> {
  const rows = await runner.query<{ id: number | string; wasPushed: number | string }[]>(
    `SELECT r.id AS id,
            CASE WHEN r.pushed_at IS NOT NULL OR EXISTS (SELECT 1 FROM git_ref f WHERE f.repository_id = r.id)
                 THEN 1 ELSE 0 END AS wasPushed
       FROM git_repository r WHERE r.id > ? ORDER BY r.id LIMIT ${limit}`,
    [afterId],
  );
  return rows.map(({ id, wasPushed }) => ({ id: Number(id), wasPushed: Number(wasPushed) !== 0 }));
}

/** Returns whether a repository exists. */
export async function hasRepository(runner: StatementRunner, id: number): Promise<boolean> {
  return (await runner.query<unknown[]>('SELECT 1 FROM git_repository WHERE id = ?', [id])).length > 0;
}

/** Returns those ids that belong to no repository, not even to a removed one whose folder has not been removed yet. */
export async function findUnknownRepositories(
  runner: StatementRunner,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const list = ids.map(() => '?').join(',');
  const rows = await runner.query<{ id: number | string }[]>(
    `SELECT id AS id FROM git_repository WHERE id IN (${list})
      UNION ALL SELECT repository_id AS id FROM removed_git_repository WHERE repository_id IN (${list})`,
    [...ids, ...ids],
  );
  const known = new Set(rows.map(({ id }) => Number(id)));
  return ids.filter((id) => !known.has(id));
}

/** Returns the hashes last recorded for branches and tags, by the names of the refs. */
export async function findRecordedHashes(
  runner: StatementRunner,
  repositoryId: number,
): Promise<Map<string, string>> {
  const refs = await runner.query<{ name: string; hash: string }[]>(
    'SELECT name AS name, hash AS hash FROM git_ref WHERE repository_id = ?',
    [repositoryId],
  );
  return new Map(refs.map(({ name, hash }) => [name, hash]));
}
