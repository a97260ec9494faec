import { useCommentedIssue } from '../support/issues';
import { activitiesOf, everythingStored } from '../support/records';
import {
  activityChange,
  attachmentEntry,
  commentShape,
  errorShape,
  notificationEntry,
  notificationShape,
  userShape,
} from '../support/shapes';
import { type ProjectFixture } from '../support/world';

describe('comments on an issue', () => {
  const tested = useCommentedIssue();

  describe('POST /issues/{issueIdOrKey}/comments', () => {
    it('answers 201 with the comment and writes activity 3', async () => {
      const { world, project, author, comments } = tested;
      const { status, body } = await author.api.post(comments, { content: 'Hello' });
      expect(status).toBe(201);
      expect(body).toEqual(commentShape(author, { content: 'Hello' }));
      expect(await activitiesOf(world, project)).toEqual([
        {
          type: 3,
          createdUserId: author.id,
          content: tested.activityContent({ comment: { id: body.id, content: 'Hello' } }),
        },
      ]);
    });

    it('sends the Location of the comment, and sets updated and updatedUser of the issue', async () => {
      const { world, project, author, comments } = tested;
      const issue = `/issues/${project.issueKey}`;
      await world.dataSource.query('UPDATE issue SET updated = 0 WHERE id = ?', [project.issueId]);
      const { body: before } = await author.api.get(issue);
      const { body, headers } = await author.api.post(comments, { content: 'Hello' });
      expect(headers.get('location')).toMatch(
        new RegExp(`^http://[^/]+/view/${project.issueKey}#comment-${body.id}$`),
      );
      const { body: after } = await author.api.get(issue);
      expect(after).toEqual({ ...before, updated: body.created, updatedUser: userShape(author) });
    });

    it('keeps updated and updatedUser of the issue when updated lies in the future', async () => {
      const { world, project, author, colleague, comments } = tested;
      const later = Date.now() + 86_400_000;
      await world.dataSource.query('UPDATE issue SET updated = ?, updated_user_id = ? WHERE id = ?', [
        later,
        colleague.id,
        project.issueId,
      ]);
      expect((await author.api.post(comments, { content: 'Hello' })).status).toBe(201);
      const [row] = await world.dataSource.query(
        'SELECT updated, updated_user_id AS userId FROM issue WHERE id = ?',
        [project.issueId],
      );
      expect([Number(row.updated), Number(row.userId)]).toEqual([later, colleague.id]);
    });

    it('accepts the numeric id of the issue', async () => {
      const { status } = await tested.author.api.post(`/issues/${tested.project.issueId}/comments`, {
        content: 'Hello',
      });
      expect(status).toBe(201);
    });

    it('notifies users and attaches files in the order sent, duplicates once', async () => {
      const { world, project, author, colleague, comments } = tested;
      const first = await world.addUpload(author, 'one', 'one.txt');
      const second = await world.addUpload(author, 'three', 'drei.txt');
      const { status, body } = await author.api.post(comments, {
        content: 'Hello',
        notifiedUserId: [colleague.id, world.admin.id, colleague.id],
        attachmentId: [second, first, second],
      });
      expect(status).toBe(201);
      expect(body).toEqual(
        commentShape(author, {
          content: 'Hello',
          changeLog: [
            attachmentEntry({ id: second, name: 'drei.txt' }),
            attachmentEntry({ id: first, name: 'one.txt' }),
            notificationEntry(colleague),
            notificationEntry(world.admin),
          ],
          notifications: [notificationShape(colleague, 2), notificationShape(world.admin, 2)],
        }),
      );
      const [activity] = await activitiesOf(world, project);
      expect(activity?.content).toEqual(
        tested.activityContent({
          comment: { id: body.id, content: 'Hello' },
          changes: [activityChange('attachment', 'drei.txt'), activityChange('attachment', 'one.txt')],
          attachments: [
            { id: second, name: 'drei.txt', size: 5 },
            { id: first, name: 'one.txt', size: 3 },
          ],
        }),
      );
    });

    it('accepts empty lists of users and files', async () => {
      const { status, body } = await tested.author.api.post(tested.comments, {
        content: 'Hello',
        notifiedUserId: [],
        attachmentId: [],
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ changeLog: [], notifications: [] });
    });

    it.each<[string, string, () => Promise<number>]>([
      ['an unknown user', 'notifiedUserId', () => Promise.resolve(999_999)],
      ['a user outside the project', 'notifiedUserId', async () => (await tested.world.addUser()).id],
      ['an unknown upload', 'attachmentId', () => Promise.resolve(999_999)],
      ["another user's upload", 'attachmentId', () => tested.world.addUpload(tested.world.admin)],
      [
        'an upload that is attached already',
        'attachmentId',
        async () => {
          const { world, author, comments } = tested;
          const id = await world.addUpload(author);
          await author.api.post(comments, { content: 'Earlier', attachmentId: [id] });
          return id;
        },
      ],
    ])('refuses %s, names it and stores nothing', async (_what, field, unusableId) => {
      const { world, author, colleague, comments } = tested;
      const good = field === 'attachmentId' ? await world.addUpload(author) : colleague.id;
      const bad = await unusableId();
      const before = await everythingStored(world);
      const answer = await author.api.post(comments, { content: 'Hello', [field]: [good, bad] });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, [field]));
      expect(answer.body.errors[0].message).toMatch(new RegExp(`: ${bad}\\. Valid ids: .*\\b${good}\\b`));
      expect(await everythingStored(world)).toEqual(before);
    });

    it('leaves a good upload usable after a refused comment', async () => {
      const { world, author, comments } = tested;
      const upload = await world.addUpload(author);
      await author.api.post(comments, { content: 'Hello', attachmentId: [upload, 999_999] });
      const answer = await author.api.post(comments, { content: 'Hello', attachmentId: [upload] });
      expect(answer.status).toBe(201);
    });

    it.each([
      ['a missing content', {}, ['content']],
      ['a blank content', { content: ' \n' }, ['content']],
      ['a content that is too long', { content: 'x'.repeat(50_001) }, ['content']],
      [
        'more than 1,000 ids',
        { content: 'Hello', notifiedUserId: Array.from({ length: 1001 }, (_, index) => index + 1) },
        ['notifiedUserId'],
      ],
      [
        'ids below 1',
        { content: 'Hello', attachmentId: [0], notifiedUserId: [-1] },
        ['attachmentId', 'notifiedUserId'],
      ],
      ['a fractional id', { content: 'Hello', attachmentId: [1.5] }, ['attachmentId']],
      ['an unknown field', { content: 'Hello', colour: 'red' }, ['colour']],
    ])('refuses %s and stores nothing', async (_what, body, fields) => {
      const { world, author, comments } = tested;
      const before = await everythingStored(world);
      const answer = await author.api.post(comments, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, fields));
      expect(await everythingStored(world)).toEqual(before);
    });

    it.each<[string, (project: ProjectFixture) => string]>([
      ['an unknown issue number', ({ key }) => `${key}-2`],
      ['an issue number with a leading zero', ({ key }) => `${key}-01`],
      ['an issue key in lower case', ({ key }) => `${key.toLowerCase()}-1`],
      ['an issue key with a trailing letter', ({ key }) => `${key}-1x`],
      ['an issue key with a trailing space', ({ key }) => `${key}-1%20`],
      ['an unknown project key', () => 'NOSUCH-1'],
      ['an unknown id', () => '999999'],
      ['an id beyond 2^53', () => '9007199254740993'],
      ['an id with a leading zero', ({ issueId }) => `0${issueId}`],
    ])('answers 404 for %s', async (_what, issue) => {
      const { world, project, author } = tested;
      const answer = await author.api.post(`/issues/${issue(project)}/comments`, { content: 'Hello' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
      expect(await activitiesOf(world, project)).toEqual([]);
    });
  });
});
