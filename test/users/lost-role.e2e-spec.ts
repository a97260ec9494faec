import { RoleType } from '../../src/access/role-type';
import { errorShape } from '../support/shapes';
import { type Person, useWorld } from '../support/world';

const { Administrator, NormalUser } = RoleType;

describe('a former Administrator whom the process still knows as one', () => {
  const tested = useWorld();
  let former: Person;
  let user: Person;

  beforeEach(async () => {
    const { world } = tested;
    former = await world.addUser(Administrator);
    user = await world.addUser();
    expect((await former.api.get('/users/myself')).status).toBe(200);
    // As another process takes the role away.
    await world.dataSource.query('UPDATE user SET role_type = ? WHERE id = ?', [NormalUser, former.id]);
  });

  it.each<[string, string, () => string, object | undefined]>([
    ['taking the role back', 'PATCH', () => `/users/${former.id}`, { roleType: Administrator }],
    ['giving the role to others', 'PATCH', () => `/users/${user.id}`, { roleType: Administrator }],
    ['disabling others', 'PATCH', () => `/users/${user.id}`, { enabled: false }],
    ['moving the letters of others', 'PATCH', () => `/users/${user.id}`, { mailAddress: 'me@example.com' }],
    ['removing others', 'DELETE', () => `/users/${user.id}`, undefined],
    ['making keys of others', 'POST', () => `/users/${tested.world.admin.id}/apiKeys`, { name: 'mine' }],
    ['making links of others', 'POST', () => `/users/${tested.world.admin.id}/passwordLink`, undefined],
  ])('gets 403 for %s', async (_what, method, path, body) => {
    const { status, body: answer } = await former.api.send(method, path(), body);
    expect([status, answer]).toEqual([403, errorShape(5)]);
  });

  it('changes their own name as before', async () => {
    const { status } = await former.api.patch(`/users/${former.id}`, { name: 'Robin' });
    expect(status).toBe(200);
  });
});
