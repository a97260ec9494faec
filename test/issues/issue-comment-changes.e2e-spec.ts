import { CommentsService } from '../../src/comments/comments.service';
import { Comment } from '../../src/comments/entities/comment.entity';
import { insertRows } from '../../src/database/sql/rows';
import { IssueCommentsService } from '../../src/issues/comments/issue-comments.service';
import { type DescribedIssueResource } from '../../src/issues/issue.loader';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { NotificationsService } from '../../src/notifications/notifications.service';
import { RoleType } from '../../src/access/role-type';
import { useCommentedIssue } from '../support/issues';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import {
  anId,
  attachmentEntry,
  issueCommentShape,
  errorShape,
  notificationEntry,
  notificationShape,
  userShape,
} from '../support/shapes';

describe('/issues/{issueIdOrKey}/comments', () => {
  const tested = useCommentedIssue(RoleType.Reporter);

  const rowsOf = async (table: string): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM ${table} WHERE thread_id = ?`,
      [tested.project.issueThreadId],
    );
    return Number(row.count);
  };

  /** Adds comments to the thread directly. */
  const fill = async (count: number): Promise<void> => {
    const { world, project, author } = tested;
    const now = Date.now();
    const row = {
      threadId: project.issueThreadId,
      content: 'One of many',
      changeLog: [],
      createdUserId: author.id,
      created: now,
      updated: now,
    };
    await world.write((manager) => insertRows(manager, Comment, Array<typeof row>(count).fill(row)));
  };

  const place = () => ({ projectId: tested.project.id, issueId: tested.project.issueId });

  describe('GET /issues/{issueIdOrKey}/comments', () => {
    it('lists only the comments of the issue, newest first', async () => {
      const { world, project, author, comments } = tested;
      const [first, second] = [await tested.addComment('First'), await tested.addComment('Second')];
      await world.addComment(project.pullRequestThreadId, author, 'Elsewhere');
      const { status, body } = await author.api.get(comments);
      expect(status).toBe(200);
      expect(body).toEqual([
        issueCommentShape(place(), author, { id: second, content: 'Second' }),
        issueCommentShape(place(), author, { id: first, content: 'First' }),
      ]);
    });

    it('pages by minId and maxId, by offset, and by the next link', async () => {
      const { author, comments } = tested;
      const ids = [
        await tested.addComment(),
        await tested.addComment(),
        await tested.addComment(),
        await tested.addComment(),
      ];
      const [first, second, third, last] = ids;
      const idsAt = async (query: string): Promise<number[]> =>
        (await author.api.get<{ id: number }[]>(`${comments}?${query}`)).body.map(({ id }) => id);
      expect(await idsAt('order=asc')).toEqual(ids);
      expect(await idsAt(`minId=${second}&maxId=${third}`)).toEqual([third, second]);
      expect(await idsAt('count=1&offset=1')).toEqual([third]);
      const page = await author.api.get(`${comments}?count=2`);
      expect(page.body).toMatchObject([{ id: last }, { id: third }]);
      const next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
      expect(await idsAt(new URL(next).search.slice(1))).toEqual([second, first]);
    });

    it.each(['count=0', 'count=101', 'offset=-1', 'order=up', 'minId=x'])('refuses %s', async (query) => {
      const answer = await tested.author.api.get(`${tested.comments}?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, [query.split('=', 1)[0] ?? '']));
    });
  });

  it('counts the comments of the issue', async () => {
    const { world, project, author, comments } = tested;
    expect((await author.api.get(`${comments}/count`)).body).toEqual({ count: 0 });
    await tested.addComment();
    await tested.addComment();
    await world.addComment(project.pullRequestThreadId, author);
    expect((await author.api.get(`${comments}/count`)).body).toEqual({ count: 2 });
  });

  it('returns a comment by its id, with its notifications', async () => {
    const { world, author, colleague, comments } = tested;
    const upload = await world.addUpload(author, 'one', 'one.txt');
    const { body: added } = await author.api.post(comments, {
      content: 'Hello',
      notifiedUserId: [colleague.id, world.admin.id],
      attachmentId: [upload],
    });
    const { status, body } = await author.api.get(`${comments}/${added.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...added, ...place() });
    expect(body).toEqual(
      issueCommentShape(place(), author, {
        content: 'Hello',
        changeLog: [
          attachmentEntry({ id: upload, name: 'one.txt' }),
          notificationEntry(colleague),
          notificationEntry(world.admin),
        ],
        notifications: [notificationShape(colleague, 2), notificationShape(world.admin, 2)],
      }),
    );
    const told = await author.api.get(`${comments}/${added.id}/notifications`);
    expect(told.status).toBe(200);
    expect(told.body).toEqual(added.notifications);
  });

  it.each(['', '/notifications'])(
    'answers 404 on /{commentId}%s for a comment of another issue or pull request',
    async (suffix) => {
      const { world, project, author, comments } = tested;
      const other = await world.addProject();
      for (const threadId of [project.pullRequestThreadId, other.issueThreadId]) {
        const foreign = await world.addComment(threadId, author);
        const answer = await world.admin.api.get(`${comments}/${foreign}${suffix}`);
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(errorShape(6));
      }
    },
  );

  describe('PATCH /issues/{issueIdOrKey}/comments/{commentId}', () => {
    it('changes only content and updated, and writes no activity', async () => {
      const { world, project, author, comments } = tested;
      const { body: before } = await author.api.post(comments, {
        content: 'Before',
        notifiedUserId: [world.admin.id],
      });
      await world.dataSource.query('UPDATE comment SET created = 0, updated = 0 WHERE id = ?', [before.id]);
      const activities = await activitiesOf(world, project);
      const { status, body } = await author.api.patch(`${comments}/${before.id}`, { content: 'After' });
      expect(status).toBe(200);
      expect(body).toEqual({
        ...before,
        ...place(),
        content: 'After',
        created: '1970-01-01T00:00:00Z',
        updated: expect.stringMatching(/^20/),
      });
      expect((await author.api.get(`${comments}/${before.id}`)).body).toEqual(body);
      expect(await activitiesOf(world, project)).toEqual(activities);
    });

    it('sets the content of a comment that had only a change log', async () => {
      const { world, project } = tested;
      const developer = await world.addMember(project);
      await developer.api.patch(`/issues/${project.issueKey}`, { summary: 'Another summary' });
      const { body: comments } = await developer.api.get<{ id: number; changeLog: object[] }[]>(
        tested.comments,
      );
      const [before] = comments;
      expect(before).toMatchObject({ content: '', changeLog: [{ field: 'summary' }] });
      const { status, body } = await developer.api.patch(`${tested.comments}/${before?.id}`, {
        content: 'As agreed',
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ content: 'As agreed', changeLog: before?.changeLog });
    });

    it.each([
      ['a missing text', {}, ['content']],
      ['a blank text', { content: ' \n' }, ['content']],
      ['a text that is too long', { content: 'x'.repeat(50_001) }, ['content']],
      ['users to notify', { content: 'x', notifiedUserId: [1] }, ['notifiedUserId']],
    ])('refuses %s and stores nothing', async (_what, body, fields) => {
      const { world, author, comments } = tested;
      const id = await tested.addComment();
      await expectRefused(world, () => author.api.patch(`${comments}/${id}`, body), fields);
    });

    it('answers 403 to an Administrator who is not the author', async () => {
      const { world, author, comments } = tested;
      const id = await tested.addComment('Mine');
      const answer = await world.admin.api.patch(`${comments}/${id}`, { content: 'Yours' });
      expect(answer.status).toBe(403);
      expect((await author.api.get(`${comments}/${id}`)).body).toMatchObject({ content: 'Mine' });
    });
  });

  describe('DELETE /issues/{issueIdOrKey}/comments/{commentId}', () => {
    it('returns the comment, removes its stars and notifications, and writes no activity', async () => {
      const { world, project, author, comments } = tested;
      const { body: comment } = await author.api.post(comments, {
        content: 'Hello',
        notifiedUserId: [world.admin.id],
      });
      expect((await world.admin.api.post('/stars', { commentId: comment.id })).status).toBe(204);
      const activities = await activitiesOf(world, project);
      const { status, body } = await author.api.delete(`${comments}/${comment.id}`);
      expect(status).toBe(200);
      expect(body).toEqual({
        ...comment,
        ...place(),
        stars: [expect.objectContaining({ id: anId, presenter: userShape(world.admin) })],
      });
      for (const table of ['star', 'notification']) {
        const rows = await world.dataSource.query<unknown[]>(`SELECT id FROM ${table} WHERE comment_id = ?`, [
          comment.id,
        ]);
        expect([table, rows]).toEqual([table, []]);
      }
      expect(await activitiesOf(world, project)).toEqual(activities);
      expect((await author.api.get(`${comments}/${comment.id}`)).status).toBe(404);
      expect((await author.api.delete(`${comments}/${comment.id}`)).status).toBe(404);
    });

    it('keeps the files that were attached with the comment', async () => {
      const { world, project, author, comments } = tested;
      const upload = await world.addUpload(author);
      const { body } = await author.api.post(comments, { content: 'See the file', attachmentId: [upload] });
      expect((await author.api.delete(`${comments}/${body.id}`)).status).toBe(200);
      const files = await author.api.get(`/issues/${project.issueKey}/attachments`);
      expect(files.body).toMatchObject([{ id: upload }]);
      const download = await author.api.download(`/issues/${project.issueKey}/attachments/${upload}`);
      expect(download.text).toBe('content');
    });

    it('answers 200 to one of eight simultaneous requests and 404 to the others', async () => {
      const id = await tested.addComment();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => tested.author.api.delete(`${tested.comments}/${id}`)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    });

    it('leaves no rows behind when an update or notification runs at the same time', async () => {
      const { world, author, comments } = tested;
      for (let round = 0; round < 5; round++) {
        const id = await tested.addComment();
        const [gone, ...others] = await Promise.all([
          author.api.delete(`${comments}/${id}`),
          author.api.patch(`${comments}/${id}`, { content: 'After' }),
          author.api.post(`${comments}/${id}/notifications`, { notifiedUserId: [world.admin.id] }),
        ]);
        expect(gone.status).toBe(200);
        for (const { status } of others) expect([200, 404]).toContain(status);
      }
      expect(await rowsOf('comment')).toBe(0);
      expect(await rowsOf('notification')).toBe(0);
    });
  });

  describe('when the issue or its project is deleted', () => {
    it('leaves nothing behind from simultaneous comments, and answers 404 afterwards', async () => {
      const { world, project, author, comments } = tested;
      const body = { content: 'Hello', notifiedUserId: [world.admin.id] };
      const [gone, ...answers] = await Promise.all([
        world.admin.api.delete(`/issues/${project.issueKey}`),
        ...Array.from({ length: 10 }, () => author.api.post(comments, body)),
      ]);
      expect(gone.status).toBe(200);
      for (const { status } of answers) expect([201, 404]).toContain(status);
      expect(await rowsOf('comment')).toBe(0);
      expect(await rowsOf('notification')).toBe(0);
      expect((await author.api.post(comments, body)).status).toBe(404);
    });

    it('refuses a comment with error 6 when its thread has just been removed', async () => {
      const { world, project, author } = tested;
      const issue: DescribedIssueResource = {
        id: project.issueId,
        projectId: project.id,
        projectKey: project.key,
        keyId: 1,
        threadId: 999_999,
        summary: '',
        description: '',
        isProjectAdministrator: false,
        isWatched: false,
      };
      const caller = { id: author.id, roleType: RoleType.Reporter };
      const body = { content: 'Hello', notifiedUserId: [], attachmentId: [] };
      const adding = world.service(IssueCommentsService).add(issue, caller, body);
      await expect(adding).rejects.toMatchObject({ code: 6 });
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it('removes thousands of comments and their notifications in the background', async () => {
      const { world, project, author, comments } = tested;
      await fill(2100);
      await author.api.post(comments, { content: 'Hello', notifiedUserId: [world.admin.id] });
      const other = await world.addProject();
      const kept = await world.addComment(other.issueThreadId, author);
      expect((await world.admin.api.delete(`/issues/${project.issueKey}`)).status).toBe(200);
      await world.background.whenIdle();
      expect(await rowsOf('comment')).toBe(0);
      expect(await rowsOf('notification')).toBe(0);
      expect(await rowsOf('removed_thread')).toBe(0);
      const threads = 'SELECT id FROM comment_thread WHERE id = ?';
      expect(await world.dataSource.query(threads, [project.issueThreadId])).toEqual([]);
      expect((await world.admin.api.get(`/issues/${other.issueKey}/comments/${kept}`)).status).toBe(200);
    });

    it('removes all comments, notifications and activities along with the project', async () => {
      const { world, project, author, comments } = tested;
      await fill(1200);
      for (const path of [comments, comments]) {
        await author.api.post(path, { content: 'Hello', notifiedUserId: [world.admin.id] });
      }
      await world.write((manager) =>
        world.service(NotificationsService).add(manager, [author.id], {
          projectId: project.id,
          threadId: null,
          senderId: world.admin.id,
          reason: NotificationReason.ProjectUserAdded,
        }),
      );
      expect((await world.admin.api.delete(`/projects/${project.key}`)).status).toBe(200);
      await world.whenIdle();
      for (const table of ['comment_thread', 'notification', 'activity']) {
        const rows = await world.dataSource.query<unknown[]>(`SELECT id FROM ${table} WHERE project_id = ?`, [
          project.id,
        ]);
        expect([table, rows]).toEqual([table, []]);
      }
      expect(await rowsOf('comment')).toBe(0);
    });

    it('resumes an interrupted removal when the service starts again', async () => {
      const { world, project } = tested;
      await fill(1100);
      await world.write(async (manager) => {
        await manager.query('DELETE FROM issue WHERE id = ?', [project.issueId]);
        await world.service(CommentsService).removeThread(manager, project.issueThreadId);
        // As a crash leaves it.
        await manager.query('DELETE FROM removed_thread WHERE thread_id = ?', [project.issueThreadId]);
      });
      await world.background.whenIdle();
      expect(await rowsOf('comment')).toBe(100);
      await world.dataSource.query('INSERT INTO removed_thread (thread_id) VALUES (?)', [
        project.issueThreadId,
      ]);
      world.startBackgroundWork();
      await world.background.whenIdle();
      expect(await rowsOf('comment')).toBe(0);
      expect(await rowsOf('removed_thread')).toBe(0);
    });
  });

  describe('GET /issues/{issueIdOrKey}/participants', () => {
    const participants = async (): Promise<object[]> => {
      const { status, body } = await tested.author.api.get(`/issues/${tested.project.issueKey}/participants`);
      expect(status).toBe(200);
      return body;
    };

    it('lists the creator, the assignee and the commenters once each, ordered by id', async () => {
      const { world, project, author } = tested;
      expect(await participants()).toEqual([userShape(world.admin)]);
      const assignee = await world.addMember(project);
      const stranger = await world.addMember(project);
      await world.addComment(project.pullRequestThreadId, stranger);
      await tested.addComment();
      await tested.addComment();
      await world.dataSource.query('UPDATE issue SET assignee_id = ? WHERE id = ?', [
        assignee.id,
        project.issueId,
      ]);
      await world.addComment(project.issueThreadId, assignee);
      await world.addComment(project.issueThreadId, world.admin);
      expect(await participants()).toEqual([world.admin, author, assignee].map(userShape));
    });

    it('lists at most 1,000 users, the creator and the assignee among them', async () => {
      const { world, project } = tested;
      const first = await world.addUser();
      await world.write(async (manager) => {
        for (let start = 0; start < 1100; start += 100) {
          const names = Array.from({ length: 100 }, (_, index) => `crowd${first.id}-${start + index}`);
          await manager.query(
            `INSERT INTO user (user_id, name, role_type, lang, mail_address, last_login_time, created, vendor_id,
               vendor_name, vendor_unique_id)
             VALUES ${names.map(() => '(?, ?, 2, ?, ?, 0, 0, ?, ?, ?)').join(', ')}`,
            names.flatMap((name) => [name, name, 'en', `${name}@example.com`, name, name, name]),
          );
        }
        const last = await manager.query<{ id: number }[]>('SELECT MAX(id) AS id FROM user');
        await manager.query(
          `INSERT INTO comment (thread_id, content, change_log, created_user_id, created, updated)
           SELECT ?, ?, ?, id, 0, 0 FROM user WHERE id > ?`,
          [project.issueThreadId, 'Me, too', '[]', first.id],
        );
        await manager.query('UPDATE issue SET assignee_id = ? WHERE id = ?', [last[0]?.id, project.issueId]);
      });
      const all = (await participants()) as { id: number; name: string }[];
      expect(all).toHaveLength(1000);
      expect(all[0]).toEqual(userShape(world.admin));
      expect(all.at(-1)?.name).toBe(`crowd${first.id}-1099`);
    });
  });
});
