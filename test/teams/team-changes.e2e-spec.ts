import { changeTeamsAtRandom, wrongMemberships } from '../support/team-changes';
import { type ProjectFixture, useWorld } from '../support/world';

const ROUNDS = 10;

describe('a change of teams', () => {
  const tested = useWorld({ MAX_TEAM_MEMBERS: '500' });

  it('keeps all project memberships consistent with concurrent changes', async () => {
    const { world } = tested;
    const people = new Map<string, number>();
    for (let number = 0; number < 8; number++) {
      const { id } = await world.addUser();
      const { body } = await world.admin.api.get<{ userId: string }>(`/users/${id}`);
      people.set(body.userId, id);
    }
    const missing = await changeTeamsAtRandom([world.admin.api], people, ROUNDS, async () => {
      expect(await wrongMemberships(world.dataSource)).toEqual([]);
    });
    expect(missing).toEqual([]);
  }, 60_000);

  it('updates the memberships of a large team in all its projects', async () => {
    const { world } = tested;
    const { api } = world.admin;
    const people: { id: number }[] = [];
    for (let number = 0; number < 260; number++) people.push(await world.addUser());
    const projects: ProjectFixture[] = [];
    for (let number = 0; number < 6; number++) projects.push(await world.addProject());
    const team = await world.addTeam();
    for (const project of projects) await api.post(`/projects/${project.id}/teams`, { teamId: team.id });
    const members = people.map(({ id }) => id);
    expect((await api.patch(`/teams/${team.id}`, { members })).status).toBe(200);
    const notified = async (): Promise<number> => {
      const [row] = await world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM notification WHERE reason = 6 AND user_id >= ?',
        [members[0]],
      );
      return Number(row.count);
    };
    expect(await notified()).toBe(people.length * projects.length);
    expect(await wrongMemberships(world.dataSource)).toEqual([]);
    const { body } = await api.get<{ id: number }[]>(`/projects/${projects[5]?.key}/users`);
    expect(body.map(({ id }) => id)).toEqual(members);
    expect((await api.delete(`/teams/${team.id}`)).status).toBe(200);
    expect(await wrongMemberships(world.dataSource)).toEqual([]);
    expect((await api.get<object[]>(`/projects/${projects[5]?.key}/users`)).body).toEqual([]);
  }, 60_000);
});
