import { get } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type MockInstance } from 'vitest';
import { CommentBuilderService } from '../../src/comments/comment-builder.service';
import { UserTurns } from '../../src/event-loop/user-turns';
import { ClientGoneError } from '../../src/http/server/client-signal';
import { JsonWriter } from '../../src/http/response/json-writer';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { NotificationsService } from '../../src/notifications/notifications.service';
import { RoleType } from '../../src/access/role-type';
import { UsersService } from '../../src/users/users.service';
import { RawConnection } from '../support/raw-connection';
import { statementsOf } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const COUNT = 50;
/** The longest text accepted, at three bytes per letter. */
const DESCRIPTION = 'あ'.repeat(100_000);

describe('a large response', () => {
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
    // Each contains the whole issue again: 15 MB, each of 300 kB.
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

  it('arrives complete, without Content-Length', async () => {
    const { headers, body } = await person.api.get<{ issue: { description: string } }[]>(
      `/notifications?count=${COUNT}`,
    );
    expect(headers.has('content-length')).toBe(false);
    expect(body).toHaveLength(COUNT);
    expect(body.every(({ issue }) => issue.description === DESCRIPTION)).toBe(true);
  });

  describe('with comments that notify many users', () => {
    const PEOPLE = 700;
    let fixture: ProjectFixture;
    let greedy: Person;
    let commentIds: number[];
    let userIds: number[];

    beforeAll(async () => {
      const { world } = tested;
      fixture = await world.addProject();
      greedy = await world.addMember(fixture);
      await world.join(fixture, bystander);
      commentIds = [];
      for (let times = 0; times < 4; times++) {
        commentIds.push(await world.addComment(fixture.issueThreadId, world.admin));
      }
      userIds = await world.write(async (manager) => {
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
        for (const id of commentIds.slice(0, 3)) {
          await world.service(NotificationsService).addForComment(manager, added, about, id);
        }
        return added;
      });
    });
    afterEach(() => vi.restoreAllMocks());

    const path = (): string => `/issues/${fixture.issueKey}/comments?order=asc`;

    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await setImmediate();
    };

    /** Holds each list until the test releases it; lists that wait for their turn are not included. */
    function holdLists(): { built: (() => void)[]; turns: MockInstance } {
      const comments = tested.world.service(CommentBuilderService) as unknown as {
        buildInSlices(...parameters: unknown[]): Promise<unknown>;
      };
      const build = comments.buildInSlices.bind(comments);
      const built: (() => void)[] = [];
      vi.spyOn(comments, 'buildInSlices').mockImplementation(async (...parameters) => {
        await new Promise<void>((resolve) => built.push(resolve));
        return build(...parameters);
      });
      return { built, turns: vi.spyOn(UserTurns.prototype, 'run') };
    }

    it('has the notifications of each comment in order', async () => {
      const { body } =
        await tested.world.admin.api.get<
          { id: number; notifications: { id: number; user: { id: number } }[] }[]
        >(path());
      expect(body.map(({ id }) => id)).toEqual(commentIds);
      expect(body.map(({ notifications }) => notifications.map(({ user }) => user.id))).toEqual([
        userIds,
        userIds,
        userIds,
        [],
      ]);
    });

    it('is built one at a time, with users in turn', async () => {
      const { built, turns } = holdLists();
      const answered: string[] = [];
      const ask = async (name: string, { api }: Person): Promise<number> => {
        const { status } = await api.get(path());
        answered.push(name);
        return status;
      };
      const requests: Promise<number>[] = [];
      const asked = [
        ['first', greedy],
        ['second', greedy],
        ['third', greedy],
        ['bystander', bystander],
      ] as const;
      for (const [name, person] of asked) {
        requests.push(ask(name, person));
        await until(() => turns.mock.calls.length === requests.length);
      }
      for (let count = 1; count <= 4; count++) {
        await until(() => built.length === count && answered.length === count - 1);
        // No other build begins before this one has ended.
        for (let times = 0; times < 5; times++) await setImmediate();
        expect(built).toHaveLength(count);
        built.at(-1)?.();
      }
      expect(await Promise.all(requests)).toEqual([200, 200, 200, 200]);
      expect(answered).toEqual(['first', 'second', 'bystander', 'third']);
    });

    it('is refused with 429 when its user has ten waiting, and dropped with its client', async () => {
      const { built, turns } = holdLists();
      const first = greedy.api.get(path());
      await until(() => built.length === 1);
      // Not `fetch`, which opens another connection when one is lost.
      const waiting = Array.from({ length: 10 }, () =>
        get(`${tested.world.server.baseUrl}${path()}`, {
          agent: false,
          headers: { 'X-API-Key': greedy.key },
        }).on('error', () => undefined),
      );
      await until(() => turns.mock.calls.length === 11);
      const refused = await greedy.api.get(path());
      expect([refused.status, refused.body]).toEqual([429, errorShape(13)]);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      for (const request of waiting) request.destroy();
      for (const { value } of turns.mock.results.slice(1, 11)) {
        await expect(value as Promise<unknown>).rejects.toBeInstanceOf(ClientGoneError);
      }
      const last = bystander.api.get(path());
      await until(() => turns.mock.calls.length === 13);
      built[0]?.();
      expect((await first).status).toBe(200);
      await until(() => built.length === 2);
      built[1]?.();
      expect((await last).status).toBe(200);
    });

    it('is not built to its end for a disconnected client', async () => {
      const { built, turns } = holdLists();
      const request = get(`${tested.world.server.baseUrl}${path()}`, {
        agent: false,
        headers: { 'X-API-Key': greedy.key },
      }).on('error', () => undefined);
      await until(() => built.length === 1);
      const statements = await statementsOf(tested.world, async () => {
        request.destroy();
        const [turn] = turns.mock.results;
        await expect(turn?.value as Promise<unknown>).rejects.toBeInstanceOf(ClientGoneError);
        built[0]?.();
        const next = bystander.api.get(path());
        await until(() => built.length === 2);
        built[1]?.();
        expect((await next).status).toBe(200);
      });
      const read = statements.filter((sql) => sql.includes('UNION ALL'));
      // Those of the bystander: the check for many, and two slices of two comments.
      expect(read).toHaveLength(3);
    });
  });

  it('causes 429 for a user who stops reading, until its connection is closed', async () => {
    const sent = vi.spyOn(JsonWriter.prototype, 'send');
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

    // Without progress the connection is closed, and its memory is released.
    for (const { value } of sent.mock.results) await value;
    sent.mockRestore();
    expect((await person.api.get('/users/myself')).status).toBe(200);
  });
});
