import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { RoleType } from '../../src/access/role-type';
import { expectRefused } from '../support/refusals';
import { anId, anInteger, aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, useWorld } from '../support/world';

describe('a team', () => {
  const tested = useWorld();
  let one: Person;
  let other: Person;

  beforeAll(async () => {
    one = await tested.world.addUser();
    other = await tested.world.addUser(RoleType.GuestViewer);
  });

  const api = () => tested.world.admin.api;

  const teamShape = (name: string, members: Person[], fields: object = {}): object => ({
    id: anId,
    name,
    members: members.map(userShape),
    displayOrder: anInteger,
    createdUser: userShape(tested.world.admin),
    created: aTimestamp,
    updatedUser: userShape(tested.world.admin),
    updated: aTimestamp,
    ...fields,
  });

  const lastAudited = async (): Promise<AuditLogEntryDto> =>
    (await api().get<[AuditLogEntryDto]>('/space/auditLog?count=1')).body[0];

  it('stores each member once, ordered by id, or none', async () => {
    const { status, body } = await api().post<{ id: number; displayOrder: number }>('/teams', {
      name: ' Ops ',
      members: [other.id, one.id, other.id],
    });
    expect([status, body]).toEqual([200, teamShape('Ops', [one, other])]);
    expect((await api().get(`/teams/${body.id}`)).body).toEqual(body);
    const empty = await api().post('/teams', { name: 'Ops' });
    expect([empty.status, empty.body]).toEqual([
      200,
      teamShape('Ops', [], { displayOrder: body.displayOrder + 1 }),
    ]);
  });

  it('is listed in pages by displayOrder', async () => {
    const ids: number[] = [];
    for (let number = 0; number < 3; number++) ids.push((await tested.world.addTeam([one])).id);
    const { body, headers } = await api().get<{ id: number }[]>('/teams?count=2');
    expect(body.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(headers.get('link')).toContain('offset=2');
    const next = await api().get<{ id: number }[]>('/teams?count=1&offset=2');
    expect(next.body).toEqual([(await api().get(`/teams/${ids[0]}`)).body]);
    const ascending = await api().get<{ displayOrder: number }[]>('/teams?order=asc&count=100');
    const orders = ascending.body.map(({ displayOrder }) => displayOrder);
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
    expect(orders.length).toBeGreaterThan(4);
    expect((await api().get('/teams?count=101')).status).toBe(400);
  });

  it('takes another name and another list of members', async () => {
    const team = await tested.world.addTeam([one]);
    const path = `/teams/${team.id}`;
    const before = (await api().get(path)).body;
    for (const same of [{}, { name: team.name }, { members: [one.id] }]) {
      expect((await api().patch(path, same)).body).toEqual(before);
    }
    expect((await api().patch(path, { name: 'Renamed' })).body).toEqual(teamShape('Renamed', [one]));
    expect(await lastAudited()).toMatchObject({
      action: 'team.update',
      changes: [{ field: 'name', from: team.name, to: 'Renamed' }],
    });
    expect((await api().patch(path, { members: [other.id] })).body).toEqual(teamShape('Renamed', [other]));
    expect((await lastAudited()).changes).toEqual([
      { field: 'members', from: expect.stringMatching(/^\["user\d+"\]$/), to: expect.anything() },
    ]);
    expect((await api().patch(path, { members: [] })).body).toEqual(teamShape('Renamed', []));
    expect((await api().get(path)).body).toEqual(teamShape('Renamed', []));
  });

  it('answers 404 after its deletion', async () => {
    const team = await tested.world.addTeam([one, other]);
    const before = (await api().get(`/teams/${team.id}`)).body;
    const { status, body } = await api().delete(`/teams/${team.id}`);
    expect([status, body]).toEqual([200, before]);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const gone = await api().send(method, `/teams/${team.id}`);
      expect([gone.status, gone.body]).toEqual([404, errorShape(6)]);
    }
  });

  it.each([
    ['no name', { members: [1] }, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a blank name', { name: ' ' }, ['name']],
    ['a name that is too long', { name: 'x'.repeat(256) }, ['name']],
    ['an unknown member', { name: 'X', members: [999_999] }, ['members']],
    ['a name as a member', { name: 'X', members: ['dana'] }, ['members']],
    [
      'too many members',
      { name: 'X', members: Array.from({ length: 1001 }, (_, at) => at + 1) },
      ['members'],
    ],
    ['an unknown field', { name: 'X', displayOrder: 1 }, ['displayOrder']],
  ])('refuses %s', async (_what, body, fields) => {
    const { world } = tested;
    await expectRefused(world, () => api().post('/teams', body), fields);
    if ('name' in body) {
      const { id } = await world.addTeam([one]);
      await expectRefused(world, () => api().patch(`/teams/${id}`, body), fields);
    }
  });

  it('loses members who leave the space, and refuses them as new ones', async () => {
    const { world } = tested;
    const leaving = await world.addUser();
    const project = await world.addProject();
    await world.addComment(project.issueThreadId, leaving);
    const team = await world.addTeam([leaving, one], project);
    expect((await api().delete(`/users/${leaving.id}`)).status).toBe(200);
    expect((await api().get(`/teams/${team.id}`)).body).toEqual(teamShape(team.name, [one]));
    await expectRefused(world, () => api().post('/teams', { name: 'X', members: [leaving.id] }), ['members']);
    const { id } = await world.addTeam([]);
    await expectRefused(world, () => api().patch(`/teams/${id}`, { members: [leaving.id] }), ['members']);
  });

  it('shows its creator and updater after they have left', async () => {
    const { world } = tested;
    const leaving = await world.addUser(RoleType.Administrator);
    const { body } = await leaving.api.post<{ id: number }>('/teams', { name: 'Theirs' });
    await api().delete(`/users/${leaving.id}`);
    expect((await api().get(`/teams/${body.id}`)).body).toEqual(
      teamShape('Theirs', [], { createdUser: userShape(leaving), updatedUser: userShape(leaving) }),
    );
  });

  it('gets a displayOrder of its own when several are added at once', async () => {
    const added = await Promise.all(
      Array.from({ length: 6 }, () => api().post<{ displayOrder: number }>('/teams', { name: 'Twin' })),
    );
    expect(new Set(added.map(({ body }) => body.displayOrder)).size).toBe(6);
  });
});
