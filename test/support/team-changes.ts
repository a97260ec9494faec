import { type DataSource } from 'typeorm';
import { type ApiClient } from './api';

/** Fixed, so that every run is the same. */
const SEED = 7;
const AT_ONCE = 10;
const PROJECTS = 3;
const TEAMS = 4;

/**
 * Returns stored memberships that do not follow from the teams and direct members of the projects, memberships that follow but are
 * not stored, and former users who are still members.
 */
export async function wrongMemberships(dataSource: DataSource): Promise<object[]> {
  const byTeams = `SELECT j.project_id, t.user_id, COUNT(*) AS teams
                     FROM project_team j JOIN team_member t ON t.team_id = j.team_id GROUP BY j.project_id, t.user_id`;
  const statements = [
    `SELECT m.project_id, m.user_id, m.direct, m.team_count, b.teams
       FROM project_member m JOIN project p ON p.id = m.project_id
       LEFT JOIN (${byTeams}) b ON b.project_id = m.project_id AND b.user_id = m.user_id
      WHERE p.deleted = 0
        AND (m.team_count <> COALESCE(b.teams, 0)
             OR (m.direct = 0 AND (m.team_count = 0 OR m.project_administrator = 1)))`,
    `SELECT b.project_id, b.user_id, b.teams
       FROM (${byTeams}) b JOIN project p ON p.id = b.project_id
       LEFT JOIN project_member m ON m.project_id = b.project_id AND m.user_id = b.user_id
      WHERE p.deleted = 0 AND m.user_id IS NULL`,
    'SELECT m.project_id, m.user_id FROM project_member m JOIN user u ON u.id = m.user_id WHERE u.active = 0',
    'SELECT t.team_id, t.user_id FROM team_member t JOIN user u ON u.id = t.user_id WHERE u.active = 0',
  ];
  const found = await Promise.all(statements.map((sql) => dataSource.query<object[]>(sql)));
  return found.flat();
}

/**
 * Randomly changes teams, the members and teams of projects and the users of the space, many at once, through one or several
 * processes.
 * @param apis of the administrator, one for each process
 * @param people ids of users by their `userId`; kept up to date
 * @param rounds minimum number of rounds; there are more until each kind of change has succeeded
 * @param check called after each round, when no change is in progress
 * @returns the kinds of changes that never succeeded
 */
export async function changeTeamsAtRandom(
  apis: readonly ApiClient[],
  people: Map<string, number>,
  rounds: number,
  check: () => Promise<void>,
): Promise<string[]> {
  const pick = picker();
  const [first] = apis as readonly [ApiClient];
  const names = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${kind}${index}`);
  const add = async (path: string, body: object): Promise<number> =>
    (await first.post<{ id: number }>(path, body)).body.id;
  const projects = names('RANDOM', PROJECTS);
  for (const key of projects) await add('/projects', { key, name: key });
  const teams: number[] = [];
  for (const name of names('Team', TEAMS)) teams.push(await add('/teams', { name }));

  const api = (): ApiClient => pick(apis);
  const person = (): number => pick([...people.values()]);
  const gone = new Set<string>();
  const someone = (): string => pick([...people.keys()]);
  const ofProject = (things: string): string => `/projects/${pick(projects)}/${things}`;
  const changeMembers = () =>
    api().patch(`/teams/${pick(teams)}`, { members: [...people.values()].filter(() => pick([true, false])) });
  const joinProject = () => api().post(ofProject('teams'), { teamId: pick(teams) });
  const addUser = () => api().post(ofProject('users'), { userId: person() });
  const changes: [kind: string, make: () => Promise<{ status: number; body: unknown }>][] = [
    ['change members', changeMembers],
    ['change members', changeMembers],
    ['join a project', joinProject],
    ['join a project', joinProject],
    ['leave a project', () => api().delete(ofProject('teams'), { teamId: pick(teams) })],
    ['add a user', addUser],
    ['add a user', addUser],
    ['remove a user', () => api().delete(ofProject('users'), { userId: person() })],
    ['add an administrator', () => api().post(ofProject('administrators'), { userId: person() })],
    [
      'leave the space',
      async () => {
        const userId = someone();
        const answer = await api().delete(`/users/${people.get(userId)}`);
        if (answer.status === 200) gone.add(userId);
        return answer;
      },
    ],
    [
      'come back',
      async () => {
        // Only for users who have left: hashing a password takes long.
        if (gone.size === 0) return { status: 400, body: undefined };
        const userId = pick([...gone]);
        gone.delete(userId);
        const answer = await api().post<{ id: number }>('/users', asUser(userId));
        if (answer.status === 201) people.set(userId, answer.body.id);
        return answer;
      },
    ],
    [
      'delete a team',
      async () => {
        const index = teams.indexOf(pick(teams));
        const answer = await api().delete(`/teams/${teams[index]}`);
        if (answer.status === 200) teams[index] = await add('/teams', { name: 'Another' });
        return answer;
      },
    ],
  ];
  const missing = new Set(changes.map(([kind]) => kind));
  for (let round = 0; round < rounds || (missing.size > 0 && round < 10 * rounds); round++) {
    const chosen = Array.from({ length: AT_ONCE }, () => pick(changes));
    const answers = await Promise.all(chosen.map(([, make]) => make()));
    answers.forEach(({ status, body }, index) => {
      const kind = chosen[index]?.[0] ?? '';
      if (status < 300) missing.delete(kind);
      else if (![400, 404].includes(status)) {
        throw new Error(`To ${kind} was answered ${status}: ${JSON.stringify(body)}`);
      }
    });
    await check();
  }
  return [...missing];
}

/** Returns the body that adds a normal user. */
const asUser = (userId: string): object => ({
  userId,
  password: 'correct horse battery',
  name: userId,
  mailAddress: 'robin@example.com',
  roleType: 2,
});

/** Returns a function that picks pseudorandom items. */
function picker(): <Item>(items: readonly Item[]) => Item {
  let state = SEED;
  return <Item>(items: readonly Item[]): Item => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return items[((mixed ^ (mixed >>> 14)) >>> 0) % items.length] as Item;
  };
}
