import { type StatementRunner } from '../database/statements';
import { type IssueStatus } from './entities/issue-status.entity';

/**
 * The id by which clients know a status. Existing ones count on 1 to 4 for Open, In Progress, Resolved and Closed in every
 * project, each of which has a row of its own for them; one that a project has added goes by its row's id.
 */
export const toWireId = ({ id, standard }: Pick<IssueStatus, 'id' | 'standard'>): number => standard ?? id;

/** The same in SQL, for the row `alias` of `issue_status`. */
export const wireIdOf = (alias: string): string => `COALESCE(${alias}.standard, ${alias}.id)`;

/** The row of a project's status that the wire's id stands for. */
export async function findStatusRowId(
  runner: StatementRunner,
  projectId: number,
  wireId: number,
): Promise<number | undefined> {
  const [row] = await runner.query<{ id: number }[]>(
    `SELECT s.id AS id FROM issue_status s WHERE s.project_id = ? AND ${wireIdOf('s')} = ?`,
    [projectId, wireId],
  );
  return row?.id;
}
