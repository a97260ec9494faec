import { World, pullRequestComments } from './support/world';

describe('smoke', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  it('lists', async () => {
    const project = await world.addProject();
    const member = await world.addMember(project);
    await world.addComment(project.pullRequestThreadId, member);
    const answer = await member.api.get(pullRequestComments(project));
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(1);
    expect((await member.api.upload('hello')).body).toEqual({ id: 1, name: 'file.txt', size: 5 });
  });
});
