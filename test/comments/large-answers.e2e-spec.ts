import { CommentsService } from '../../src/comments/comments.service';
import { NotificationReason } from '../../src/comments/notification-reason';
import { NotificationsService } from '../../src/comments/notifications.service';
import { JsonWriter } from '../../src/http/response/json-writer';
import { RoleType } from '../../src/access/role-type';
import { UsersService } from '../../src/users/users.service';
import { RawConnection } from '../support/raw-connection';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const COUNT = 50;
/** The longest that is taken; three bytes a letter. */
const DESCRIPTION = 'あ'.repeat(100_000);

describe('large answers', () => {
  const tested = useWorld({ ANSWER_MEMORY_PER_USER: '1000', PROGRESS_TIMEOUT: '2' });
  let project: ProjectFixture;
  let person: Person;
  let bystander: Person;
  const opened: RawConnection[] = [];

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    person = await world.addMember(project);
    bystander = await world.addMember(project);
    await world.admin.api.patch(`/issues/${project.issueKey}`, { description: DESCRIPTION });
    // Each says the whole issue again: 15 MB of 300 kB.
    await world.write(async (manager) => {
      for (let index = 0; index < COUNT; index++) {
        await manager.query(
          `INSERT INTO notification (project_id, thread_id, user_id, sender_id, reason, already_read,
            resource_already_read, created) VALUES (?, ?, ?, ?, 2, ?, ?, ?)`,
          [project.id, project.issueThreadId, person.id, bystander.id, false, false, Date.now()],
        );
      }
    });
  });

  afterEach(() => {
    for (const { socket } of opened.splice(0)) socket.destroy();
  });

  async function ask(user: Person): Promise<RawConnection> {
    const connection = await RawConnection.open(tested.world.server.baseUrl);
    opened.push(connection);
    return connection.send(
      `GET /api/v2/notifications?count=${COUNT} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${user.key}\r\n\r\n`,
    );
  }

  it('are whole, and nobody is asked to take them at once', async () => {
    const { headers, body } = await person.api.get<{ issue: { description: string } }[]>(
      `/notifications?count=${COUNT}`,
    );
    expect(headers.has('content-length')).toBe(false);
    expect(body).toHaveLength(COUNT);
    expect(body.every(({ issue }) => issue.description === DESCRIPTION)).toBe(true);
  });

  it('have all that many people were told, by comment and in order', async () => {
    const { world } = tested;
    const PEOPLE = 700;
    const fixture = await world.addProject();
    const commentIds: number[] = [];
    for (let times = 0; times < 4; times++) {
      commentIds.push(await world.addComment(fixture.issueThreadId, world.admin));
    }
    const told = commentIds.slice(0, 3);
    const userIds = await world.write(async (manager) => {
      const added: number[] = [];
      for (let index = 0; index < PEOPLE; index++) {
        const mailAddress = `told${index}@example.com`;
        added.push(
          await world.service(UsersService).add(manager, {
            userId: `told${index}`,
            name: `Told ${index}`,
            roleType: RoleType.Viewer,
            mailAddress,
          }),
        );
      }
      const about = {
        projectId: fixture.id,
        threadId: fixture.issueThreadId,
        senderId: world.admin.id,
        reason: NotificationReason.IssueCommented,
      };
      for (const id of told) {
        await world.service(NotificationsService).addForComment(manager, added, about, id);
      }
      return added;
    });
    const { body } = await world.admin.api.get<
      { id: number; notifications: { id: number; user: { id: number } }[] }[]
    >(`/issues/${fixture.issueKey}/comments?order=asc`);
    expect(body.map(({ id }) => id)).toEqual(commentIds);
    expect(body.map(({ notifications }) => notifications.map(({ user }) => user.id))).toEqual([
      userIds,
      userIds,
      userIds,
      [],
    ]);

    // One after the other, because each can take much memory.
    const comments = world.service(CommentsService) as unknown as {
      toDtosInSlices(...parameters: unknown[]): Promise<unknown>;
    };
    const build = comments.toDtosInSlices.bind(comments);
    let building = 0;
    const most: number[] = [];
    const built = jest.spyOn(comments, 'toDtosInSlices');
    built.mockImplementation((...parameters) => {
      most.push(++building);
      return build(...parameters).finally(() => building--);
    });
    const lists = await Promise.all(
      Array.from({ length: 5 }, () => world.admin.api.get(`/issues/${fixture.issueKey}/comments?order=asc`)),
    );
    built.mockRestore();
    expect(lists.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(most).toHaveLength(5);
    expect(Math.max(...most)).toBe(1);
  });

  it('are made as they are taken; who does not take them gets no more, until the connection is closed', async () => {
    const sent = jest.spyOn(JsonWriter.prototype, 'send');
    const connection = await ask(person);
    connection.stopReading();
    while ((await person.api.get('/users/myself')).status !== 429);
    const { status, headers, body: errors } = await person.api.get('/users/myself');
    expect([status, headers.get('retry-after')]).toEqual([429, '5']);
    expect(errors).toEqual({ errors: [{ code: 13, message: 'Too many requests.', moreInfo: '' }] });
    const comments = `/issues/${project.issueKey}/comments`;
    expect((await person.api.post(comments, { content: 'One too many' })).status).toBe(429);
    expect(JSON.stringify((await bystander.api.get(comments)).body)).not.toContain('One too many');
    expect((await tested.world.anonymous.get('/users/myself')).status).toBe(401);

    // Without progress it is closed, and all is forgotten.
    for (const { value } of sent.mock.results) await value;
    sent.mockRestore();
    expect((await person.api.get('/users/myself')).status).toBe(200);
  });
});
