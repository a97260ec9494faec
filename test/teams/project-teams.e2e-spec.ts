import { RoleType } from '../../src/access/role-type';
import { newIssue } from '../support/issues';
import { activitiesOf, statementsOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { notificationEntry, userShape } from '../support/shapes';
import { wrongMemberships } from '../support/team-changes';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

describe('a team of a project', () => {
  const tested = useWorld({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  let world: World;
  let project: ProjectFixture;
  let administrator: Person;
  let one: Person;
  let other: Person;
  let team: { id: number; name: string };
  let teams: string;
  let users: string;

  beforeEach(async () => {
    ({ world } = tested);
    project = await world.addProject();
    administrator = await world.addMember(project, RoleType.Reporter, true);
    one = await world.addUser();
    other = await world.addUser(RoleType.Viewer);
    team = await world.addTeam([one, other]);
    teams = `/projects/${project.key}/teams`;
    users = `/projects/${project.key}/users`;
  });

  afterEach(async () => {
    expect(await wrongMemberships(world.dataSource)).toEqual([]);
  });

  const join = (id = team.id) => administrator.api.post(teams, { teamId: id });
  const leave = (id = team.id) => administrator.api.delete(teams, { teamId: id });
  const change = (members: Person[], id = team.id) =>
    world.admin.api.patch(`/teams/${id}`, { members: members.map((person) => person.id) });

  const members = async (query = ''): Promise<number[]> =>
    (await administrator.api.get<{ id: number }[]>(users + query)).body.map(({ id }) => id);

  const sees = async (person: Person): Promise<boolean> => {
    const { status } = await person.api.get(`/issues/${project.issueKey}`);
    const { body } = await person.api.get<{ id: number }[]>('/projects');
    expect(status === 200).toBe(body.some(({ id }) => id === project.id));
    return status === 200;
  };

  const notificationsOf = async (person: Person): Promise<[reason: number, projectId: number][]> => {
    const { body } = await person.api.get<{ reason: number; project: { id: number } }[]>('/notifications');
    return body.map(({ reason, project: { id } }) => [reason, id]);
  };

  const activities = async (): Promise<unknown[]> =>
    (await activitiesOf(world, project)).map(({ type, createdUserId, content }) => [
      type,
      createdUserId,
      content,
    ]);

  it('makes its members project members and notifies them', async () => {
    expect(await sees(one)).toBe(false);
    const { status, body } = await join();
    expect(status).toBe(200);
    expect(body).toEqual((await world.admin.api.get(`/teams/${team.id}`)).body);
    expect((await one.api.get(teams)).body).toEqual([body]);
    expect((await one.api.get(users)).body).toEqual([administrator, one, other].map(userShape));
    expect(await members('?excludeGroupMembers=true')).toEqual([administrator.id]);
    expect(await sees(one)).toBe(true);
    expect(await activities()).toEqual([
      [25, administrator.id, { parties: [{ id: team.id, name: team.name }] }],
    ]);
    for (const person of [one, other]) expect(await notificationsOf(person)).toEqual([[6, project.id]]);
    expect((await one.api.post('/issues', newIssue(project, { assigneeId: other.id }))).status).toBe(201);
  });

  it('ends its memberships and notifications when it is removed', async () => {
    await join();
    const { body: issue } = await one.api.post('/issues', newIssue(project, { assigneeId: other.id }));
    const { status, body } = await administrator.api.send('DELETE', `${teams}?teamId=${team.id}`);
    expect(status).toBe(200);
    expect(body.id).toBe(team.id);
    expect((await administrator.api.get(teams)).body).toEqual([]);
    expect(await members()).toEqual([administrator.id]);
    expect([await sees(one), await sees(other)]).toEqual([false, false]);
    expect(await notificationsOf(other)).toEqual([]);
    expect((await activities()).at(-1)).toEqual([
      26,
      administrator.id,
      { parties: [{ id: team.id, name: team.name }] },
    ]);
    // As for every member who leaves.
    expect((await administrator.api.get(`/issues/${issue.id}`)).body.assignee).toEqual(userShape(other));
  });

  it('is refused when unknown or added twice, and changed only by administrators', async () => {
    await expectRefused(world, () => leave(), ['teamId']);
    await expectRefused(world, () => join(999_999), ['teamId']);
    await expectRefused(world, () => leave(999_999), ['teamId']);
    await expectRefused(world, () => administrator.api.post(teams, {}), ['teamId']);
    await join();
    await expectRefused(world, () => join(), ['teamId']);
    expect((await one.api.delete(teams, { teamId: team.id })).status).toBe(403);
    expect((await one.api.get(`/teams/${team.id}`)).status).toBe(403);
  });

  it('keeps a membership alive that another team provided as well', async () => {
    const second = await world.addTeam([one]);
    await join();
    await join(second.id);
    expect(await notificationsOf(one)).toHaveLength(1);
    await leave();
    expect([await sees(one), await sees(other)]).toEqual([true, false]);
    await change([other], second.id);
    expect([await sees(one), await sees(other)]).toEqual([false, true]);
    expect((await world.admin.api.delete(`/teams/${second.id}`)).status).toBe(200);
    expect(await members()).toEqual([administrator.id]);
    expect((await activities()).at(-1)).toEqual([
      26,
      world.admin.id,
      { parties: [{ id: second.id, name: second.name }] },
    ]);
  });

  it('passes changes of its members on to all its projects', async () => {
    const another = await world.addProject();
    await join();
    await world.admin.api.post(`/projects/${another.key}/teams`, { teamId: team.id });
    const third = await world.addUser();
    await world.join(another, third);
    await change([one, third]);
    expect(await members()).toEqual([administrator.id, one.id, third.id]);
    expect(await notificationsOf(third)).toEqual([[6, project.id]]);
    expect(await notificationsOf(other)).toEqual([]);
    await change([]);
    expect(await members()).toEqual([administrator.id]);
    expect((await world.admin.api.get<object[]>(`/projects/${another.key}/users`)).body).toEqual([
      userShape(third),
    ]);
  });

  it('leaves direct memberships alone when it is added and removed', async () => {
    await world.join(project, one, true);
    await join();
    expect(await notificationsOf(one)).toEqual([]);
    expect(await members('?excludeGroupMembers=true')).toEqual([administrator.id, one.id]);
    // Becomes a direct member too, without a new notification.
    expect((await administrator.api.post(users, { userId: other.id })).status).toBe(200);
    expect(await notificationsOf(other)).toHaveLength(1);
    await expectRefused(world, () => administrator.api.post(users, { userId: other.id }), ['userId']);
    // Stays a member through the team, without the rights of a direct member.
    expect((await administrator.api.delete(users, { userId: one.id })).status).toBe(200);
    expect(await members()).toEqual([administrator.id, one.id, other.id]);
    expect((await one.api.patch(`/projects/${project.key}`, { name: 'Mine' })).status).toBe(403);
    await expectRefused(world, () => administrator.api.delete(users, { userId: one.id }), ['userId']);
    await leave();
    expect(await members()).toEqual([administrator.id, other.id]);
    expect((await activities()).map((activity) => (activity as [number])[0])).toEqual([25, 15, 16, 26]);
  });

  it('gives its members no administration rights', async () => {
    await join();
    const path = `/projects/${project.key}/administrators`;
    await expectRefused(world, () => world.admin.api.post(path, { userId: one.id }), ['userId']);
    expect((await one.api.post(users, { userId: 1 })).status).toBe(403);
  });

  it('sends no notification to the member who adds it', async () => {
    const own = await world.addTeam([world.admin]);
    await world.admin.api.post(teams, { teamId: own.id });
    expect((await world.admin.api.get<object[]>('/notifications?count=1')).body).toEqual([]);
  });

  it('leaves a deleted project and still exists', async () => {
    await join();
    expect((await world.admin.api.delete(`/projects/${project.key}`)).status).toBe(200);
    expect((await change([one])).status).toBe(200);
    await world.whenIdle();
    expect(await world.dataSource.query('SELECT * FROM project_team WHERE team_id = ?', [team.id])).toEqual(
      [],
    );
    expect((await world.admin.api.get(`/teams/${team.id}`)).status).toBe(200);
  });

  it('gives no membership back to a user who left the space and returns', async () => {
    await join();
    await world.addComment(project.issueThreadId, one);
    const [{ userId }] = (await world.admin.api.get<{ members: [{ userId: string }] }>(`/teams/${team.id}`))
      .body.members;
    await world.admin.api.delete(`/users/${one.id}`);
    expect(await members()).toEqual([administrator.id, other.id]);
    const back = await world.admin.api.post<{ id: number }>('/users', {
      userId,
      password: 'correct horse battery',
      name: 'Back',
      mailAddress: 'back@example.com',
      roleType: 2,
    });
    expect(back.body.id).toBe(one.id);
    expect(await members()).toEqual([administrator.id, other.id]);
  });

  it('notifies its members in the project when it is mentioned', async () => {
    await world.join(project, one);
    const author = await world.addMember(project);
    const second = await world.addTeam([one, author, world.admin]);
    const comments = `/issues/${project.issueKey}/comments`;
    const told = async (content: string): Promise<object[]> =>
      (await author.api.post<{ changeLog: object[] }>(comments, { content })).body.changeLog;
    expect(await told(`<@T${team.id}> and <@T${second.id}> <@U${one.id}>`)).toEqual([notificationEntry(one)]);
    expect(await told('<@T999999>')).toEqual([]);
    await join();
    expect(await told(`<@T${team.id}>`)).toEqual([one, other].map((person) => notificationEntry(person)));
    const text = Array.from({ length: 5000 }, (_, index) => `<@T${index + 1}>`).join('');
    const sent = await statementsOf(world, () => told(text));
    expect(sent.filter((sql) => sql.includes('team_member'))).toHaveLength(1);
  });

  it('sends its addition and removal to webhooks', async () => {
    const hooks = `/projects/${project.key}/webhooks`;
    const { body: webhook } = await administrator.api.post<{ id: number }>(hooks, {
      name: 'Teams',
      hookUrl: 'http://127.0.0.1:9/',
      activityTypeIds: [25, 26],
    });
    await world.stopDeliveries();
    await join();
    await change([one]);
    await leave();
    const { body } = await administrator.api.get<{ activityTypeId: number }[]>(
      `${hooks}/${webhook.id}/deliveries`,
    );
    expect(body).toHaveLength(2);
    const { body: shown } = await administrator.api.get<{ type: number; content: object }[]>(
      `/projects/${project.key}/activities?activityTypeId[]=25&activityTypeId[]=26`,
    );
    const content = { parties: [{ id: team.id, name: team.name }] };
    expect(shown).toMatchObject([
      { type: 26, content },
      { type: 25, content },
    ]);
  });
});
