import { loopTurns } from '../../event-loop/loop-turns';
import { quoted, type StatementRunner } from '../../database/sql/statements';
import { declared } from '../../manifests';
import { type CounterName } from '../../projects/project-counters.service';
import { CORRECTIONS } from '../../space/data/used-storage.repository';

/** The rows that each counter of a project counts. */
const COUNTED = declared('counters');

/** A counter with a wrong value. */
export interface WrongCounter {
  name: string;
  projects: number;
}

/** A wrong counter of one project. */
export interface WrongProjectCounter {
  projectId: number;
  projectKey: string;
  name: CounterName;
  used: number;
  lastNumber: number;
  /** Number of rows. */
  things: number;
  /** The highest number that a row has; 0 if rows have none. */
  highest: number;
}

type Numbers<Keys extends string> = Record<Keys, number | string>;

const COUNTER_NAMES = Object.keys(COUNTED) as CounterName[];

/** SQL after SELECT of the projects `p` whose counter `c` differs from the rows `t`; its parameter is the counter's name. */
function fromWrong(counter: CounterName): string {
  const { table, condition = '1 = 1', number = '0' } = COUNTED[counter];
  return `FROM ${quoted('project')} p
         LEFT JOIN ${quoted('project_counter')} c ON c.project_id = p.id AND c.name = ?
         LEFT JOIN (SELECT project_id, COUNT(*) AS things, MAX(${number}) AS highest
                      FROM ${quoted(table)} WHERE ${condition} GROUP BY project_id) t ON t.project_id = p.id
        WHERE p.deleted = 0
          AND (COALESCE(c.used, 0) <> COALESCE(t.things, 0) OR COALESCE(c.last_number, 0) < COALESCE(t.highest, 0))`;
}

/** Returns the counters that differ from the number of their rows, or that would assign a number again. */
export async function countWrongCounters(runner: StatementRunner): Promise<WrongCounter[]> {
  const wrong: WrongCounter[] = [];
  for (const name of COUNTER_NAMES) {
    const sql = `SELECT COUNT(*) AS projects ${fromWrong(name)}`;
    const [row] = await runner.query<Numbers<'projects'>[]>(sql, [name]);
    const projects = Number(row?.projects);
    if (projects > 0) wrong.push({ name, projects });
  }
  return wrong;
}

/** Yields the same counters, with their correct values. */
export async function* findWrongCounters(runner: StatementRunner): AsyncGenerator<WrongProjectCounter> {
  for (const name of COUNTER_NAMES) {
    const rows = await runner.query<
      (Numbers<'projectId' | 'used' | 'lastNumber' | 'things' | 'highest'> & { projectKey: string })[]
    >(
      `SELECT p.id AS projectId, p.project_key AS projectKey, COALESCE(c.used, 0) AS used,
              COALESCE(c.last_number, 0) AS lastNumber, COALESCE(t.things, 0) AS things,
              COALESCE(t.highest, 0) AS highest ${fromWrong(name)} ORDER BY p.id`,
      [name],
    );
    for (const row of rows) {
      yield {
        projectId: Number(row.projectId),
        projectKey: row.projectKey,
        name,
        used: Number(row.used),
        lastNumber: Number(row.lastNumber),
        things: Number(row.things),
        highest: Number(row.highest),
      };
    }
  }
}

/** Returns the number of rows that a counter of a project counts, and the highest number that one of them has. */
export async function countThings(
  runner: StatementRunner,
  projectId: number,
  name: CounterName,
): Promise<Pick<WrongProjectCounter, 'things' | 'highest'>> {
  const { table, condition = '1 = 1', number = '0' } = COUNTED[name];
  const [row] = await runner.query<Numbers<'things' | 'highest'>[]>(
    `SELECT COUNT(*) AS things, COALESCE(MAX(${number}), 0) AS highest
       FROM ${quoted(table)} WHERE project_id = ? AND ${condition}`,
    [projectId],
  );
  return { things: Number(row?.things), highest: Number(row?.highest) };
}

/** The number of teams behind each membership, according to the teams. */
const BY_TEAMS = `SELECT j.project_id, t.user_id, COUNT(*) AS teams
                     FROM ${quoted('project_team')} j JOIN ${quoted('team_member')} t ON t.team_id = j.team_id
                    GROUP BY j.project_id, t.user_id`;

/** SQL after SELECT of memberships `m` of projects `p` that differ from the teams `b`, or rest on nothing. */
const FROM_WRONG_MEMBERSHIPS = `FROM ${quoted('project_member')} m JOIN ${quoted('project')} p ON p.id = m.project_id
               LEFT JOIN (${BY_TEAMS}) b ON b.project_id = m.project_id AND b.user_id = m.user_id
              WHERE p.deleted = 0
                AND (m.team_count <> COALESCE(b.teams, 0) OR (m.direct = 0 AND m.team_count = 0))`;

