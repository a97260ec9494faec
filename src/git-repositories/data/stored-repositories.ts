import { type StatementRunner } from '../../database/statements';

/** A repository that may have a folder. */
export interface StoredRepository {
  id: number;
  /** Whether anybody has ever pushed to it. */
  wasPushed: boolean;
}

/** Repositories in the order of their ids, after one. */
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

/** Whether there is a repository of an id. */
export async function hasRepository(runner: StatementRunner, id: number): Promise<boolean> {
  return (await runner.query<unknown[]>('SELECT 1 FROM git_repository WHERE id = ?', [id])).length > 0;
}

/** Those of the ids that no repository has, not even one whose folder is still to be removed. */
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
