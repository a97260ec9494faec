import { quoted, type StatementRunner } from '../../database/statements';
import { type CounterName } from '../../projects/project-counters.service';

/** The rows that each counter of a project counts, and the column with the number that it assigns. */
const COUNTED: Record<CounterName, { table: string; condition?: string; number?: string }> = {
  issue: { table: 'issue', number: 'key_id' },
  issueType: { table: 'issue_type' },
  status: { table: 'issue_status' },
  webhook: { table: 'webhook', condition: 'deleted = 0' },
  category: { table: 'category' },
  version: { table: 'version' },
  customField: { table: 'custom_field' },
  wiki: { table: 'wiki' },
  document: { table: 'document' },
  gitRepository: { table: 'git_repository' },
  sharedFile: { table: 'shared_file' },
};

/** A counter with a wrong value. */
export interface WrongCounter {
  name: string;
  projects: number;
}

/** Returns the counters that differ from the number of their rows, or that would assign a number again. */
export async function countWrongCounters(runner: StatementRunner): Promise<WrongCounter[]> {
  const wrong: WrongCounter[] = [];
  for (const [name, { table, condition = '1 = 1', number = '0' }] of Object.entries(COUNTED)) {
    const [row] = await runner.query<{ projects: number | string }[]>(
      `SELECT COUNT(*) AS projects FROM ${quoted('project')} p
         LEFT JOIN ${quoted('project_counter')} c ON c.project_id = p.id AND c.name = ?
         LEFT JOIN (SELECT project_id, COUNT(*) AS things, MAX(${number}) AS highest
                      FROM ${quoted(table)} WHERE ${condition} GROUP BY project_id) t ON t.project_id = p.id
        WHERE p.deleted = 0
          AND (COALESCE(c.used, 0) <> COALESCE(t.things, 0) OR COALESCE(c.last_number, 0) < COALESCE(t.highest, 0))`,
      [name],
    );
    const projects = Number(row?.projects);
    if (projects > 0) wrong.push({ name, projects });
  }
  return wrong;
}

/** Counts memberships with a wrong number of teams or without a basis, and team members without the membership that follows. */
export async function countWrongMemberships(runner: StatementRunner): Promise<number> {
  const byTeams = `SELECT j.project_id, t.user_id, COUNT(*) AS teams
                     FROM ${quoted('project_team')} j JOIN ${quoted('team_member')} t ON t.team_id = j.team_id
                    GROUP BY j.project_id, t.user_id`;
  const [row] = await runner.query<{ wrong: number | string }[]>(
    `SELECT (SELECT COUNT(*) FROM ${quoted('project_member')} m JOIN ${quoted('project')} p ON p.id = m.project_id
               LEFT JOIN (${byTeams}) b ON b.project_id = m.project_id AND b.user_id = m.user_id
              WHERE p.deleted = 0
                AND (m.team_count <> COALESCE(b.teams, 0) OR (m.direct = 0 AND m.team_count = 0)))
          + (SELECT COUNT(*) FROM (${byTeams}) b JOIN ${quoted('project')} p ON p.id = b.project_id
               LEFT JOIN ${quoted('project_member')} m ON m.project_id = b.project_id AND m.user_id = b.user_id
              WHERE p.deleted = 0 AND m.user_id IS NULL) AS wrong`,
  );
  return Number(row?.wrong);
}

/** Returns the size of all files and repositories in bytes, as the space counts them and according to their rows. */
export async function readStorageUse(runner: StatementRunner): Promise<{ counted: number; actual: number }> {
  const [row] = await runner.query<{ counted: number | string; actual: number | string }[]>(
    `SELECT COALESCE((SELECT used_bytes FROM ${quoted('space')}), 0)
              + (SELECT COALESCE(SUM(bytes), 0) FROM ${quoted('used_storage')}) AS counted,
            (SELECT COALESCE(SUM(size), 0) FROM ${quoted('attachment')} WHERE ${quoted('stored')} = 1)
              + (SELECT COALESCE(SUM(size), 0) FROM ${quoted('git_repository')}) AS actual`,
  );
  return { counted: Number(row?.counted ?? 0), actual: Number(row?.actual ?? 0) };
}
