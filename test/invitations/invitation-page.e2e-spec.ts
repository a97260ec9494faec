import { RoleType } from '../../src/access/role-type';
import { type InvitationDto } from '../../src/invitations/dto/invitation.dto';
import { SignInService } from '../../src/sign-in/sign-in.service';
import { TeamRepository } from '../../src/teams/data/team.repository';
import { UserAccountsService } from '../../src/users/user-accounts.service';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { isEmbedded } from '../support/engines';
import { activitiesOf, everythingStored } from '../support/records';
import { wrongMemberships } from '../support/team-changes';
import { type Person, useWorld } from '../support/world';
import { ACCOUNT, auditLogOf, invite } from './invite';
import { Browser } from '../support/sessions';

describe('the page of an invitation', () => {
  const tested = useWorld();

  const userOf = async (userId: string): Promise<Record<string, unknown> | undefined> => {
    const { body } = await tested.world.admin.api.get<Record<string, unknown>[]>('/users');
    return body.find((user) => user.userId === userId);
  };

  const countOf = async (table: string, userId: number): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM \`${table}\` WHERE user_id = ?`,
      [userId],
    );
    return Number(row.count);
  };

  it('makes the person a user, and signs them in', async () => {
    const { world } = tested;
    const { id, path } = await invite(world, {
      mailAddresses: ['kim.newcomer@example.com'],
      roleType: RoleType.Reporter,
    });
    const visitor = new Browser(world, undefined, { 'Accept-Language': 'ja' });
    const { status, text: html } = await visitor.open(path);
    expect(status).toBe(200);
    expect(html).toContain('kim.newcomer@example.comとして招待されています');
    expect(html).toMatch(/<input[^>]* name="userId"[^>]* value="kim\.newcomer"/);
    const { status: sent, location } = await visitor.submit(path, { ...ACCOUNT, userId: 'kim.newcomer' });
    expect([sent, location]).toEqual([303, '/account']);
    const account = await visitor.open('/account');
    expect(account.status).toBe(200);
    expect(account.text).toContain('kim.newcomer');
    const user = await userOf('kim.newcomer');
    expect(user).toMatchObject({
      name: 'Kim Newcomer',
      mailAddress: 'kim.newcomer@example.com',
      roleType: RoleType.Reporter,
      lang: 'ja',
    });
    const userId = Number(user?.id);
    const { body } = await world.admin.api.get<InvitationDto[]>(`/invitations?minId=${id}&maxId=${id}`);
    expect(body).toEqual([
      expect.objectContaining({
        accepted: expect.stringMatching(/Z$/) as unknown,
        acceptedUser: expect.objectContaining({ id: userId }) as unknown,
      }),
    ]);
    expect(await countOf('session', userId)).toBe(1);
    const byThemselves = { actorId: userId, actorName: 'kim.newcomer', address: '127.0.0.1' };
    expect(await auditLogOf(world, 3)).toEqual([
      expect.objectContaining({ ...byThemselves, action: 'user.add', subjectId: userId }),
      expect.objectContaining({ ...byThemselves, action: 'invitation.accept', subjectId: id }),
      expect.objectContaining({ ...byThemselves, action: 'session.add' }),
    ]);
    const again = new Browser(world);
    const credentials = { name: 'kim.newcomer', password: ACCOUNT.newPassword };
    expect((await again.submit('/sign-in', credentials)).location).toBe('/account');
  });

  it('adds the user to projects and teams as their inviter would, except for deleted ones', async () => {
    const { world } = tested;
    const [direct, ofTeam, both, deleted] = [
      await world.addProject(),
      await world.addProject(),
      await world.addProject(),
      await world.addProject(),
    ];
    const team = await world.addTeam([], ofTeam);
    await world.admin.api.post(`/projects/${both.id}/teams`, { teamId: team.id });
    const deletedTeam = await world.addTeam();
    const { path } = await invite(world, {
      projectIds: [deleted.id, both.id, direct.id],
      teamIds: [deletedTeam.id, team.id],
    });
    await world.admin.api.delete(`/projects/${deleted.id}`);
    await world.admin.api.delete(`/teams/${deletedTeam.id}`);
    const visitor = new Browser(world);
    expect((await visitor.submit(path, { ...ACCOUNT, userId: 'joiner' })).location).toBe('/account');
    const userId = Number((await userOf('joiner'))?.id);
    for (const [{ id }, only] of [
      [direct, '?excludeGroupMembers=true'],
      [both, '?excludeGroupMembers=true'],
      [ofTeam, ''],
    ] as const) {
      const { body } = await world.admin.api.get<{ id: number }[]>(`/projects/${id}/users${only}`);
      expect(body.map((user) => user.id)).toContain(userId);
    }
    const { body: changed } = await world.admin.api.get<{ members: { id: number }[] }>(`/teams/${team.id}`);
    expect(changed.members.map(({ id }) => id)).toEqual([userId]);
    expect((await activitiesOf(world, direct)).at(-1)).toMatchObject({
      type: 15,
      createdUserId: world.admin.id,
      content: { users: [{ id: userId }] },
    });
    const notifications = await world.dataSource.query<{ projectId: number; senderId: number }[]>(
      'SELECT project_id AS projectId, sender_id AS senderId FROM notification WHERE user_id = ? ORDER BY project_id',
      [userId],
    );
    expect(notifications).toEqual(
      [direct, ofTeam, both].map(({ id }) => ({ projectId: id, senderId: world.admin.id })),
    );
    const entries = await auditLogOf(world, 6);
    expect(entries.map(({ action, actorId }) => [action, actorId])).toEqual(
      [
        'user.add',
        'invitation.accept',
        'team.update',
        'projectUser.add',
        'projectUser.add',
        'session.add',
      ].map((action) => [action, userId]),
    );
  });

  it('adds the user to a team as it is when it is locked, whatever has been read before', async () => {
    const { world } = tested;
    const [project, other] = [await world.addProject(), await world.addUser()];
    const team = await world.addTeam();
    const { path } = await invite(world, { teamIds: [team.id] });
    const change = async (): Promise<void> => {
      const { api } = world.admin;
      expect((await api.post(`/projects/${project.id}/teams`, { teamId: team.id })).status).toBe(200);
      expect((await api.patch(`/teams/${team.id}`, { members: [other.id] })).status).toBe(200);
    };
    const teams = world.service(TeamRepository);
    const lock = teams.lock.bind(teams);
    const locking = vi.spyOn(teams, 'lock');
    // The embedded database allows no second writer.
    if (isEmbedded) await change();
    else {
      locking.mockImplementationOnce(async (manager, id) => {
        await change();
        return lock(manager, id);
      });
    }
    const visitor = new Browser(world);
    expect((await visitor.submit(path, { ...ACCOUNT, userId: 'team.mate' })).location).toBe('/account');
    locking.mockRestore();
    const userId = Number((await userOf('team.mate'))?.id);
    const { body: people } = await world.admin.api.get<{ id: number; userId: string }[]>(
      `/projects/${project.id}/users`,
    );
    expect(people.map(({ id }) => id)).toEqual([other.id, userId]);
    expect(await wrongMemberships(world.dataSource)).toEqual([]);
    const [entry] = (await auditLogOf(world, 6)).filter(
      ({ action, actorId }) => action === 'team.update' && actorId === userId,
    );
    const [from, to] = [people.slice(0, 1), people].map((some) =>
      JSON.stringify(some.map((one) => one.userId)),
    );
    expect(entry?.changes).toEqual([{ field: 'members', from, to }]);
  });

  it('lets in one of ten who send the form at once, and tells the others that the link no longer works', async () => {
    const { world } = tested;
    const { path } = await invite(world);
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        new Browser(world).submit(path, { ...ACCOUNT, userId: `racer.${number}` }),
      ),
    );
    expect(sent.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(9).fill(404)]);
    const lost = sent.filter(({ status }) => status === 404);
    for (const { text: html } of lost) {
      expect(html).toContain('the link no longer works');
      expect(html).not.toContain('<form');
    }
    const { body } = await world.admin.api.get<{ id: number; userId: string }[]>('/users');
    const racers = body.filter(({ userId }) => userId.startsWith('racer.'));
    expect(racers).toHaveLength(1);
    expect(await countOf('session', racers[0]!.id)).toBe(1);
    expect((await new Browser(world).open(path)).status).toBe(404);
  });

  it('does not exist for an unknown link, and for an expired one', async () => {
    const { world } = tested;
    const { id, path } = await invite(world);
    await world.dataSource.query('UPDATE invitation SET expires = ? WHERE id = ?', [Date.now() - 1, id]);
    for (const one of [path, '/invitation/unknown']) {
      const visitor = new Browser(world);
      expect((await visitor.open(one)).status).toBe(404);
      expect((await visitor.submit(one, { ...ACCOUNT, userId: 'late' })).status).toBe(404);
    }
    expect(await userOf('late')).toBeUndefined();
  });

  it.each<[string, (inviter: Person) => Promise<unknown>]>([
    ['has left', ({ id }) => tested.world.admin.api.delete(`/users/${id}`)],
    ['is disabled', ({ id }) => tested.world.admin.api.patch(`/users/${id}`, { enabled: false })],
    [
      'is not an Administrator any more',
      ({ id }) => tested.world.admin.api.patch(`/users/${id}`, { roleType: RoleType.NormalUser }),
    ],
  ])('does not exist when the inviter %s', async (_state, change) => {
    const { world } = tested;
    const inviter = await world.addUser(RoleType.Administrator);
    const { path } = await invite(world, {}, inviter);
    await change(inviter);
    const visitor = new Browser(world);
    expect((await visitor.open(path)).status).toBe(404);
    expect((await visitor.submit(path, { ...ACCOUNT, userId: 'orphan' })).status).toBe(404);
    expect(await userOf('orphan')).toBeUndefined();
  });

  it('works again once the inviter is enabled', async () => {
    const { world } = tested;
    const inviter = await world.addUser(RoleType.Administrator);
    const { path } = await invite(world, {}, inviter);
    await world.admin.api.patch(`/users/${inviter.id}`, { enabled: false });
    await world.admin.api.patch(`/users/${inviter.id}`, { enabled: true });
    expect((await new Browser(world).open(path)).status).toBe(200);
  });

  it('stores nothing when the inviter is disabled while the form is sent', async () => {
    const { world } = tested;
    const inviter = await world.addUser(RoleType.Administrator);
    const { path } = await invite(world, {}, inviter);
    const signIns = world.service(SignInService);
    const hashNew = signIns.hashNew.bind(signIns);
    let before: unknown;
    vi.spyOn(signIns, 'hashNew').mockImplementationOnce(async (...input) => {
      const hash = await hashNew(...input);
      await world.service(UserAccountsService).disable(COMMAND_LINE, inviter.id);
      before = await everythingStored(world);
      return hash;
    });
    expect((await new Browser(world).submit(path, { ...ACCOUNT, userId: 'orphan' })).status).toBe(404);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('shows at its field that a login name is taken, and keeps what was entered', async () => {
    const { world } = tested;
    const { path } = await invite(world, { mailAddresses: ['admin@elsewhere.example.com'] });
    const visitor = new Browser(world);
    expect((await visitor.open(path)).text).not.toMatch(/name="userId"[^>]* value=/);
    const before = await everythingStored(world);
    const { status, text: html } = await visitor.submit(path, { ...ACCOUNT, userId: 'admin' });
    expect(status).toBe(400);
    expect(html).toMatch(/name="userId"[^>]* value="admin"[^>]* aria-invalid="true"/);
    expect(html).toMatch(/id="userId-error"[^>]*>Somebody else has this login name/);
    expect(html).toContain('value="Kim Newcomer"');
    expect(html).not.toContain(ACCOUNT.newPassword);
    expect(await everythingStored(world)).toEqual(before);
    expect((await visitor.submit(path, { ...ACCOUNT, userId: 'not.admin' })).status).toBe(303);
  });

  it('does not give away the login name of a user who has left, nor their content', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const former = await world.addMember(project);
    await world.addComment(project.issueThreadId, former);
    const { body: user } = await world.admin.api.get<{ userId: string; mailAddress: string }>(
      `/users/${former.id}`,
    );
    await world.admin.api.delete(`/users/${former.id}`);
    const { path } = await invite(world, { mailAddresses: [user.mailAddress] });
    const visitor = new Browser(world);
    expect((await visitor.open(path)).text).not.toContain(`value="${user.userId}"`);
    const { status, text: html } = await visitor.submit(path, { ...ACCOUNT, userId: user.userId });
    expect(status).toBe(400);
    expect(html).toContain('Somebody else has this login name');
    expect(await userOf(user.userId)).toBeUndefined();
  });

  it.each([
    ['a common password', { newPassword: 'password123' }, 'one that everybody tries first'],
    ['a short password', { newPassword: 'short' }, 'New password must be'],
    ['a wrong login name', { userId: '.dot' }, 'a letter or digit first'],
    ['no display name', { name: ' ' }, 'Name must be'],
  ])('refuses %s in the form, and the link still works', async (_what, fields, message) => {
    const { world } = tested;
    const { path } = await invite(world);
    const visitor = new Browser(world);
    const { status, text: html } = await visitor.submit(path, { ...ACCOUNT, userId: 'careless', ...fields });
    expect(status).toBe(400);
    expect(html).toContain(message);
    expect(html).toContain('<form');
    expect((await visitor.open(path)).status).toBe(200);
    expect(await userOf('careless')).toBeUndefined();
  });

  it('accepts no form from another site', async () => {
    const { world } = tested;
    const { path } = await invite(world);
    const visitor = new Browser(world, undefined, { 'Sec-Fetch-Site': 'cross-site' });
    expect((await visitor.submit(path, { ...ACCOUNT, userId: 'forged' })).status).toBe(403);
    expect(await userOf('forged')).toBeUndefined();
  });
});

