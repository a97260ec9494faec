import { RoleType } from '../../src/access/role-type';
import { type Scope } from '../../src/access/scopes';
import { type InvitationDto, type NewInvitationDto } from '../../src/invitations/dto/invitation.dto';
import { InvitationsService } from '../../src/invitations/invitations.service';
import { ApiClient } from '../support/api';
import { addKey } from '../support/keys';
import { everythingStored, statementsOf } from '../support/records';
import { useWorld } from '../support/world';
import { ACCOUNT, auditLogOf, invite } from './invite';
import { Browser } from '../support/sessions';

const DAY_MS = 24 * 60 * 60_000;

describe('invitations', () => {
  const tested = useWorld();

  const list = async (query = ''): Promise<InvitationDto[]> =>
    (await tested.world.admin.api.get<InvitationDto[]>(`/invitations${query}`)).body;

  const ids = async (): Promise<number[]> => (await list('?count=100')).map(({ id }) => id);

  /** Moves the times of an invitation into the past. */
  const age = async (id: number, days: number): Promise<void> => {
    await tested.world.dataSource.query(
      'UPDATE invitation SET created = created - ?, expires = expires - ?, accepted = accepted - ? WHERE id = ?',
      [days * DAY_MS, days * DAY_MS, days * DAY_MS, id],
    );
  };

  it('invites many people at once, each with a link of their own', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const team = await world.addTeam();
    const mailAddresses = Array.from({ length: 100 }, (_, number) => `robin.${number}@example.com`);
    const fields = { roleType: RoleType.Reporter, projectIds: [project.id], teamIds: [team.id] };
    const { status, body } = await world.admin.api.post<NewInvitationDto[]>('/invitations', {
      mailAddresses,
      ...fields,
    });
    expect(status).toBe(201);
    expect(body.map(({ mailAddress }) => mailAddress)).toEqual(mailAddresses);
    expect(new Set(body.map(({ url }) => url)).size).toBe(100);
    for (const invitation of body) {
      expect(invitation).toMatchObject({
        ...fields,
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/invitation\/[\w-]{43}$/) as unknown,
      });
      expect(Date.parse(invitation.expires) - Date.parse(invitation.created)).toBe(7 * DAY_MS);
    }
  });

  it('sends as many statements for 100 addresses as for one', async () => {
    const { world } = tested;
    const statementsFor = async (count: number): Promise<string[]> => {
      const mailAddresses = Array.from(
        { length: count },
        () => `${world.uniqueName('p').replace(' ', '')}@example.com`,
      );
      return statementsOf(world, () => world.admin.api.post('/invitations', { mailAddresses, roleType: 2 }));
    };
    const one = await statementsFor(1);
    expect(await statementsFor(100)).toHaveLength(one.length);
  });

  it('lists invitations without their links, the newest first, in pages', async () => {
    const { world } = tested;
    const { url, path: _path, ...first } = await invite(world);
    const { id } = await invite(world);
    const page = await world.admin.api.get<InvitationDto[]>('/invitations?count=1');
    expect(page.body.map((one) => one.id)).toEqual([id]);
    expect(page.headers.get('link')).toContain('rel="next"');
    const rest = await world.admin.api.get<InvitationDto[]>(`/invitations?count=1&maxId=${id - 1}`);
    expect(rest.body).toEqual([
      {
        ...first,
        createdUser: expect.objectContaining({ id: world.admin.id }) as unknown,
        accepted: null,
        acceptedUser: null,
      },
    ]);
    expect(rest.text).not.toContain(url.slice(-43));
  });

  it('replaces the open invitation of an address, whatever its case', async () => {
    const { world } = tested;
    const before = await invite(world);
    const after = await invite(world, { mailAddresses: [before.mailAddress.toUpperCase()] });
    expect(await ids()).not.toContain(before.id);
    expect((await new Browser(world).open(before.path)).status).toBe(404);
    expect((await new Browser(world).open(after.path)).status).toBe(200);
  });

  it('takes an address once that is given twice', async () => {
    const { body } = await tested.world.admin.api.post<NewInvitationDto[]>('/invitations', {
      mailAddresses: ['twice@example.com', 'TWICE@example.com'],
      roleType: 2,
    });
    expect(body.map(({ mailAddress }) => mailAddress)).toEqual(['twice@example.com']);
  });

  it.each([
    ['no address', { mailAddresses: [] }, 'mailAddresses'],
    [
      'more than 100 addresses',
      { mailAddresses: Array.from({ length: 101 }, (_, number) => `r${number}@example.com`) },
      'mailAddresses',
    ],
    ['a text that is no address', { mailAddresses: ['a@example.com', 'nowhere'] }, 'mailAddresses'],
    ['an object as an address', { mailAddresses: [{ toString: 1 }] }, 'mailAddresses'],
    ['an unknown role', { roleType: 7 }, 'roleType'],
    ['an unknown project', { projectIds: [987_654] }, 'projectIds'],
    ['an unknown team', { teamIds: [987_654] }, 'teamIds'],
    ['more than 50 projects', { projectIds: Array.from({ length: 51 }, (_, id) => id + 1) }, 'projectIds'],
  ])('refuses %s, and stores nothing', async (_what, fields, field) => {
    const { world } = tested;
    const before = await everythingStored(world);
    const body = { mailAddresses: ['new@example.com'], roleType: 2, ...fields };
    const { status, body: answer } = await world.admin.api.post('/invitations', body);
    expect(status).toBe(400);
    expect(answer.errors).toEqual([expect.objectContaining({ code: 7, moreInfo: field })]);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('refuses addresses of users and names them, and stores nothing', async () => {
    const { world } = tested;
    const user = await world.addUser();
    const { body: dto } = await world.admin.api.get<{ mailAddress: string }>(`/users/${user.id}`);
    const taken = dto.mailAddress.toUpperCase();
    const before = await everythingStored(world);
    const { status, body } = await world.admin.api.post('/invitations', {
      mailAddresses: ['new@example.com', taken],
      roleType: 2,
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      expect.objectContaining({
        message: `These mailAddresses belong to users: ${taken}.`,
        moreInfo: 'mailAddresses',
      }),
    ]);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('invites Administrators, but not with a key with limits', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const fields = { roleType: RoleType.Administrator, projectIds: [project.id] };
    expect(await invite(world, fields)).toMatchObject(fields);
    const key = await addKey(world, world.admin, { scopes: ['write', 'admin'] });
    const limited = { ...world.admin, api: new ApiClient(world.server.baseUrl, key) };
    await invite(world, { roleType: RoleType.NormalUser }, limited);
    const body = { mailAddresses: ['boss@example.com'], roleType: RoleType.Administrator };
    expect((await limited.api.post('/invitations', body)).status).toBe(403);
  });

  it('invites into projects only with a key that may add members to them', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const keyWith = async (...scopes: Scope[]): Promise<ApiClient> =>
      new ApiClient(world.server.baseUrl, await addKey(world, world.admin, { scopes }));
    const body = {
      mailAddresses: ['joiner@example.com'],
      roleType: RoleType.NormalUser,
      projectIds: [project.id],
    };
    const [people, projects] = [
      await keyWith('write:users', 'admin'),
      await keyWith('write:users', 'write:projects', 'admin'),
    ];
    const { status, body: answer } = await people.post<{ errors: { moreInfo: string }[] }>(
      '/invitations',
      body,
    );
    expect([status, answer.errors[0]?.moreInfo]).toEqual([403, 'write:projects']);
    expect((await people.post('/invitations', { ...body, projectIds: [] })).status).toBe(201);
    expect((await projects.post('/invitations', body)).status).toBe(201);
  });

  it('revokes an invitation, unless it has been accepted', async () => {
    const { world } = tested;
    const { api } = world.admin;
    const open = await invite(world);
    expect((await api.delete<InvitationDto>(`/invitations/${open.id}`)).body).toMatchObject({ id: open.id });
    expect(await ids()).not.toContain(open.id);
    expect((await new Browser(world).open(open.path)).status).toBe(404);
    expect((await api.delete(`/invitations/${open.id}`)).status).toBe(404);
    const accepted = await invite(world);
    await new Browser(world).submit(accepted.path, { ...ACCOUNT, userId: 'revoke.me' });
    const { status, body } = await api.delete(`/invitations/${accepted.id}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ moreInfo: 'invitationId' })]);
  });

  it('records who invites and revokes in the audit log, without the token', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const { id, mailAddress, path } = await invite(world, { projectIds: [project.id] });
    await world.admin.api.delete(`/invitations/${id}`);
    const entries = await auditLogOf(world, 2);
    const subject = { actorName: 'admin', address: '127.0.0.1', subjectId: id, subjectName: mailAddress };
    expect(entries).toEqual([
      expect.objectContaining({
        action: 'invitation.add',
        ...subject,
        changes: [
          { field: 'mailAddress', from: null, to: mailAddress },
          { field: 'roleType', from: null, to: '2' },
          { field: 'projectIds', from: null, to: `[${project.id}]` },
        ],
      }),
      expect.objectContaining({ action: 'invitation.delete', ...subject }),
    ]);
    expect(JSON.stringify(entries)).not.toContain(path.split('/').at(-1));
  });

  it('removes the open invitations of an Administrator who leaves', async () => {
    const { world } = tested;
    const inviter = await world.addUser(RoleType.Administrator);
    const { id } = await invite(world, {}, inviter);
    const other = await invite(world);
    await world.admin.api.delete(`/users/${inviter.id}`);
    const remaining = await ids();
    expect(remaining).toContain(other.id);
    expect(remaining).not.toContain(id);
  });

  it('does not count expired and accepted invitations as open', async () => {
    const { world } = tested;
    const expired = await invite(world);
    await age(expired.id, 8);
    const accepted = await invite(world);
    await new Browser(world).submit(accepted.path, { ...ACCOUNT, userId: 'not.open' });
    const open = await world.service(InvitationsService).listOpen(500);
    expect(open.map(({ id }) => id)).not.toContain(expired.id);
    expect(open.map(({ id }) => id)).not.toContain(accepted.id);
    expect(await ids()).toEqual(expect.arrayContaining([expired.id, accepted.id]));
  });

  it('removes invitations 30 days after they expired, or 90 days after they were accepted', async () => {
    const { world } = tested;
    const [old, expired] = [await invite(world), await invite(world)];
    const [longAgo, recent] = [await invite(world), await invite(world)];
    for (const { path, id } of [longAgo, recent]) {
      await new Browser(world).submit(path, { ...ACCOUNT, userId: `accepted.${id}` });
    }
    await age(old.id, 38);
    await age(expired.id, 36);
    await age(longAgo.id, 91);
    await age(recent.id, 89);
    world.startBackgroundWork();
    await world.whenIdle();
    const remaining = await ids();
    expect(remaining).toEqual(expect.arrayContaining([expired.id, recent.id]));
    expect(remaining).not.toContain(old.id);
    expect(remaining).not.toContain(longAgo.id);
  });
});
