import { CommentsService } from '../src/comments/comments.service';
import { NotificationReason } from '../src/comments/notification-reason';
import { UsersService } from '../src/users/users.service';
import { statementsOf } from './support/records';
import { type ProjectFixture, pullRequestComments, World } from './support/world';

const COMMENTS = 100;

describe('the number of SQL statements', () => {
  let world: World;
  let project: ProjectFixture;

  beforeAll(async () => {
    // Nothing is to be looked for in between.
    world = await World.start({ WEBHOOK_POLL_INTERVAL: '60000' });
    project = await world.addProject();
    for (let number = 0; number < COMMENTS; number++) {
      // Everything about each comment differs, so that nothing can be read once for all.
      const [author, reader] = [await world.addMember(project), await world.addMember(project)];
      const id = await world.addComment(project.pullRequestThreadId, author);
      await world.write(async (manager) => {
        const users = await world.service(UsersService).findByIds([reader.id], manager);
        const reason = NotificationReason.PullRequestCommented;
        await world.service(CommentsService).notify(manager, id, [...users.values()], reason);
      });
    }
    // The first request of a user is a use of the account, which is written down.
    await world.admin.api.get('/users/myself');
  });
  afterAll(() => world.stop());

  const statementsFor = async (count: number): Promise<number> => {
    let read = 0;
    const statements = await statementsOf(world, async () => {
      const answer = await world.admin.api.get(`${pullRequestComments(project)}?count=${count}`);
      read = answer.body.length;
    });
    expect(read).toBe(count);
    // Whose key it is, is remembered for a moment, and may have to be asked again at any time.
    return statements.filter((statement) => !statement.includes('FROM api_key')).length;
  };

  it('of a list is the same for 1 and for 100 comments', async () => {
    const one = await statementsFor(1);
    const hundred = await statementsFor(COMMENTS);
    expect(one).toBeGreaterThan(1);
    expect(hundred).toBe(one);
    expect(one).toBeLessThanOrEqual(8);
  });

  it('of a comment is the same whether it notifies 1 or 100', async () => {
    const members = await world.dataSource.query<{ id: number }[]>(
      'SELECT user_id AS id FROM project_member WHERE project_id = ? ORDER BY user_id',
      [project.id],
    );
    const statementsFor = (count: number): Promise<string[]> =>
      statementsOf(world, async () => {
        const { status } = await world.admin.api.post(`/issues/${project.issueKey}/comments`, {
          content: 'Hello',
          notifiedUserId: members.slice(0, count).map(({ id }) => id),
        });
        expect(status).toBe(201);
      });
    expect((await statementsFor(100)).length).toBe((await statementsFor(1)).length);
  });
});
