import { COMMAND_LINE } from '../../src/audit-log/actor';
import { UserAccountsService } from '../../src/users/user-accounts.service';
import { ApiKeysService } from '../../src/users/api-keys.service';
import { RoleType } from '../../src/access/role-type';
import { type UserDto } from '../../src/users/dto/user.dto';
import { ApiClient } from '../support/api';
import { everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const { Administrator, NormalUser, Reporter, Viewer } = RoleType;
const PASSWORD = 'correct horse battery staple';
const aVendorId: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('the users of the space', () => {
  const tested = useWorld();
  let project: ProjectFixture;

  beforeAll(async () => {
    project = await tested.world.addProject();
  });

  const newUser = (fields: object = {}) => ({
    userId: tested.world.uniqueName('robin').replace(' ', '-'),
    password: PASSWORD,
    name: 'Robin Reporter',
    mailAddress: 'robin@example.com',
    roleType: Reporter,
    ...fields,
  });

  const stored = async (id: number) => {
    const [row] = await tested.world.dataSource.query<[Record<string, unknown>]>(
      'SELECT * FROM user WHERE id = ?',
      [id],
    );
    return row as Record<string, unknown> | undefined;
  };

  const listed = async (): Promise<number[]> =>
    (await tested.world.admin.api.get<UserDto[]>('/users')).body.map(({ id }) => id);

  const count = async (table: string, person: Pick<Person, 'id'>): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM ${table} WHERE user_id = ?`,
      [person.id],
    );
    return Number(row.count);
  };

  describe('POST /users', () => {
    it('returns the user with a vendor account and adds them to the list', async () => {
      const { admin } = tested.world;
      const fields = newUser({ name: '  Robin Reporter ', mailAddress: 'robin@example.com' });
      const { status, body, headers } = await admin.api.post('/users', fields);
      expect(status).toBe(201);
      const { origin } = new URL(tested.world.server.baseUrl);
      expect(headers.get('location')).toBe(`${origin}/user/${body.id}`);
      expect(body).toEqual({
        id: anId,
        userId: fields.userId,
        name: 'Robin Reporter',
        roleType: Reporter,
        lang: 'en',
        mailAddress: 'robin@example.com',
        lastLoginTime: aTimestamp,
        vendorAccount: { vendorId: aVendorId, name: 'Robin Reporter', uniqueId: fields.userId },
      });
      expect((await admin.api.get('/users')).body).toContainEqual(body);
      expect((await admin.api.get(`/users/${body.id}`)).body).toEqual(body);
    });

    it('stores only a hash of the password', async () => {
      const { body } = await tested.world.admin.api.post('/users', newUser());
      expect((await stored(body.id))?.password_hash).toMatch(/^scrypt\$\d+\$8\$1\$[\w-]+\$[\w-]+$/);
      expect(JSON.stringify(await everythingStored(tested.world))).not.toContain(PASSWORD);
    });

    it.each<[string, object]>([
      ['userId', { userId: '' }],
      ['userId', { userId: 'two words' }],
      ['userId', { userId: '-first' }],
      ['userId', { userId: 'line\n' }],
      ['userId', { userId: 'x'.repeat(256) }],
      ['userId', { userId: 'ä' }],
      ['userId', { userId: undefined }],
      ['password', { password: '1234567' }],
      ['password', { password: 'x'.repeat(256) }],
      ['password', { password: 12345678 }],
      ['password', { password: undefined }],
      ['name', { name: '  ' }],
      ['name', { name: 'x'.repeat(256) }],
      ['mailAddress', { mailAddress: 'nobody' }],
      ['mailAddress', { mailAddress: 'a b@example.com' }],
      ['mailAddress', { mailAddress: `${'x'.repeat(251)}@x.de` }],
      ['mailAddress', { mailAddress: undefined }],
      ['roleType', { roleType: 0 }],
      ['roleType', { roleType: 7 }],
      ['roleType', { roleType: undefined }],
      ['lang', { lang: 'en' }],
    ])('refuses an invalid %s: %j', async (field, fields) => {
      const { world } = tested;
      await expectRefused(world, () => world.admin.api.post('/users', newUser(fields)), [field]);
    });

    it.each([[{ userId: 'x'.repeat(255) }], [{ userId: '7' }], [{ userId: 'r.o_b-i+n@example.com' }]])(
      'accepts %j',
      async (fields) => {
        const { status } = await tested.world.admin.api.post('/users', newUser(fields));
        expect(status).toBe(201);
      },
    );

    it('refuses a userId that another user has', async () => {
      const { world } = tested;
      const { body } = await world.admin.api.post('/users', newUser());
      const send = () => world.admin.api.post('/users', newUser({ userId: body.userId }));
      await expectRefused(world, send, ['userId']);
    });

    it('restores a former user with the same id, without keys or memberships', async () => {
      const { world } = tested;
      const { admin } = world;
      const { body: before } = await admin.api.post('/users', newUser());
      const path = `/users/${before.id}`;
      const { body: apiKey } = await admin.api.post(`${path}/apiKeys`, { name: 'Old' });
      await world.join(project, before, true);
      await world.addComment(project.issueThreadId, before);
      expect((await admin.api.delete(path)).status).toBe(200);
      const fields = newUser({ userId: before.userId, name: 'Back again', roleType: Reporter });
      const { status, body } = await admin.api.post('/users', fields);
      expect(status).toBe(201);
      expect(body).toMatchObject({ id: before.id, name: 'Back again', roleType: Reporter });
      expect(body.vendorAccount).toEqual({ ...before.vendorAccount, name: 'Back again' });
      expect((await admin.api.get<{ id: number }[]>('/users')).body.map(({ id }) => id)).toContain(before.id);
      expect((await new ApiClient(world.server.baseUrl, apiKey.key).get('/users/myself')).status).toBe(401);
      expect([await count('api_key', before), await count('project_member', before)]).toEqual([0, 0]);
    });

    it('accepts one of two simultaneous requests with the same userId', async () => {
      const fields = newUser();
      const answers = await Promise.all([1, 2].map(() => tested.world.admin.api.post('/users', fields)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    });

    it('returns no password in an error', async () => {
      const answer = await tested.world.admin.api.post('/users', newUser({ roleType: 9 }));
      expect(answer.text).not.toContain(PASSWORD);
    });
  });

  describe('GET /users and GET /users/{userId}', () => {
    it('lists active users ordered by id', async () => {
      const { world } = tested;
      const person = await world.addUser();
      const ids = await listed();
      expect(ids).toContain(person.id);
      expect(ids).toEqual([...ids].sort((one, other) => one - other));
      await world.addComment(project.issueThreadId, person);
      await world.admin.api.delete(`/users/${person.id}`);
      expect(await listed()).toEqual(ids.filter((id) => id !== person.id));
    });

    it('answers administrators of a project until it is deleted', async () => {
      const { world } = tested;
      const place = await world.addProject();
      const person = await world.addMember(place, Viewer, true);
      expect((await person.api.get('/users')).status).toBe(200);
      expect((await world.admin.api.delete(`/projects/${place.key}`)).status).toBe(200);
      expect((await person.api.get('/users')).status).toBe(403);
    });

    it('shows any user to a Viewer', async () => {
      const { world } = tested;
      const [person, other] = [await world.addUser(Viewer), await world.addUser()];
      const { status, body } = await person.api.get(`/users/${other.id}`);
      expect(status).toBe(200);
      expect(body).toEqual(userShape(other));
    });
  });

  describe('PATCH /users/{userId}', () => {
    it('changes only the given fields, and the name of the vendor account', async () => {
      const { world } = tested;
      const { id, api } = await world.addUser();
      const { body: before } = await api.get<UserDto>(`/users/${id}`);
      const change = { name: 'Robin', mailAddress: 'new@example.com', roleType: Viewer };
      const { status, body } = await world.admin.api.patch(`/users/${id}`, change);
      expect(status).toBe(200);
      expect(body).toEqual({
        ...before,
        ...change,
        vendorAccount: { ...before.vendorAccount, name: 'Robin' },
      });
      expect((await api.get(`/users/${id}`)).body).toEqual(body);
      expect((await world.admin.api.patch(`/users/${id}`, {})).body).toEqual(body);
    });

    it('replaces the password', async () => {
      const { world } = tested;
      const { body } = await world.admin.api.post('/users', newUser());
      const before = (await stored(body.id))?.password_hash;
      await world.admin.api.patch(`/users/${body.id}`, { password: 'another password' });
      expect((await stored(body.id))?.password_hash).not.toBe(before);
    });

    it('lets users change themselves but not their role', async () => {
      const { world } = tested;
      const person = await world.addUser(Viewer);
      const own = `/users/${person.id}`;
      const { status, body } = await person.api.patch(own, { name: 'I', password: 'my password' });
      expect([status, body.name]).toEqual([200, 'I']);
      const before = await everythingStored(world);
      const refused = await person.api.patch(own, { name: 'X', roleType: Administrator });
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual(errorShape(5));
      expect(await everythingStored(world)).toEqual(before);
    });

    it.each<[string, object]>([
      ['name', { name: '' }],
      ['name', { name: null }],
      ['password', { password: 'short' }],
      ['mailAddress', { mailAddress: null }],
      ['roleType', { roleType: '9' }],
      ['userId', { userId: 'another' }],
      ['enabled', { enabled: null }],
      ['enabled', { enabled: 'no' }],
    ])('refuses an invalid %s: %j', async (field, fields) => {
      const { world } = tested;
      const { id } = await world.addUser();
      await expectRefused(world, () => world.admin.api.patch(`/users/${id}`, fields), [field]);
    });

    it('applies a new role to keys in use', async () => {
      const { world } = tested;
      const person = await world.addUser();
      const add = () => person.api.post('/users', newUser());
      expect((await add()).status).toBe(403);
      await world.admin.api.patch(`/users/${person.id}`, { roleType: Administrator });
      expect((await add()).status).toBe(201);
      await world.admin.api.patch(`/users/${person.id}`, { roleType: Viewer });
      expect((await add()).status).toBe(403);
    });
  });

  describe('DELETE /users/{userId}', () => {
    it('erases a user without content', async () => {
      const { world } = tested;
      const person = await world.addMember(project);
      expect((await person.api.get('/users/myself')).status).toBe(200);
      const { status, body } = await world.admin.api.delete(`/users/${person.id}`);
      expect(status).toBe(200);
      expect(body).toEqual(userShape(person));
      expect(await stored(person.id)).toBeUndefined();
      expect([await count('api_key', person), await count('project_member', person)]).toEqual([0, 0]);
      expect((await world.admin.api.get(`/users/${person.id}`)).status).toBe(404);
      expect((await world.admin.api.delete(`/users/${person.id}`)).status).toBe(404);
    });

    it('keeps the author of content without password, keys and memberships', async () => {
      const { world } = tested;
      const { body: added } = await world.admin.api.post<UserDto>('/users', newUser());
      const person = { ...(await world.addUser()), id: added.id, name: added.name };
      await world.join(project, person, true);
      await world.addComment(project.issueThreadId, person);
      const { status, body } = await world.admin.api.delete(`/users/${person.id}`);
      expect(status).toBe(200);
      expect(body).toEqual(added);
      expect(await stored(person.id)).toMatchObject({ active: 0, password_hash: null });
      expect([await count('api_key', person), await count('project_member', person)]).toEqual([0, 0]);
      expect((await world.admin.api.get(`/users/${person.id}`)).body).toEqual(added);
    });

    it.each(['erased', 'kept'])('invalidates at once the keys of a user who is %s', async (how) => {
      const { world } = tested;
      const person = await world.addMember(project);
      if (how === 'kept') await world.addComment(project.issueThreadId, person);
      expect((await person.api.get('/users/myself')).status).toBe(200);
      await world.admin.api.delete(`/users/${person.id}`);
      expect((await person.api.get('/users/myself')).status).toBe(401);
    });

    it('answers 404 for a user kept as an author, and refuses them as a member', async () => {
      const { world } = tested;
      const person = await world.addUser(Administrator);
      await world.addComment(project.issueThreadId, person);
      await world.admin.api.delete(`/users/${person.id}`);
      const path = `/users/${person.id}`;
      for (const answer of [
        await world.admin.api.delete(path),
        await world.admin.api.patch(path, { name: 'X' }),
        await world.admin.api.get(`${path}/apiKeys`),
        await world.admin.api.post(`${path}/apiKeys`, { name: 'X' }),
      ]) {
        expect(answer.status).toBe(404);
      }
      const users = `/projects/${project.key}/users`;
      await expectRefused(world, () => world.admin.api.post(users, { userId: person.id }), ['userId']);
      const comment = { content: 'Hello', notifiedUserId: [person.id] };
      const comments = `/issues/${project.issueKey}/comments`;
      await expectRefused(world, () => world.admin.api.post(comments, comment), ['notifiedUserId']);
    });

    it('refuses to delete the caller', async () => {
      const { world } = tested;
      await world.addUser(Administrator);
      await expectRefused(world, () => world.admin.api.delete(`/users/${world.admin.id}`), ['userId']);
    });
  });
});

/** Its only Administrator is that of the first start, also after each test but the last. */
const tested = useWorld();

describe('the last Administrator', () => {
  it('keeps the role of Administrator', async () => {
    const { world } = tested;
    const { admin } = world;
    const demote = () => admin.api.patch(`/users/${admin.id}`, { roleType: NormalUser });
    await expectRefused(world, demote, ['roleType']);
    expect((await admin.api.patch(`/users/${admin.id}`, { roleType: Administrator })).status).toBe(200);
  });

  it('keeps the role when the only other Administrator has left the space', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const former = await world.addUser(Administrator);
    await world.addComment(project.issueThreadId, former);
    await world.admin.api.delete(`/users/${former.id}`);
    const demote = () => world.admin.api.patch(`/users/${world.admin.id}`, { roleType: NormalUser });
    await expectRefused(world, demote, ['roleType']);
  });

  it('keeps the role when the only other Administrator has no API key', async () => {
    const { world } = tested;
    const other = await world.addUser(Administrator);
    await world.admin.api.delete(`/users/${other.id}/apiKeys/${await keyIdOf(other)}`);
    const demote = () => world.admin.api.patch(`/users/${world.admin.id}`, { roleType: NormalUser });
    await expectRefused(world, demote, ['roleType']);
    const { body: made } = await world.admin.api.post(`/users/${other.id}/apiKeys`, { name: 'Back' });
    expect((await demote()).status).toBe(200);
    const again = new ApiClient(world.server.baseUrl, made.key);
    await again.patch(`/users/${world.admin.id}`, { roleType: Administrator });
    await world.admin.api.delete(`/users/${other.id}`);
  });

  it('keeps the last API key and can revoke others', async () => {
    const { world } = tested;
    const { admin } = world;
    const path = `/users/${admin.id}/apiKeys`;
    const revoke = async () => admin.api.delete(`${path}/${await keyIdOf(admin)}`);
    const { body: second } = await admin.api.post(path, { name: 'Second' });
    expect((await admin.api.delete(`${path}/${second.id}`)).status).toBe(200);
    await expectRefused(world, revoke, ['apiKeyId']);
    const user = await world.addUser(NormalUser);
    await expectRefused(world, revoke, ['apiKeyId']);
    // All other users may revoke their last key.
    expect((await user.api.delete(`/users/${user.id}/apiKeys/${await keyIdOf(user)}`)).status).toBe(200);
  });

  it('keeps an API key when two Administrators revoke their last ones at once', async () => {
    const { world } = tested;
    for (let round = 0; round < 5; round++) {
      const other = await world.addUser(Administrator);
      const { body: spare } = await world.admin.api.post(`/users/${other.id}/apiKeys`, { name: 'Spare' });
      await world.admin.api.delete(`/users/${other.id}/apiKeys/${spare.id}`);
      const answers = await Promise.all(
        [world.admin, other].map(async (person) =>
          person.api.delete(`/users/${person.id}/apiKeys/${await keyIdOf(person)}`),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      if (answers[0]?.status === 200) {
        await world.write((manager) =>
          world.service(ApiKeysService).add(manager, world.admin.id, world.admin.key, { name: 'First key' }),
        );
      }
      expect((await world.admin.api.delete(`/users/${other.id}`)).status).toBe(200);
    }
  });

  const keyIdOf = async (person: Pick<Person, 'id'>): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ id: number }]>(
      'SELECT MIN(id) AS id FROM api_key WHERE user_id = ?',
      [person.id],
    );
    return row.id;
  };

  it.each(['demoted', 'removed', 'disabled'])(
    'remains when two Administrators are %s by each other at once',
    async (how) => {
      const { world } = tested;
      for (let round = 0; round < 5; round++) {
        const one = await world.addUser(Administrator);
        const other = await world.addUser(Administrator);
        await one.api.patch(`/users/${world.admin.id}`, { roleType: NormalUser });
        const against = (by: Person, whom: Person) => {
          if (how === 'removed') return by.api.delete(`/users/${whom.id}`);
          const change = how === 'demoted' ? { roleType: NormalUser } : { enabled: false };
          return by.api.patch(`/users/${whom.id}`, change);
        };
        await Promise.all([against(one, other), against(other, one)]);
        const [{ count, id }] = await world.dataSource.query<[Record<'count' | 'id', number | string>]>(
          'SELECT COUNT(*) AS count, MIN(id) AS id FROM user WHERE role_type = 1 AND active = 1 AND disabled = 0',
        );
        expect(Number(count)).toBe(1);
        const left = [one, other].find((person) => person.id === Number(id)) as Person;
        await left.api.patch(`/users/${world.admin.id}`, { roleType: Administrator });
        for (const { id: added } of [one, other]) await world.admin.api.delete(`/users/${added}`);
      }
    },
  );
});

describe('a disabled user', () => {
  const accounts = (): UserAccountsService => tested.world.service(UserAccountsService);

  it('gets 401 at once, stays listed, and works again when enabled', async () => {
    const { world } = tested;
    const person = await world.addUser();
    expect((await person.api.get('/users/myself')).status).toBe(200);
    await accounts().disable(COMMAND_LINE, person.id);
    const answer = await person.api.get('/users/myself');
    expect([answer.status, answer.body]).toEqual([401, errorShape(11)]);
    const { body } = await world.admin.api.get<UserDto[]>('/users');
    expect(body.map(({ id }) => id)).toContain(person.id);
    await accounts().enable(COMMAND_LINE, person.id);
    expect((await person.api.get('/users/myself')).status).toBe(200);
  });

  it('is disabled and enabled by Administrators with PATCH /users/{userId}', async () => {
    const { world } = tested;
    const person = await world.addUser();
    const path = `/users/${person.id}`;
    const { body: shown } = await person.api.get<UserDto>(path);
    const answer = await world.admin.api.patch(path, { enabled: false, name: 'Gone' });
    const changed = { ...shown, name: 'Gone', vendorAccount: { ...shown.vendorAccount, name: 'Gone' } };
    expect([answer.status, answer.body]).toEqual([200, changed]);
    expect((await person.api.get('/users/myself')).status).toBe(401);
    expect((await world.admin.api.patch(path, { enabled: false })).status).toBe(200);
    expect((await world.admin.api.patch(path, { enabled: true })).body).toEqual(changed);
    expect((await person.api.get('/users/myself')).status).toBe(200);
  });

  it('appears as disabled to Administrators only', async () => {
    const { world } = tested;
    const person = await world.addUser();
    const path = `/users/${person.id}/account`;
    const account = async (): Promise<unknown> => (await world.admin.api.get(path)).body;
    expect(await account()).toEqual({ enabled: true, lastUsed: null });
    expect((await person.api.get(path)).status).toBe(403);
    expect(await account()).toEqual({ enabled: true, lastUsed: aTimestamp });
    await world.admin.api.patch(`/users/${person.id}`, { enabled: false });
    expect(await account()).toMatchObject({ enabled: false });
    await world.admin.api.delete(`/users/${person.id}`);
    expect((await world.admin.api.get(path)).status).toBe(404);
  });

  it('appears as used when the use was in the millisecond of the creation', async () => {
    const { world } = tested;
    const { id } = await world.addUser();
    const created = '(SELECT created FROM user WHERE id = ?)';
    await world.dataSource.query(`UPDATE api_key SET last_used = ${created} WHERE user_id = ?`, [id, id]);
    const { body } = await world.admin.api.get(`/users/${id}/account`);
    expect(body).toEqual({ enabled: true, lastUsed: aTimestamp });
  });

  it('stays enabled unless another Administrator disables them', async () => {
    const { world } = tested;
    const [person, other] = [await world.addUser(), await world.addUser()];
    const before = await everythingStored(world);
    for (const enabled of [true, false]) {
      const own = await person.api.patch(`/users/${person.id}`, { enabled });
      expect([own.status, own.body]).toEqual([403, errorShape(5)]);
      expect((await person.api.patch(`/users/${other.id}`, { enabled })).status).toBe(403);
    }
    expect(await everythingStored(world)).toEqual(before);
    const another = await world.addUser(Administrator);
    const disable = () => world.admin.api.patch(`/users/${world.admin.id}`, { enabled: false });
    await expectRefused(world, disable, ['enabled']);
    await world.admin.api.delete(`/users/${another.id}`);
  });

  it('gets enabled when added again after leaving', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const person = await world.addMember(project);
    await world.addComment(project.issueThreadId, person);
    const [{ userId } = { userId: '' }] = (await accounts().list()).filter(({ id }) => id === person.id);
    await accounts().disable(COMMAND_LINE, person.id);
    await world.admin.api.delete(`/users/${person.id}`);
    const fields = { name: 'Back', mailAddress: 'back@example.com', roleType: NormalUser };
    await world.admin.api.post('/users', { userId, password: PASSWORD, ...fields });
    expect((await accounts().list()).find(({ id }) => id === person.id)).toMatchObject({ disabled: false });
  });

  it('leaves an enabled Administrator when two are disabled at once', async () => {
    const { world } = tested;
    const other = await world.addUser(Administrator);
    const results = await Promise.allSettled(
      [world.admin, other].map(({ id }) => accounts().disable(COMMAND_LINE, id)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const calls = await Promise.all([world.admin, other].map(({ api }) => api.get('/users/myself')));
    expect(calls.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('a space at its user limit', () => {
  const LIMIT = 4;
  const tested = useWorld({ MAX_USERS: String(LIMIT) });

  const newUser = () => ({
    userId: tested.world.uniqueName('robin').replace(' ', '-'),
    password: PASSWORD,
    name: 'Robin',
    mailAddress: 'robin@example.com',
    roleType: NormalUser,
  });

  it('answers 409 to new users until one leaves, even to simultaneous ones', async () => {
    const { api } = tested.world.admin;
    for (let count = 0; count < LIMIT - 2; count++) await tested.world.addUser();
    const answers = await Promise.all([1, 2, 3].map(() => api.post('/users', newUser())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      errors: [{ code: 9, message: `A space can have at most ${LIMIT} users.`, moreInfo: '' }],
    });
    const { body: users } = await api.get<UserDto[]>('/users');
    expect(users).toHaveLength(LIMIT);
    expect((await api.delete(`/users/${users.at(-1)?.id}`)).status).toBe(200);
    expect((await api.post('/users', newUser())).status).toBe(201);
  });
});
