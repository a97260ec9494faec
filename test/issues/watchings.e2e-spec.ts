import { RoleType } from '../../src/access/role-type';
import { NotificationReason } from '../../src/notifications/notification-reason';
import { addIssue, addSetting, type IssueBody, issueShape, updateIssue } from '../support/issues';
import { statementsOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { addSharedFile } from '../support/shared-files';
import { anId, aTimestamp } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Watching {
  id: number;
  resourceAlreadyRead: boolean;
  note: string;
  issue: IssueBody;
  lastContentUpdated: string;
  created: string;
  updated: string;
}

interface Told {
  reason: number;
  issue: { id: number } | null;
  comment: { id: number; content: string } | null;
  sender: { id: number };
}

describe('/watchings', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let watcher: Person;
  let colleague: Person;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    watcher = await world.addMember(project, RoleType.GuestViewer);
    colleague = await world.addMember(project);
  });

  const watch = async (person = watcher, fields: object = {}): Promise<Watching> => {
    const body = { issueIdOrKey: project.issueKey, ...fields };
    const answer = await person.api.post<Watching>('/watchings', body);
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const get = async (id: number, person = watcher): Promise<Watching> =>
    (await person.api.get<Watching>(`/watchings/${id}`)).body;
  const list = async (query = '', person = watcher): Promise<Watching[]> => {
    const { status, body } = await person.api.get<Watching[]>(`/users/${person.id}/watchings${query}`);
    expect(status).toBe(200);
    return body;
  };
  const count = async (query = ''): Promise<number> =>
    (await watcher.api.get<{ count: number }>(`/users/${watcher.id}/watchings/count${query}`)).body.count;
  const told = async (person = watcher): Promise<Told[]> =>
    (await person.api.get<Told[]>('/notifications?order=asc')).body;
  const comment = async (body: object = {}, person = colleague): Promise<{ id: number }> => {
    const answer = await person.api.post<{ id: number }>(`/issues/${project.issueKey}/comments`, {
      content: 'Hello',
      ...body,
    });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const rows = async (): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      'SELECT COUNT(*) AS count FROM watching WHERE project_id = ?',
      [project.id],
    );
    return Number(row.count);
  };

  it('adds, returns, updates and deletes a watching with all of its fields', async () => {
    const { world } = tested;
    const added = await watch(watcher, { note: 'Ask again' });
    expect(added).toEqual({
      id: anId,
      resourceAlreadyRead: true,
      note: 'Ask again',
      type: 'issue',
      issue: issueShape(project, world.admin, {
        id: project.issueId,
        summary: 'An issue',
        description: 'Its description',
      }),
      lastContentUpdated: added.issue.updated,
      created: aTimestamp,
      updated: aTimestamp,
    });
    const path = `/watchings/${added.id}`;
    expect(await get(added.id)).toEqual(added);
    expect(await list()).toEqual([added]);
    expect((await watcher.api.patch<Watching>(path, { note: 'Later' })).body.note).toBe('Later');
    expect((await watcher.api.patch<Watching>(path, {})).body.note).toBe('Later');
    expect((await watcher.api.patch<Watching>(path, new URLSearchParams({ note: '' }))).body.note).toBe('');
    const removed = await watcher.api.delete<Watching>(path);
    expect(removed.status).toBe(200);
    expect(removed.body).toEqual({ ...added, note: '', updated: aTimestamp });
    expect((await watcher.api.get(path)).status).toBe(404);
    expect(await rows()).toBe(0);
  });

  it('keeps one watching per user and issue, also under simultaneous requests', async () => {
    const first = await watch(watcher, { note: 'First' });
    const answers = await Promise.all(
      [...Array(8).keys()].map((number) => watch(number % 2 ? watcher : colleague, {})),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
    expect(await watch(watcher, { issueIdOrKey: String(project.issueId) })).toMatchObject({
      id: first.id,
      note: 'First',
    });
    expect(await watch(watcher, { note: 'Second' })).toMatchObject({ id: first.id, note: 'Second' });
    expect(await rows()).toBe(2);
  });

  it('refuses hidden issues and invalid fields, and stores nothing', async () => {
    const { world } = tested;
    const elsewhere = await world.addProject();
    const bodies: [object, string[]][] = [
      [{}, ['issueIdOrKey']],
      [{ issueIdOrKey: elsewhere.issueKey }, ['issueIdOrKey']],
      [{ issueIdOrKey: String(elsewhere.issueId) }, ['issueIdOrKey']],
      [{ issueIdOrKey: "x' OR 1=1 --" }, ['issueIdOrKey']],
      [{ issueIdOrKey: '9'.repeat(30) }, ['issueIdOrKey']],
      [{ issueIdOrKey: project.issueKey, note: 'x'.repeat(2001) }, ['note']],
      [{ issueIdOrKey: project.issueKey, user: 1 }, ['user']],
    ];
    for (const [body, fields] of bodies) {
      await expectRefused(world, () => watcher.api.post('/watchings', body), fields);
    }
  });

  it('lists to an Administrator what the owner sees, and answers 403 to others', async () => {
    const { world } = tested;
    const { id } = await watch();
    const path = `/users/${watcher.id}/watchings`;
    for (const below of ['', '/count']) {
      expect((await colleague.api.get(path + below)).status).toBe(403);
    }
    expect((await world.admin.api.get(path)).body).toMatchObject([{ id }]);
    expect((await world.admin.api.get(`${path}/count`)).body).toEqual({ count: 1 });
    // An Administrator sees every project, but the owner no longer does.
    await world.admin.api.delete(`/projects/${project.key}/users`, { userId: watcher.id });
    expect((await world.admin.api.get(path)).body).toEqual([]);
    expect((await world.admin.api.get(`${path}/count`)).body).toEqual({ count: 0 });
  });

  it('hides a watching from other users, even Administrators, and refuses their changes', async () => {
    const { world } = tested;
    const { id } = await watch();
    for (const person of [world.admin, colleague]) {
      const checked = await person.api.post(`/users/${watcher.id}/watchings/markAsChecked`);
      expect(checked.status).toBe(403);
      expect((await person.api.get(`/watchings/${id}`)).status).toBe(404);
      expect((await person.api.delete(`/watchings/${id}`)).status).toBe(404);
    }
    expect(await list()).toHaveLength(1);
  });

  describe('when another user changes the issue', () => {
    it('marks the watching as unread and notifies its owner of every kind of change', async () => {
      const { world } = tested;
      const { id } = await watch();
      const upload = await world.addUpload(colleague);
      const { id: commentId } = await comment({ attachmentId: [upload] });
      expect((await get(id)).resourceAlreadyRead).toBe(false);
      expect((await watcher.api.post(`/watchings/${id}/markAsRead`)).status).toBe(204);
      expect((await get(id)).resourceAlreadyRead).toBe(true);
      await updateIssue(colleague, project.issueKey, { summary: 'Another', comment: 'Why' });
      const updated = await get(id);
      expect(updated).toMatchObject({ resourceAlreadyRead: false, issue: { summary: 'Another' } });
      expect(updated.lastContentUpdated).toBe(updated.issue.updated);
      await colleague.api.delete(`/issues/${project.issueKey}/attachments/${upload}`);
      const fileId = await addSharedFile(colleague, project);
      await colleague.api.post(`/issues/${project.issueKey}/sharedFiles`, { fileId: [fileId] });
      const issue = { id: project.issueId };
      const sender = { id: colleague.id };
      expect(await told()).toMatchObject([
        { reason: NotificationReason.IssueCommented, issue, comment: { id: commentId }, sender },
        { reason: NotificationReason.IssueUpdated, issue, comment: { content: 'Why' }, sender },
        { reason: NotificationReason.IssueUpdated, issue, comment: { content: '' }, sender },
        { reason: NotificationReason.IssueUpdated, issue, comment: { content: '' }, sender },
      ]);
    });

    it('omits watchers from the notifications of the comment until they are added', async () => {
      await watch();
      const { id } = await comment();
      const path = `/issues/${project.issueKey}/comments/${id}`;
      expect((await colleague.api.get(`${path}/notifications`)).body).toEqual([]);
      const answer = await colleague.api.post<{ notifications: { user: { id: number } }[] }>(
        `${path}/notifications`,
        { notifiedUserId: [watcher.id] },
      );
      expect(answer.status).toBe(200);
      expect(answer.body.notifications).toMatchObject([{ user: { id: watcher.id } }]);
      await tested.world.admin.api.delete(path);
      expect(await told()).toMatchObject([{ issue: { id: project.issueId }, comment: null }]);
    });

    it('notifies each watcher once, except the user who changed the issue', async () => {
      const { world } = tested;
      await watch();
      await watch(colleague);
      await watch(world.admin);
      const all = await told(world.admin);
      await comment({ notifiedUserId: [watcher.id], content: `Hello <@U${world.admin.id}>` });
      await updateIssue(colleague, project.issueKey, { assigneeId: watcher.id });
      expect((await told()).map(({ reason }) => reason)).toEqual([
        NotificationReason.IssueCommented,
        NotificationReason.Assigned,
      ]);
      expect((await told(world.admin)).slice(all.length).map(({ reason }) => reason)).toEqual([
        NotificationReason.IssueCommented,
        NotificationReason.IssueUpdated,
      ]);
      expect(await told(colleague)).toEqual([]);
      expect((await list('', colleague))[0]?.resourceAlreadyRead).toBe(true);
    });

    it('hides the watching and notifies nobody while its owner is outside the project', async () => {
      const { world } = tested;
      const { id } = await watch();
      const members = `/projects/${project.key}/users`;
      expect((await world.admin.api.delete(members, { userId: watcher.id })).status).toBe(200);
      await comment();
      expect(await list()).toEqual([]);
      expect(await count()).toBe(0);
      for (const path of [`/watchings/${id}`, `/watchings/${id}/markAsRead`]) {
        const isRead = path.endsWith('Read');
        const { status } = await (isRead ? watcher.api.post(path) : watcher.api.get(path));
        expect(status).toBe(404);
      }
      expect((await world.admin.api.post(members, { userId: watcher.id })).status).toBe(200);
      expect(await list()).toMatchObject([{ id, resourceAlreadyRead: false }]);
      expect((await told()).filter(({ issue }) => issue !== null)).toEqual([]);
    });

    it('marks the watching as unread without a notification when a status is replaced', async () => {
      const { world } = tested;
      const { id } = await watch();
      const status = await addSetting(world, project, 'statuses');
      await updateIssue(colleague, project.issueKey, { statusId: status.id });
      await watcher.api.post(`/watchings/${id}/markAsRead`);
      const before = (await told()).length;
      const path = `/projects/${project.key}/statuses/${status.id}`;
      expect((await world.admin.api.delete(path, { substituteStatusId: 1 })).status).toBe(200);
      expect(await get(id)).toMatchObject({ resourceAlreadyRead: false, issue: { status: { id: 1 } } });
      expect(await told()).toHaveLength(before);
    });

    it('sends a constant number of statements for any number of watchers', async () => {
      const { world } = tested;
      await watch();
      const work = (): Promise<string[]> => statementsOf(world, () => comment());
      const one = await work();
      for (let added = 0; added < 5; added++) await watch(await world.addMember(project));
      const many = await work();
      expect(many.length).toBeLessThanOrEqual(one.length + 1);
    });
  });

  it('filters, sorts, pages and counts watchings', async () => {
    const issues = [await addIssue(colleague, project), await addIssue(colleague, project)];
    const ids: number[] = [];
    for (const { id } of issues) ids.push((await watch(watcher, { issueIdOrKey: String(id) })).id);
    const [first, second] = ids as [number, number];
    const [older, newer] = issues as [IssueBody, IssueBody];
    const { dataSource } = tested.world;
    await dataSource.query('UPDATE watching SET created = ?, updated = ? WHERE id = ?', [1000, 9000, first]);
    await dataSource.query('UPDATE watching SET created = ?, updated = ? WHERE id = ?', [2000, 8000, second]);
    await dataSource.query('UPDATE issue SET updated = ? WHERE id = ?', [5000, older.id]);
    await dataSource.query('UPDATE issue SET updated = ? WHERE id = ?', [6000, newer.id]);
    const idsOf = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => id);
    expect(await idsOf('')).toEqual([second, first]);
    expect(await idsOf('?order=asc')).toEqual([first, second]);
    expect(await idsOf('?sort=created')).toEqual([second, first]);
    expect(await idsOf('?sort=updated')).toEqual([first, second]);
    expect(await idsOf(`?issueId[]=${older.id}`)).toEqual([first]);
    expect(await idsOf('?count=1&offset=1')).toEqual([first]);
    const page = await watcher.api.get(`/users/${watcher.id}/watchings?count=1`);
    expect(page.headers.get('link')).toContain('offset=1');
    expect(await count()).toBe(2);
    await colleague.api.post(`/issues/${older.id}/comments`, { content: 'Hello' });
    expect(await idsOf('?resourceAlreadyRead=false')).toEqual([first]);
    expect(await idsOf('?resourceAlreadyRead=true')).toEqual([second]);
    expect([await count('?resourceAlreadyRead=false'), await count('?alreadyRead=false')]).toEqual([1, 1]);
    expect((await watcher.api.post(`/users/${watcher.id}/watchings/markAsChecked`)).status).toBe(204);
    expect(await count('?alreadyRead=false')).toBe(0);
    expect(await count('?resourceAlreadyRead=false&alreadyRead=true')).toBe(1);
    const refused = await watcher.api.get(`/users/${watcher.id}/watchings?sort=id`);
    expect(refused.status).toBe(400);
  });

  it('deletes watchings along with their issue or their user', async () => {
    const { world } = tested;
    await watch();
    await watch(colleague);
    await comment();
    expect((await world.admin.api.delete(`/users/${colleague.id}`)).status).toBe(200);
    expect(await rows()).toBe(1);
    expect((await world.admin.api.delete(`/issues/${project.issueKey}`)).status).toBe(200);
    expect(await rows()).toBe(0);
    expect(await list()).toEqual([]);
  });
});
