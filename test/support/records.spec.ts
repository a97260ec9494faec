import { everythingStored } from './records';
import { World } from './world';

describe(everythingStored.name, () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it('returns the same rows until one is written', async () => {
    const before = await everythingStored(world);
    expect(await everythingStored(world)).toEqual(before);
    const { id } = await world.addUser();
    const added = await everythingStored(world);
    expect(added).not.toEqual(before);
    await world.write((manager) => manager.query("UPDATE user SET name = 'Other' WHERE id = ?", [id]));
    const renamed = await everythingStored(world);
    expect(renamed.user).toContainEqual(expect.objectContaining({ id, name: 'Other' }));
    expect(renamed).not.toEqual(added);
  });

  it('ignores the last use of a key', async () => {
    const person = await world.addUser();
    const before = await everythingStored(world);
    expect((await person.api.get('/users/myself')).status).toBe(200);
    expect(await everythingStored(world)).toEqual(before);
  });
});