/** SQL after SELECT of members of the teams `b` of projects `p` without a membership `m`. */
const FROM_MISSING_MEMBERSHIPS = `FROM (${BY_TEAMS}) b JOIN ${quoted('project')} p ON p.id = b.project_id
               LEFT JOIN ${quoted('project_member')} m ON m.project_id = b.project_id AND m.user_id = b.user_id
              WHERE p.deleted = 0 AND m.user_id IS NULL`;

/** Counts memberships with a wrong number of teams or without a basis, and team members without the membership that follows. */
export async function countWrongMemberships(runner: StatementRunner): Promise<number> {
  const [row] = await runner.query<{ wrong: number | string }[]>(
    `SELECT (SELECT COUNT(*) ${FROM_WRONG_MEMBERSHIPS}) + (SELECT COUNT(*) ${FROM_MISSING_MEMBERSHIPS}) AS wrong`,
  );
  return Number(row?.wrong);
}

/** A membership that differs from the teams. */
export interface WrongMembership {
  projectId: number;
  projectKey: string;
  userId: number;
  /** Number of teams that the membership counts; undefined if there is no membership. */
  counted: number | undefined;
  /** Number of teams behind it. */
  teams: number;
  isDirect: boolean;
}

/** Returns the same memberships. */
export async function findWrongMemberships(runner: StatementRunner): Promise<WrongMembership[]> {
  const columns = 'p.id AS projectId, p.project_key AS projectKey';
  const rows = await runner.query<
    (Numbers<'projectId' | 'userId' | 'teams' | 'direct'> & {
      projectKey: string;
      counted: number | string | null;
    })[]
  >(
    `SELECT ${columns}, m.user_id AS userId, m.team_count AS counted, COALESCE(b.teams, 0) AS teams, m.direct AS direct
       ${FROM_WRONG_MEMBERSHIPS}
      UNION ALL
     SELECT ${columns}, b.user_id AS userId, NULL AS counted, b.teams AS teams, 0 AS direct ${FROM_MISSING_MEMBERSHIPS}`,
  );
  return rows.map((row) => ({
    projectId: Number(row.projectId),
    projectKey: row.projectKey,
    userId: Number(row.userId),
    counted: row.counted === null ? undefined : Number(row.counted),
    teams: Number(row.teams),
    isDirect: Number(row.direct) !== 0,
  }));
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

/** Number of rows that one statement sums up, so that the embedded database does not block the event loop. */
const SUMMED_ROWS = 10_000;

/** The tables with the sizes of stored content, and the conditions for the rows that count. */
const STORED = [
  { table: 'attachment', condition: `${quoted('stored')} = 1` },
  { table: 'git_repository', condition: '1 = 1' },
];

/** By how many bytes the used storage has to grow to be right, and by how many it has been corrected before. */
export interface StorageDifference {
  missing: number;
  corrected: number;
}

/** Returns the difference of the used storage. @param snapshot reads one state */
export async function findStorageDifference(snapshot: StatementRunner): Promise<StorageDifference> {
  const [row] = await snapshot.query<[Numbers<'bytes' | 'corrected'>]>(
    `SELECT COALESCE((SELECT used_bytes FROM ${quoted('space')}), 0)
              + (SELECT COALESCE(SUM(bytes), 0) FROM ${quoted('used_storage')}) AS bytes,
            COALESCE((SELECT bytes FROM ${quoted('used_storage')} WHERE shard = ?), 0) AS corrected`,
    [CORRECTIONS],
  );
  return { missing: (await sumStorage(snapshot)) - Number(row.bytes), corrected: Number(row.corrected) };
}

/** Returns the size of all files and repositories according to their rows. */
async function sumStorage(runner: StatementRunner): Promise<number> {
  let sum = 0;
  for (const { table, condition } of STORED) {
    for (let after = 0; ;) {
      const [row] = await runner.query<[Numbers<'things' | 'bytes'> & { last: number | string | null }]>(
        `SELECT COUNT(*) AS things, MAX(id) AS last,
                COALESCE(SUM(CASE WHEN ${condition} THEN size ELSE 0 END), 0) AS bytes
           FROM (SELECT * FROM ${quoted(table)} WHERE id > ? ORDER BY id LIMIT ${SUMMED_ROWS}) t`,
        [after],
      );
      sum += Number(row.bytes);
      if (Number(row.things) < SUMMED_ROWS) break;
      after = Number(row.last);
      await loopTurns.nextSlice();
    }
  }
  return sum;
}
