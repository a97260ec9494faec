import { type StatementRunner } from '../../database/sql/statements';
import { PULLS } from '../../git-repositories/refs/ref-names';

/** Returns the last heads of the pull requests of a repository, by the names of the refs that keep them. */
export async function findRecordedHeads(
  runner: StatementRunner,
  repositoryId: number,
): Promise<Map<string, string>> {
  const heads = await runner.query<{ number: number | string; hash: string }[]>(
    `SELECT number AS number, branch_commit AS hash FROM pull_request
      WHERE repository_id = ? AND branch_commit IS NOT NULL`,
    [repositoryId],
  );
  return new Map(heads.map(({ number, hash }) => [`${PULLS}${number}/head`, hash]));
}
