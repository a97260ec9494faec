import { RoleType } from '../../src/access/role-type';
import { aTimestamp } from '../support/shapes';
import { useWorld } from '../support/world';

describe('the space', () => {
  const tested = useWorld();

  const ownerId = async (): Promise<unknown> =>
    (await tested.world.admin.api.get<{ ownerId: number }>('/space')).body.ownerId;

  it('is shown with every field and no other', async () => {
    const person = await tested.world.addUser(RoleType.GuestViewer);
    const { status, body } = await person.api.get('/space');
    expect(status).toBe(200);
    expect(body).toEqual({
      spaceKey: 'space',
      name: 'Space',
      ownerId: tested.world.admin.id,
      lang: 'en',
      timezone: 'UTC',
      reportSendTime: '08:00:00',
      textFormattingRule: 'markdown',
      created: aTimestamp,
      updated: body.created,
    });
  });

  it('goes to another Administrator when its owner is one no longer', async () => {
    const { world } = tested;
    const second = await world.addUser(RoleType.Administrator);
    const third = await world.addUser(RoleType.Administrator);
    const demote = (id: number) => third.api.patch(`/users/${id}`, { roleType: RoleType.NormalUser });
    expect((await demote(world.admin.id)).status).toBe(200);
    expect(await ownerId()).toBe(second.id);
    expect((await third.api.delete(`/users/${second.id}`)).status).toBe(200);
    expect(await ownerId()).toBe(third.id);
  });
});
