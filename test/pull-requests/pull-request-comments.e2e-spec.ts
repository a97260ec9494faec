import { insertRow } from '../../src/database/sql/rows';
import { CommentsService } from '../../src/comments/comments.service';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { Star } from '../../src/stars/entities/star.entity';
import { UsersService } from '../../src/users/users.service';
import { pullRequestContent } from '../support/pull-requests';
import { activitiesOf, everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import {
  anId,
  aTimestamp,
  attachmentEntry,
  commentShape,
  errorShape,
  notificationEntry,
  notificationShape,
  userShape,
} from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, World } from '../support/world';

const LONG_AGO = Date.parse('2020-02-29T12:34:56.789Z');

describe('/pullRequests/{number}/comments', () => {
  let world: World;
  let project: ProjectFixture;
  let otherProject: ProjectFixture;
  let author: Person;
  let list: string;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    project = await world.addProject();
    otherProject = await world.addProject();
    author = await world.addMember(project);
    await world.join(otherProject, author);
    list = pullRequestComments(project);
  });

  const addOldComment = async (content = 'Before'): Promise<number> => {
    const id = await world.addComment(project.pullRequestThreadId, author, content);
    await world.dataSource.query('UPDATE comment SET created = ?, updated = ? WHERE id = ?', [
      LONG_AGO,
      LONG_AGO,
      id,
    ]);
    return id;
  };

  describe('GET /pullRequests/{number}/comments', () => {
    it('returns an empty list for a pull request without comments', async () => {
      const answer = await author.api.get(list);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual([]);
    });

    it('lists the comments newest first, each with all of its fields', async () => {
      const reader = await world.addMember(project);
      const first = await world.addComment(project.pullRequestThreadId, author, 'First');
      const second = await world.addComment(project.pullRequestThreadId, world.admin, 'Second');
      await world.addComment(project.issueThreadId, author, 'On an issue');
      await world.write(async (manager) => {
        const users = await world.service(UsersService).findByIds([reader.id], manager);
        const notify = world.service(CommentsService);
        const comment = {
          id: first,
          projectId: project.id,
          threadId: project.pullRequestThreadId,
          senderId: author.id,
        };
        await notify.notify(manager, comment, [...users.values()], NotificationReason.PullRequestCommented);
        await insertRow(manager, Star, {
          commentId: first,
          comment: '',
          url: 'https://example.com/1',
          title: 'A pull request',
          presenterId: reader.id,
          created: LONG_AGO,
        });
      });
      const { status, body } = await reader.api.get(list);
      expect(status).toBe(200);
      expect(body).toEqual([
        commentShape(world.admin, { id: second, content: 'Second' }),
        commentShape(author, {
          id: first,
          content: 'First',
          notifications: [notificationShape(reader, 11)],
          stars: [
            {
              id: anId,
              comment: '',
              url: 'https://example.com/1',
              title: 'A pull request',
              presenter: userShape(reader),
              created: '2020-02-29T12:34:56Z',
            },
          ],
        }),
      ]);
    });

    it('returns the same comments, with their stars and notifications, on pages of any kind', async () => {
      const reader = await world.addMember(project);
      for (const content of ['First', 'Second', 'Third', 'Fourth']) {
        const { body: comment } = await author.api.post(list, { content, notifiedUserId: [reader.id] });
        const { status } = await reader.api.post('/stars', { pullRequestCommentId: comment.id });
        expect(status).toBe(204);
      }
      const whole = (await author.api.get<{ id: number }[]>(list)).body;
      expect(whole).toMatchObject(
        ['Fourth', 'Third', 'Second', 'First'].map((content) => ({
          content,
          stars: [{ presenter: userShape(reader) }],
          notifications: [{ user: userShape(reader) }],
        })),
      );
      const page = async (query: string): Promise<unknown> => (await author.api.get(`${list}?${query}`)).body;
      const reversed = whole.toReversed();
      for (const index of whole.keys()) {
        const expected = whole.slice(index, index + 2);
        expect(await page(`count=2&maxId=${whole[index]?.id}`)).toEqual(expected);
        expect(await page(`count=2&offset=${index}`)).toEqual(expected);
        expect(await page(`count=2&order=asc&minId=${reversed[index]?.id}`)).toEqual(
          reversed.slice(index, index + 2),
        );
      }
    });

    it('returns times in UTC without fractions of a second', async () => {
      await addOldComment();
      const { body } = await author.api.get(list);
      expect(body[0]).toMatchObject({ created: '2020-02-29T12:34:56Z', updated: '2020-02-29T12:34:56Z' });
    });

    it('accepts the ids of the project and the repository', async () => {
      const id = await world.addComment(project.pullRequestThreadId, author);
      const path = `/projects/${project.id}/git/repositories/${project.repositoryId}/pullRequests/1/comments`;
      expect((await author.api.get(path)).body).toMatchObject([{ id }]);
    });
  });

  it('counts the comments of the pull request', async () => {
    expect((await author.api.get(`${list}/count`)).body).toEqual({ count: 0 });
    await world.addComment(project.pullRequestThreadId, author);
    await world.addComment(project.pullRequestThreadId, world.admin);
    await world.addComment(otherProject.pullRequestThreadId, author);
    const { status, body } = await author.api.get(`${list}/count`);
    expect(status).toBe(200);
    expect(body).toEqual({ count: 2 });
  });

  describe('POST /pullRequests/{number}/comments', () => {
    /** Returns the content of activities about the project's pull request. */
    const content = async (fields: object): Promise<object> =>
      pullRequestContent(project, {
        id: (await author.api.get(list.replace('/comments', ''))).body.id,
        number: 1,
        summary: 'A pull request',
        description: '',
        branch: 'feature',
        ...fields,
      });

    it('answers 200 with the comment and writes activity 20', async () => {
      const { status, body } = await author.api.post(list, { content: 'Hello' });
      expect(status).toBe(200);
      expect(body).toEqual(commentShape(author, { content: 'Hello' }));
      expect((await author.api.get(list)).body).toEqual([body]);
      expect(await activitiesOf(world, project)).toEqual([
        {
          type: 20,
          createdUserId: author.id,
          content: await content({ comment: { id: body.id, content: 'Hello' } }),
        },
      ]);
    });

    it('sets updated and updatedUser of the pull request', async () => {
      await world.dataSource.query('UPDATE pull_request SET updated = 0 WHERE project_id = ?', [project.id]);
      const pullRequest = list.replace(/\/comments$/, '');
      const { body: before } = await author.api.get(pullRequest);
      const { body } = await author.api.post(list, { content: 'Hello' });
      const { body: after } = await author.api.get(pullRequest);
      expect(after).toEqual({ ...before, updated: body.created, updatedUser: userShape(author) });
    });

    it('notifies users and attaches files in the order sent, duplicates once', async () => {
      const reader = await world.addMember(project);
      const first = await world.addUpload(author, 'one', 'one.txt');
      const second = await world.addUpload(author, 'three', 'drei.txt');
      const { status, body } = await author.api.post(list, {
        content: 'Hello',
        notifiedUserId: [reader.id, world.admin.id, reader.id],
        attachmentId: [second, first, second],
      });
      expect(status).toBe(200);
      const notified = [reader, world.admin].map((person) => ({
        ...notificationEntry(person),
        notificationInfo: { type: 'pullRequest.comment' },
      }));
      expect(body).toEqual(
        commentShape(author, {
          content: 'Hello',
          changeLog: [
            attachmentEntry({ id: second, name: 'drei.txt' }),
            attachmentEntry({ id: first, name: 'one.txt' }),
            ...notified,
          ],
          notifications: [notificationShape(reader, 11), notificationShape(world.admin, 11)],
        }),
      );
      expect((await author.api.get(list)).body).toEqual([body]);
      const [activity] = await activitiesOf(world, project);
      const addition = (name: string): object => ({
        field: 'attachment',
        new_value: name,
        old_value: '',
        type: 'standard',
      });
      expect(activity?.content).toEqual(
        await content({
          comment: { id: body.id, content: 'Hello' },
          changes: [addition('drei.txt'), addition('one.txt')],
        }),
      );
    });

    it.each<[string, string, () => Promise<object>]>([
      ['a missing content', 'content', () => Promise.resolve({ content: undefined })],
      ['a blank content', 'content', () => Promise.resolve({ content: ' \n' })],
      ['a content of 50,001 characters', 'content', () => Promise.resolve({ content: 'x'.repeat(50_001) })],
      [
        'a user outside the project',
        'notifiedUserId',
        async () => ({ notifiedUserId: [(await world.addUser()).id] }),
      ],
      [
        "another user's upload",
        'attachmentId',
        async () => ({ attachmentId: [await world.addUpload(world.admin)] }),
      ],
    ])('refuses %s', async (_what, field, fields) => {
      const body = { content: 'Hello', ...(await fields()) };
      await expectRefused(world, () => author.api.post(list, body), [field]);
    });
  });

  describe('PATCH /pullRequests/{number}/comments/{commentId}', () => {
    it('changes only content and updated, and writes no activity', async () => {
      const id = await addOldComment();
      const before = Date.now();
      const answer = await author.api.patch(`${list}/${id}`, { content: 'After' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ...commentShape(author, { id, content: 'After' }),
        created: '2020-02-29T12:34:56Z',
        updated: aTimestamp,
      });
      expect(Date.parse(answer.body.updated)).toBeGreaterThanOrEqual(before - 999);
      expect((await author.api.get(list)).body).toEqual([answer.body]);
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it.each([
      ['one character', 'x'],
      ['letters of every plane and script', 'ä漢字👩‍👩‍👧 \u{10FFFF} e\u0301'],
      ['spaces and line ends at both ends', '  \n text \r\n'],
      ['text that looks like markup or SQL', `<script>'; DROP TABLE comment; -- \\ %00 "`],
      ['50,000 characters of four bytes', '😀'.repeat(50_000)],
    ])('keeps %s exactly', async (_what, content) => {
      const id = await addOldComment();
      expect((await author.api.patch(`${list}/${id}`, { content })).body.content).toBe(content);
      expect((await author.api.get(list)).body[0].content).toBe(content);
    });

    it('notifies only users who are not notified yet, without an activity', async () => {
      const [first, second] = [await world.addMember(project), await world.addMember(project)];
      const id = await addOldComment();
      const update = (...people: Person[]) =>
        author.api.patch(`${list}/${id}`, {
          content: 'After',
          notifiedUserId: people.map((person) => person.id),
        });
      expect((await update(first)).body.notifications).toEqual([notificationShape(first, 11)]);
      const { status, body } = await update(first, second);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        content: 'After',
        changeLog: [
          notificationEntry(first, 'pullRequest.comment'),
          notificationEntry(second, 'pullRequest.comment'),
        ],
        notifications: [notificationShape(first, 11), notificationShape(second, 11)],
      });
      expect(await activitiesOf(world, project)).toEqual([]);
      const stranger = await world.addUser();
      await expectRefused(world, () => update(stranger), ['notifiedUserId']);
    });

    it.each([
      ['a missing content', {}],
      ['an empty content', { content: '' }],
      ['a blank content', { content: ' \n\t\u3000' }],
      ['a content of 50,001 characters', { content: 'x'.repeat(50_001) }],
      ['null as the content', { content: null }],
    ])('refuses %s and changes nothing', async (_what, body) => {
      const id = await addOldComment();
      const before = await everythingStored(world);
      const answer = await author.api.patch(`${list}/${id}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, ['content']));
      expect(await everythingStored(world)).toEqual(before);
    });

    it('answers 403 to an Administrator who is not the author', async () => {
      const id = await addOldComment();
      const answer = await world.admin.api.patch(`${list}/${id}`, { content: 'After' });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(errorShape(5));
      expect((await author.api.get(list)).body[0].content).toBe('Before');
    });
  });

  describe('with an unknown path', () => {
    it.each<[string, (project: ProjectFixture, other: ProjectFixture) => Partial<ProjectFixture>]>([
      ['an unknown project key', () => ({ key: 'NOSUCH' })],
      ['a project key in lower case', ({ key }) => ({ key: key.toLowerCase() })],
      ['a project key with a trailing space', ({ key }) => ({ key: `${key}%20` })],
      ['a project key with a trailing NUL', ({ key }) => ({ key: `${key}%00` })],
      ['an unknown project id', () => ({ key: '999999' })],
      ['a project id with a leading zero', ({ id }) => ({ key: `0${id}` })],
      ['a project id with a fraction', ({ id }) => ({ key: `${id}.0` })],
      ['a project id beyond 2^53', () => ({ key: '9007199254740992' })],
      ['a project id beyond 2^64', ({ id }) => ({ key: (2n ** 64n + BigInt(id)).toString() })],
      ['an unknown repository', () => ({ repositoryName: 'nosuch' })],
      ['a repository name in upper case', (own) => ({ repositoryName: own.repositoryName.toUpperCase() })],
      ['a repository name with a trailing space', (own) => ({ repositoryName: `${own.repositoryName}%20` })],
      ["another project's repository by name", (_own, other) => ({ repositoryName: other.repositoryName })],
      ["another project's repository by id", (_own, { repositoryId: id }) => ({ repositoryName: `${id}` })],
      ['an unknown pull request', () => ({ pullRequestNumber: 2 })],
      ['pull request 0', () => ({ pullRequestNumber: 0 })],
      ['pull request -1', () => ({ pullRequestNumber: -1 })],
      ['pull request 1.5', () => ({ pullRequestNumber: 1.5 })],
      ['pull request NaN', () => ({ pullRequestNumber: NaN })],
    ])('answers 404 for %s', async (_what, change) => {
      const id = await addOldComment();
      const path = pullRequestComments({ ...project, ...change(project, otherProject) });
      for (const answer of [
        await author.api.get(path),
        await author.api.patch(`${path}/${id}`, { content: 'After' }),
      ]) {
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(errorShape(6));
      }
      expect((await author.api.get(list)).body[0].content).toBe('Before');
    });

    it.each<[string, () => Promise<number | string>]>([
      ['an unknown comment', () => Promise.resolve(999_999)],
      ['an invalid comment id', () => Promise.resolve('1e0')],
      ['a comment of an issue', () => world.addComment(project.issueThreadId, author)],
      [
        "a comment of another project's pull request",
        () => world.addComment(otherProject.pullRequestThreadId, author),
      ],
    ])('answers 404 for %s', async (_what, commentId) => {
      const answer = await author.api.patch(`${list}/${await commentId()}`, { content: 'After' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
    });
  });
});
