import { RoleType } from '../../src/access/role-type';
import { ApiKeysService } from '../../src/users/api-keys.service';
import { UsersService } from '../../src/users/users.service';
import { signedIn } from '../support/sessions';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const { Administrator, NormalUser } = RoleType;

describe('a former Administrator whom the process still knows as one', () => {
  const tested = useWorld();
  let former: Person;
  let user: Person;
  let project: ProjectFixture;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    former = await world.addMember(project, Administrator);
    user = await world.addUser();
    expect((await former.api.get('/users/myself')).status).toBe(200);
  });
  afterEach(() => vi.restoreAllMocks());

  /** Takes the role away as another process does. */
  const demote = (): Promise<unknown> =>
    tested.world.dataSource.query('UPDATE user SET role_type = ? WHERE id = ?', [NormalUser, former.id]);

  it.each<[string, string, () => string, object | undefined]>([
    ['taking the role back', 'PATCH', () => `/users/${former.id}`, { roleType: Administrator }],
    ['giving the role to others', 'PATCH', () => `/users/${user.id}`, { roleType: Administrator }],
    ['disabling others', 'PATCH', () => `/users/${user.id}`, { enabled: false }],
    ['moving the letters of others', 'PATCH', () => `/users/${user.id}`, { mailAddress: 'me@example.com' }],
    ['removing others', 'DELETE', () => `/users/${user.id}`, undefined],
    ['making keys of others', 'POST', () => `/users/${tested.world.admin.id}/apiKeys`, { name: 'mine' }],
    ['making links of others', 'POST', () => `/users/${tested.world.admin.id}/passwordLink`, undefined],
    ['adding users', 'POST', () => '/users', {}],
    ['adding projects', 'POST', () => '/projects', { name: 'Mine', key: 'MINE' }],
    ['deleting projects', 'DELETE', () => `/projects/${project.key}`, undefined],
    ['adding webhooks', 'POST', () => `/projects/${project.key}/webhooks`, {}],
    ['adding git repositories', 'POST', () => `/projects/${project.key}/git/repositories`, { name: 'mine' }],
    ['changing the notification of the space', 'PUT', () => '/space/notification', { content: 'Mine' }],
    ['removing the icon of the space', 'DELETE', () => '/space/image', undefined],
    ['adding identity providers', 'POST', () => '/space/identityProviders', {}],
    ['sending test letters', 'POST', () => '/space/mail/test', {}],
    ['adding teams', 'POST', () => '/teams', { name: 'Mine' }],
    ['inviting people', 'POST', () => '/invitations', {}],
    ['importing issues', 'POST', () => '/issues/import', {}],
  ])('gets 403 for %s', async (_what, method, path, body) => {
    await demote();
    const { status, body: answer } = await former.api.send(method, path(), body);
    expect([status, answer]).toEqual([403, errorShape(5)]);
  });

  it.each<[string, string, () => string, object | undefined]>([
    ['disabling others', 'PATCH', () => `/users/${user.id}`, { enabled: false }],
    ['removing others', 'DELETE', () => `/users/${user.id}`, undefined],
    ['making keys of others', 'POST', () => `/users/${user.id}/apiKeys`, { name: 'mine' }],
    ['making links of others', 'POST', () => `/users/${user.id}/passwordLink`, undefined],
  ])('gets 403 for %s if they lose the role after the request was admitted', async (...given) => {
    const [, method, path, body] = given;
    const users = tested.world.service(UsersService);
    const lock = users.lock.bind(users);
    vi.spyOn(users, 'lock').mockImplementationOnce(async (manager, id) => {
      await manager.query('UPDATE user SET role_type = ? WHERE id = ?', [NormalUser, former.id]);
      await lock(manager, id);
    });
    const { status, body: answer } = await former.api.send(method, path(), body);
    expect([status, answer]).toEqual([403, errorShape(5)]);
  });

  it('adds items only to custom fields that let members add them', async () => {
    const fields = `/projects/${project.key}/customFields`;
    const add = async (allowAddItem: boolean): Promise<number> => {
      const field = { typeId: 5, name: `List ${allowAddItem}`, items: ['A'], allowAddItem };
      return (await tested.world.admin.api.post<{ id: number }>(fields, field)).body.id;
    };
    const [open, reserved] = [await add(true), await add(false)];
    const addItem = (id: number) => former.api.post(`${fields}/${id}/items`, { name: 'B' });
    await demote();
    const { status, body } = await addItem(reserved);
    expect([status, body]).toEqual([403, errorShape(5)]);
    expect((await addItem(open)).status).toBe(200);
  });

  it('gets 403 for a form of a page for Administrators', async () => {
    const browser = await signedIn(tested.world, former.id);
    expect((await browser.open('/account/invitations')).status).toBe(200);
    await demote();
    expect((await browser.submit('/account/invitations', {})).status).toBe(403);
  });

  it('gets 401 for a change with a key that another process has revoked', async () => {
    await tested.world.dataSource.query('DELETE FROM api_key WHERE user_id = ?', [former.id]);
    const { status } = await former.api.put('/space/notification', { content: 'Mine' });
    expect(status).toBe(401);
    expect((await former.api.get('/users/myself')).status).toBe(401);
  });

  it('is read again only for what Administrators alone may change', async () => {
    const authenticate = vi.spyOn(tested.world.service(ApiKeysService), 'authenticate');
    const readsAnew = async (send: () => Promise<unknown>): Promise<boolean> => {
      authenticate.mockClear();
      await send();
      return authenticate.mock.calls.some(([, , isAnew]) => isAnew);
    };
    const read = () => former.api.get('/space/notification');
    const comment = () => former.api.post(`/issues/${project.issueKey}/comments`, { content: 'Hello' });
    const change = () => former.api.put('/space/notification', { content: 'Hello' });
    expect([await readsAnew(read), await readsAnew(comment), await readsAnew(change)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('changes their own name as before', async () => {
    await demote();
    const { status } = await former.api.patch(`/users/${former.id}`, { name: 'Robin' });
    expect(status).toBe(200);
  });
});