describe('an invitation to a full team', () => {
  const tested = useWorld({ MAX_TEAM_MEMBERS: '1' });

  it('says so in the form, stores nothing, and works once there is room', async () => {
    const { world } = tested;
    const { api } = world.admin;
    const team = await world.addTeam([world.admin]);
    const { path } = await invite(world, { teamIds: [team.id] });
    const visitor = new Browser(world);
    const before = await everythingStored(world);
    const { status, text: html } = await visitor.submit(path, { ...ACCOUNT, userId: 'patient' });
    expect(status).toBe(409);
    expect(html).toContain('A team can have at most 1 members.');
    expect(await everythingStored(world)).toEqual(before);
    await api.patch(`/teams/${team.id}`, { members: [] });
    expect((await visitor.submit(path, { ...ACCOUNT, userId: 'patient' })).status).toBe(303);
  });
});

describe('guessing invitations', () => {
  const tested = useWorld({ MAX_FAILED_KEYS: '2' });

  it('counts as wrong keys', async () => {
    const visitor = new Browser(tested.world);
    const statuses: number[] = [];
    for (let guess = 0; guess < 4; guess++) {
      statuses.push((await visitor.open(`/invitation/guess${guess}`)).status);
    }
    expect(statuses.slice(0, 2)).toEqual([404, 404]);
    expect(statuses.at(-1)).toBe(429);
  });
});
