import { insertRows } from '../../src/database/sql/rows';
import { Notification } from '../../src/notifications/entities/notification.entity';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { RoleType } from '../../src/access/role-type';
import { everythingStored } from '../support/records';
import { anId, aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

interface Shown {
  id: number;
  alreadyRead: boolean;
  resourceAlreadyRead: boolean;
}

describe('notifications', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let reader: Person;
  let colleague: Person;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    reader = await world.addMember(project);
    colleague = await world.addMember(project);
  });

  /** Comments on the project's issue and notifies the reader; returns the comment. */
  const tell = async (sender = colleague, place = project): Promise<{ id: number }> => {
    const body = { content: 'Hello', notifiedUserId: [reader.id] };
    return (await sender.api.post<{ id: number }>(`/issues/${place.issueKey}/comments`, body)).body;
  };

  const tellOnPullRequest = async (): Promise<{ id: number }> => {
    const body = { content: 'Hello', notifiedUserId: [reader.id] };
    return (await colleague.api.post<{ id: number }>(pullRequestComments(project), body)).body;
  };

  /** Inserts notifications of the reader directly. */
  const write = (count: number, fields: Partial<Notification> = {}): Promise<number> => {
    const row = {
      projectId: project.id,
      threadId: null,
      commentId: null,
      userId: reader.id,
      senderId: colleague.id,
      reason: NotificationReason.Other,
      alreadyRead: false,
      resourceAlreadyRead: false,
      created: Date.now(),
      ...fields,
    };
    return tested.world.write((manager) =>
      insertRows(manager, Notification, Array<typeof row>(count).fill(row)),
    );
  };

  const list = async (query = '', person = reader): Promise<Shown[]> => {
    const { status, body } = await person.api.get<Shown[]>(`/notifications${query}`);
    expect(status).toBe(200);
    return body;
  };

  const count = async (query = ''): Promise<number> =>
    (await reader.api.get<{ count: number }>(`/notifications/count${query}`)).body.count;

  describe('GET /notifications', () => {
    const bodyOf = async (path: string): Promise<object> => (await reader.api.get(path)).body;

    const shape = async (fields: object): Promise<object> => ({
      id: anId,
      alreadyRead: false,
      resourceAlreadyRead: false,
      project: await bodyOf(`/projects/${project.key}`),
      issue: null,
      comment: null,
      pullRequest: null,
      pullRequestComment: null,
      document: null,
      documentComment: null,
      documentCommentReply: null,
      sender: userShape(colleague),
      created: aTimestamp,
      ...fields,
    });

    it('returns an empty list to a user without notifications', async () => {
      expect(await list()).toEqual([]);
    });

    it('shows the issue and its comment', async () => {
      const { id } = await tell();
      const path = `/issues/${project.issueKey}`;
      expect(await list()).toEqual([
        await shape({
          reason: 2,
          issue: await bodyOf(path),
          comment: await bodyOf(`${path}/comments/${id}`),
        }),
      ]);
    });

    it('shows the pull request and its comment', async () => {
      await tellOnPullRequest();
      const path = pullRequestComments(project);
      const [comment] = (await reader.api.get<object[]>(path)).body;
      expect(await list()).toEqual([
        await shape({
          reason: 11,
          pullRequest: await bodyOf(path.replace(/\/comments$/, '')),
          pullRequestComment: comment,
        }),
      ]);
    });

    it('shows only the issue when there is no comment', async () => {
      const { status, body: issue } = await colleague.api.post('/issues', {
        projectId: project.id,
        summary: 'For you',
        issueTypeId: project.issueTypeId,
        priorityId: 3,
        assigneeId: reader.id,
      });
      expect(status).toBe(201);
      expect(await list()).toEqual([
        await shape({ reason: 1, issue: await bodyOf(`/issues/${issue.issueKey}`) }),
      ]);
    });

    it('shows only the project, or none, when there is no issue', async () => {
      await write(1, { projectId: null });
      await write(1, { reason: NotificationReason.ProjectUserAdded });
      expect(await list()).toEqual([await shape({ reason: 6 }), await shape({ reason: 9, project: null })]);
    });

    it('lists only the notifications of the caller', async () => {
      await tell();
      expect(await list('', colleague)).toEqual([]);
    });

    it('marks nothing as read', async () => {
      await tell();
      // Except for the reader's views.
      const stored = async (): Promise<object> => ({
        ...(await everythingStored(tested.world)),
        recently_viewed: undefined,
      });
      const before = await stored();
      await list();
      await reader.api.get(`/issues/${project.issueKey}`);
      expect(await stored()).toEqual(before);
    });

    it('returns pages and filters by senderId', async () => {
      const { world } = tested;
      const other = await world.addMember(project);
      for (const sender of [colleague, other, colleague, colleague]) await tell(sender);
      const all = await list();
      const ids = all.map(({ id }) => id);
      const [last, third, second, first] = ids;
      expect(ids).toEqual([...ids].sort((one, another) => another - one));
      const idsAt = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => id);
      expect(await idsAt('?order=asc&count=2')).toEqual([first, second]);
      expect(await idsAt(`?minId=${second}&maxId=${third}`)).toEqual([third, second]);
      expect(await idsAt('?count=1&offset=2')).toEqual([second]);
      expect(await idsAt(`?senderId=${other.id}`)).toEqual([second]);
      expect(await idsAt(`?senderId=${colleague.id}&count=2`)).toEqual([last, third]);
      expect(await idsAt('?senderId=999999')).toEqual([]);
      const page = await reader.api.get('/notifications?count=2');
      expect(page.headers.get('link')).toContain(`maxId=${Number(third) - 1}`);
    });

    it.each(['senderId=0', 'senderId=x', 'count=0'])('answers 400 for ?%s', async (query) => {
      const answer = await reader.api.get(`/notifications?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorShape(7, [query.split('=', 1)[0] ?? '']));
    });
  });

  describe('a notification that the caller may no longer see', () => {
    /** Returns everything the reader sees: the list, the count, and the results of marking that notification and all of them. */
    const shown = async (id: number): Promise<unknown> => ({
      list: (await list()).map((one) => one.id),
      count: await count(),
      markedAlone: (await reader.api.post(`/notifications/${id}/markAsRead`)).status,
      marked: (await reader.api.post('/notifications/markAsRead')).body,
    });
    const NOTHING = { list: [], count: 0, markedAlone: 404, marked: { count: 0 } };

    it('disappears while the caller is not a member of the project', async () => {
      const { world } = tested;
      const comment = await tell();
      const [told] = await list();
      await world.dataSource.query('DELETE FROM project_member WHERE user_id = ?', [reader.id]);
      expect(await shown(told?.id ?? 0)).toEqual(NOTHING);
      await world.join(project, reader);
      expect(await list()).toMatchObject([{ id: told?.id, alreadyRead: false, comment: { id: comment.id } }]);
    });

    it('disappears with a deleted project', async () => {
      const { world } = tested;
      await tell();
      const [told] = await list();
      await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
      try {
        expect(await shown(told?.id ?? 0)).toEqual(NOTHING);
      } finally {
        await world.dataSource.query('UPDATE project SET deleted = 0 WHERE id = ?', [project.id]);
      }
    });

    it.each([RoleType.Viewer, RoleType.GuestReporter])(
      'disappears for role %d when it is of git',
      async (role) => {
        const { world } = tested;
        reader = await world.addMember(project, role);
        await write(1, { reason: NotificationReason.PullRequestCommented });
        const [told] = await world.dataSource.query<[{ id: number }]>(
          'SELECT MAX(id) AS id FROM notification WHERE user_id = ?',
          [reader.id],
        );
        expect(await shown(told.id)).toEqual(NOTHING);
        await tell();
        expect(await list()).toHaveLength(1);
      },
    );
  });

  it('answers GET /notifications/count by alreadyRead and resourceAlreadyRead', async () => {
    await write(3);
    await write(2, { alreadyRead: true });
    await write(1, { alreadyRead: true, resourceAlreadyRead: true });
    expect(await count()).toBe(6);
    expect(await count('?alreadyRead=false')).toBe(3);
    expect(await count('?alreadyRead=true')).toBe(3);
    expect(await count('?resourceAlreadyRead=true')).toBe(1);
    expect(await count('?resourceAlreadyRead=false')).toBe(5);
    expect(await count('?alreadyRead=true&resourceAlreadyRead=false')).toBe(2);
    const answer = await reader.api.get('/notifications/count?alreadyRead=maybe');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['alreadyRead']));
  });

  describe('marking as read', () => {
    it('marks all but not their resources as read, and returns how many were unread', async () => {
      await write(2);
      await write(1, { alreadyRead: true });
      const { status, body } = await reader.api.post('/notifications/markAsRead');
      expect({ status, body }).toEqual({ status: 200, body: { count: 2 } });
      expect(await list()).toMatchObject(Array(3).fill({ alreadyRead: true, resourceAlreadyRead: false }));
      expect((await reader.api.post('/notifications/markAsRead')).body).toEqual({ count: 0 });
    });

    it('accepts an empty form', async () => {
      await write(1);
      const { status, body } = await reader.api.post('/notifications/markAsRead', new URLSearchParams());
      expect({ status, body }).toEqual({ status: 200, body: { count: 1 } });
    });

    it('leaves the notifications of other users unread', async () => {
      await tell();
      expect((await colleague.api.post('/notifications/markAsRead')).body).toEqual({ count: 0 });
      expect(await count('?alreadyRead=false')).toBe(1);
    });

    it('counts each of 2500 notifications once across simultaneous requests', async () => {
      await write(1500);
      await write(1000);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => reader.api.post<{ count: number }>('/notifications/markAsRead')),
      );
      expect(answers.reduce((sum, { body }) => sum + body.count, 0)).toBe(2500);
      expect(await count('?alreadyRead=false')).toBe(0);
    });

    it('marks a single notification and its resource as read', async () => {
      await tell();
      await tell();
      const [other, first] = await list();
      const path = `/notifications/${first?.id}/markAsRead`;
      for (let times = 0; times < 2; times++) {
        const { status, text } = await reader.api.post(path);
        expect({ status, text }).toEqual({ status: 204, text: '' });
      }
      expect(await list()).toMatchObject([
        { id: other?.id, alreadyRead: false, resourceAlreadyRead: false },
        { id: first?.id, alreadyRead: true, resourceAlreadyRead: true },
      ]);
    });

    it('appears in the list of the notifications of the comment', async () => {
      const comment = await tell();
      const [told] = await list();
      await reader.api.post(`/notifications/${told?.id}/markAsRead`);
      const path = `/issues/${project.issueKey}/comments/${comment.id}/notifications`;
      expect((await colleague.api.get(path)).body).toMatchObject([
        { id: told?.id, alreadyRead: true, resourceAlreadyRead: true },
      ]);
    });

    it('answers 404 for a notification of another user, even to an Administrator', async () => {
      await tell();
      const [told] = await list();
      for (const person of [colleague, tested.world.admin]) {
        const answer = await person.api.post(`/notifications/${told?.id}/markAsRead`);
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(errorShape(6));
      }
      expect(await count('?alreadyRead=false')).toBe(1);
    });
  });
});
