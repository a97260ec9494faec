import { insertRow } from '../../src/database/rows';
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

describe('comments on a pull request', () => {
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

  describe('list', () => {
    it('is empty for a pull request without comments', async () => {
      const answer = await author.api.get(list);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual([]);
    });

    it('gives the comments newest first, each with all of its fields and no other', async () => {
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

    it('shows times in UTC without a fraction of a second', async () => {
      await addOldComment();
      const { body } = await author.api.get(list);
      expect(body[0]).toMatchObject({ created: '2020-02-29T12:34:56Z', updated: '2020-02-29T12:34:56Z' });
    });

    it('takes the ids of the project and of the repository as well as key and name', async () => {
      const id = await world.addComment(project.pullRequestThreadId, author);
      const path = `/projects/${project.id}/git/repositories/${project.repositoryId}/pullRequests/1/comments`;
      expect((await author.api.get(path)).body).toMatchObject([{ id }]);
    });
  });

  it('are counted', async () => {
    expect((await author.api.get(`${list}/count`)).body).toEqual({ count: 0 });
    await world.addComment(project.pullRequestThreadId, author);
    await world.addComment(project.pullRequestThreadId, world.admin);
    await world.addComment(otherProject.pullRequestThreadId, author);
    const { status, body } = await author.api.get(`${list}/count`);
    expect(status).toBe(200);
    expect(body).toEqual({ count: 2 });
  });

  describe('add', () => {
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

    it('moves the time and the author of the last change', async () => {
      await world.dataSource.query('UPDATE pull_request SET updated = 0 WHERE project_id = ?', [project.id]);
      const pullRequest = list.replace(/\/comments$/, '');
      const { body: before } = await author.api.get(pullRequest);
      const { body } = await author.api.post(list, { content: 'Hello' });
      const { body: after } = await author.api.get(pullRequest);
      expect(after).toEqual({ ...before, updated: body.created, updatedUser: userShape(author) });
    });

    it('notifies and attaches in the order asked for, duplicates once', async () => {
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
      ['nothing', 'content', () => Promise.resolve({ content: undefined })],
      ['only spaces', 'content', () => Promise.resolve({ content: ' \n' })],
      ['50,001 characters', 'content', () => Promise.resolve({ content: 'x'.repeat(50_001) })],
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

  describe('update', () => {
    it('changes the text, moves only `updated`, and tells nobody', async () => {
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
      ['what looks like markup or SQL', `<script>'; DROP TABLE comment; -- \\ %00 "`],
      ['50,000 characters of four bytes', '😀'.repeat(50_000)],
    ])('keeps %s exactly', async (_what, content) => {
      const id = await addOldComment();
      expect((await author.api.patch(`${list}/${id}`, { content })).body.content).toBe(content);
      expect((await author.api.get(list)).body[0].content).toBe(content);
    });

    it('notifies the users named who do not know of it yet, and emits nothing', async () => {
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
      ['nothing', {}],
      ['an empty text', { content: '' }],
      ['only spaces', { content: ' \n\t\u3000' }],
      ['50,001 characters', { content: 'x'.repeat(50_001) }],
      ['null', { content: null }],
    ])('refuses %s and changes nothing', async (_what, body) => {
      const id = await addOldComment();
      const before = await everythingStored(world);
      const answer = await author.api.patch(`${list}/${id}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, ['content']));
      expect(await everythingStored(world)).toEqual(before);
    });

    it('is for the author alone, not even for an Administrator', async () => {
      const id = await addOldComment();
      const answer = await world.admin.api.patch(`${list}/${id}`, { content: 'After' });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(errorShape(5));
      expect((await author.api.get(list)).body[0].content).toBe('Before');
    });
  });

  describe('a path that names nothing', () => {
    it.each<[string, (project: ProjectFixture, other: ProjectFixture) => Partial<ProjectFixture>]>([
      ['a project key that nobody has', () => ({ key: 'NOSUCH' })],
      ['a project key in the wrong case', ({ key }) => ({ key: key.toLowerCase() })],
      ['a project key with a space after it', ({ key }) => ({ key: `${key}%20` })],
      ['a project key with NUL after it', ({ key }) => ({ key: `${key}%00` })],
      ['a project id that nobody has', () => ({ key: '999999' })],
      ['a project id with a zero before it', ({ id }) => ({ key: `0${id}` })],
      ['a project id with a fraction', ({ id }) => ({ key: `${id}.0` })],
      ['a project id beyond 2^53', () => ({ key: '9007199254740992' })],
      ['a project id beyond 2^64', ({ id }) => ({ key: (2n ** 64n + BigInt(id)).toString() })],
      ['a repository that nobody has', () => ({ repositoryName: 'nosuch' })],
      ['a repository in the wrong case', (own) => ({ repositoryName: own.repositoryName.toUpperCase() })],
      ['a repository with a space after it', (own) => ({ repositoryName: `${own.repositoryName}%20` })],
      ["another project's repository by name", (_own, other) => ({ repositoryName: other.repositoryName })],
      ["another project's repository by id", (_own, { repositoryId: id }) => ({ repositoryName: `${id}` })],
      ['a pull request that nobody has', () => ({ pullRequestNumber: 2 })],
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
      ['that nobody has', () => Promise.resolve(999_999)],
      ['that is no id', () => Promise.resolve('1e0')],
      ['of an issue', () => world.addComment(project.issueThreadId, author)],
      ["of another project's pull request", () => world.addComment(otherProject.pullRequestThreadId, author)],
    ])('answers 404 for a comment %s', async (_what, commentId) => {
      const answer = await author.api.patch(`${list}/${await commentId()}`, { content: 'After' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
    });
  });
});
