import { RoleType } from '../../src/access/role-type';
import { type ApiResponse } from '../support/api';
import { addIssue, addSetting, type IssueBody, newIssue, updateIssue } from '../support/issues';
import { addKey } from '../support/keys';
import { everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { attachmentEntry, changeEntry, errorShape, notificationEntry, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const CREATED = '2019-04-01T09:30:00Z';
const UPDATED = '2019-05-02T10:00:00Z';
const LATER = '2019-06-03T11:00:00Z';

interface CommentBody {
  id: number;
  content: string;
  changeLog: unknown[];
  createdUser: { id: number };
  created: string;
  updated: string;
  notifications: unknown[];
}

interface ActivityBody {
  type: number;
  createdUser: { id: number };
  created: string;
}

/** Everything that tells somebody of a change. */
const MESSAGES = ['notification', 'webhook_event', 'webhook_delivery', 'watching'] as const;

describe('imports of issues and wiki pages', () => {
  const tested = useWorld({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  let project: ProjectFixture;
  let admin: Person;
  let author: Person;
  let editor: Person;

  beforeAll(() => tested.world.stopDeliveries());

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    ({ admin } = world);
    author = await world.addMember(project);
    editor = await world.addMember(project);
  });

  const importIssue = async (fields: object = {}): Promise<IssueBody> => {
    const { status, body } = await admin.api.post<IssueBody>('/issues/import', newIssue(project, fields));
    expect(status).toBe(201);
    return body;
  };

  const importUpdate = async (issue: { id: number }, fields: object): Promise<IssueBody> => {
    const { status, body } = await admin.api.patch<IssueBody>(`/issues/${issue.id}/import`, fields);
    expect(status).toBe(200);
    return body;
  };

  const commentsOf = async (issue: { id: number }): Promise<CommentBody[]> =>
    (await admin.api.get<CommentBody[]>(`/issues/${issue.id}/comments?order=asc`)).body;

  const lastActivity = async (): Promise<ActivityBody | undefined> =>
    (await admin.api.get<ActivityBody[]>(`/projects/${project.key}/activities?count=1`)).body[0];

  const lastAuditEntry = async (): Promise<any> =>
    (await admin.api.get<any[]>('/space/auditLog?count=1')).body[0];

  async function messages(): Promise<Record<string, unknown>> {
    const all = await everythingStored(tested.world);
    return Object.fromEntries(MESSAGES.map((table) => [table, all[table]]));
  }

  /** Makes every member a watcher of an issue, and every event one for a webhook. */
  async function listenTo(issueKey: string): Promise<void> {
    const hook = { name: 'all', hookUrl: 'http://127.0.0.1:9/', allEvent: true };
    await admin.api.post(`/projects/${project.key}/webhooks`, hook);
    for (const person of [author, editor, admin])
      await person.api.post('/watchings', { issueIdOrKey: issueKey });
  }

  describe('POST /issues/import', () => {
    it('keeps the authors and times in every reading', async () => {
      const issue = await importIssue({
        summary: 'Imported quokka',
        createdUserId: author.id,
        created: '2019-04-01T18:30:00+09:00',
        updatedUserId: editor.id,
        updated: UPDATED,
      });
      const origin = {
        createdUser: userShape(author),
        created: CREATED,
        updatedUser: userShape(editor),
        updated: UPDATED,
      };
      expect(issue).toMatchObject(origin);
      expect((await author.api.get(`/issues/${issue.issueKey}`)).body).toMatchObject(origin);
      expect(await lastActivity()).toMatchObject({
        type: 1,
        createdUser: { id: author.id },
        created: CREATED,
      });
      for (const query of [
        'keyword=quokka',
        'createdSince=2019-04-01&createdUntil=2019-04-01',
        'updatedSince=2019-05-02&updatedUntil=2019-05-02',
        `createdUserId[]=${author.id}`,
      ]) {
        const { body } = await admin.api.get<IssueBody[]>(`/issues?projectId[]=${project.id}&${query}`);
        expect([query, body.map(({ id }) => id)]).toEqual([query, [issue.id]]);
      }
      for (const sort of ['created', 'updated']) {
        const path = `/issues?projectId[]=${project.id}&sort=${sort}&order=asc`;
        expect((await admin.api.get<IssueBody[]>(path)).body[0]?.id).toBe(issue.id);
      }
    });

    it('notifies nobody, and has an entry of the audit log', async () => {
      await listenTo(project.issueKey);
      const before = await messages();
      const issue = await importIssue({
        description: `<@U${author.id}> <@project>`,
        assigneeId: author.id,
        notifiedUserId: [editor.id],
        createdUserId: editor.id,
        created: CREATED,
      });
      expect(await messages()).toEqual(before);
      expect(await lastAuditEntry()).toMatchObject({
        action: 'issue.import',
        actorId: admin.id,
        subjectId: issue.id,
        subjectName: `${issue.issueKey} New`,
        changes: [
          { field: 'createdUserId', from: null, to: String(editor.id) },
          { field: 'created', from: null, to: CREATED },
        ],
      });
    });

    it('is as today without an author and a time', async () => {
      const before = Date.now();
      const issue = await importIssue();
      expect(issue).toMatchObject({ createdUser: { id: admin.id }, updatedUser: { id: admin.id } });
      expect(Date.parse(issue.created as string)).toBeGreaterThanOrEqual(before - 1000);
      expect(issue.updated).toBe(issue.created);
    });

    it('attaches uploads of the caller in the name of the author', async () => {
      const attachmentId = await tested.world.addUpload(admin, 'x', 'old.txt');
      const issue = await importIssue({
        createdUserId: author.id,
        created: CREATED,
        attachmentId: [attachmentId],
      });
      expect((await admin.api.get(`/issues/${issue.id}/attachments`)).body).toEqual([
        { id: attachmentId, name: 'old.txt', size: 1, createdUser: userShape(author), created: CREATED },
      ]);
      // An old file does not count as an expired upload.
      tested.world.startBackgroundWork();
      await tested.world.whenIdle();
      expect((await admin.api.download(`/issues/${issue.id}/attachments/${attachmentId}`)).text).toBe('x');
    });

    it('accepts users who left, who are disabled and who are no members', async () => {
      const { world } = tested;
      const [former, disabled, other] = [
        await world.addMember(project),
        await world.addMember(project),
        await world.addUser(RoleType.GuestViewer),
      ];
      await addIssue(former, project);
      await admin.api.delete(`/users/${former.id}`);
      await admin.api.patch(`/users/${disabled.id}`, { enabled: false });
      const issue = await importIssue({
        createdUserId: former.id,
        updatedUserId: other.id,
        created: CREATED,
        assigneeId: disabled.id,
        notifiedUserId: [other.id, former.id],
      });
      expect(issue).toMatchObject({
        createdUser: { id: former.id },
        updatedUser: { id: other.id },
        assignee: { id: disabled.id },
      });
    });

    it.each([
      ['created', { created: '2019-04-01' }],
      ['created', { created: '1969-12-31T23:59:59Z' }],
      ['created', { created: '2999-01-01T00:00:00Z' }],
      ['updated', { created: UPDATED, updated: CREATED }],
      ['createdUserId', { createdUserId: 999_999 }],
      ['createdUserId', { createdUserId: 0 }],
      ['updatedUserId', { updatedUserId: 999_999 }],
      ['assigneeId', { assigneeId: 999_999 }],
      ['notifiedUserId', { notifiedUserId: [999_999] }],
    ])('refuses an invalid %s: %j', async (field, fields) => {
      const send = (): Promise<ApiResponse> =>
        admin.api.post('/issues/import', newIssue(project, { createdUserId: author.id, ...fields }));
      await expectRefused(tested.world, send, [field]);
    });

    it('accepts a clock that is a little ahead', async () => {
      const created = new Date(Date.now() + 60_000).toISOString();
      expect((await importIssue({ created })).created).toBe(`${created.slice(0, 19)}Z`);
    });

    it('gives each of many imports at once its own number', async () => {
      const imported = await Promise.all(Array.from({ length: 20 }, () => importIssue({ created: CREATED })));
      expect(new Set(imported.map(({ keyId }) => keyId)).size).toBe(20);
    });
  });

  describe('PATCH /issues/{issueIdOrKey}/import', () => {
    it('records one comment with its change log, as of then', async () => {
      const issue = await importIssue({ createdUserId: author.id, created: CREATED });
      await listenTo(issue.issueKey);
      await author.api.patch(`/watchings/${issue.id}`);
      const attachmentId = await tested.world.addUpload(admin, 'x', 'old.txt');
      const before = await messages();
      const after = await importUpdate(issue, {
        comment: `Changed by <@U${author.id}>, wombat`,
        summary: 'Then',
        statusId: 4,
        assigneeId: author.id,
        notifiedUserId: [admin.id],
        attachmentId: [attachmentId],
        created: UPDATED,
        updated: UPDATED,
        updatedUserId: editor.id,
      });
      expect(await messages()).toEqual(before);
      expect(after).toMatchObject({
        summary: 'Then',
        createdUser: { id: author.id },
        created: CREATED,
        updatedUser: { id: editor.id },
        updated: UPDATED,
        attachments: [{ id: attachmentId, createdUser: { id: editor.id }, created: UPDATED }],
      });
      expect(await commentsOf(issue)).toEqual([
        expect.objectContaining({
          content: `Changed by <@U${author.id}>, wombat`,
          createdUser: userShape(editor),
          created: UPDATED,
          updated: UPDATED,
          notifications: [],
          changeLog: [
            changeEntry('summary', 'Then', 'New'),
            changeEntry('status', 'Closed', 'Open'),
            changeEntry('assigner', author.name, ''),
            attachmentEntry({ id: attachmentId, name: 'old.txt' }),
            notificationEntry(admin, 'issue.update'),
          ],
        }),
      ]);
      expect(await lastActivity()).toMatchObject({
        type: 2,
        createdUser: { id: editor.id },
        created: UPDATED,
      });
      const { body } = await admin.api.get<IssueBody[]>(`/issues?projectId[]=${project.id}&keyword=wombat`);
      expect(body.map(({ id }) => id)).toEqual([issue.id]);
      expect(await lastAuditEntry()).toMatchObject({
        action: 'issue.importUpdate',
        actorId: admin.id,
        subjectId: issue.id,
        subjectName: `${issue.issueKey} Then`,
      });
    });

    it('keeps a later edit of the issue', async () => {
      const issue = await importIssue({ created: CREATED, updated: LATER, updatedUserId: author.id });
      const after = await importUpdate(issue, {
        comment: 'Then',
        updated: UPDATED,
        updatedUserId: editor.id,
      });
      expect(after).toMatchObject({ updated: LATER, updatedUser: { id: author.id } });
      const today = await updateIssue(editor, issue.id, { summary: 'Today' });
      expect(await importUpdate(issue, { summary: 'Then', updated: LATER })).toMatchObject({
        summary: 'Then',
        updated: today.updated,
        updatedUser: { id: editor.id },
      });
    });

    it('keeps the latest of many updates at once', async () => {
      const issue = await importIssue({ created: CREATED });
      const times = Array.from(
        { length: 20 },
        (_, day) => `2020-01-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
      );
      await Promise.all(times.map((created) => importUpdate(issue, { comment: created, created })));
      const comments = await commentsOf(issue);
      expect(comments.map(({ created }) => created).toSorted()).toEqual(times);
      expect(comments.every(({ content, created }) => content === created)).toBe(true);
      expect((await admin.api.get(`/issues/${issue.id}`)).body).toMatchObject({ updated: times.at(-1) });
    });

    it('refuses an update without a change, in the words that the tools of the family skip', async () => {
      const issue = await importIssue({ created: CREATED });
      const { status, body } = await admin.api.patch(`/issues/${issue.id}/import`, {
        created: UPDATED,
        updated: UPDATED,
        updatedUserId: editor.id,
      });
      expect(status).toBe(400);
      expect(body.errors[0].message).toContain('No comment content');
      expect(body.errors[0].message).toContain('Please change the status or post a comment.');
    });

    it('leaves an update of today as it was', async () => {
      const issue = await addIssue(author, project, { assigneeId: editor.id });
      await listenTo(issue.issueKey);
      await importUpdate(issue, { comment: 'Then', created: CREATED });
      await updateIssue(author, issue.id, { comment: 'Now', notifiedUserId: [editor.id] });
      const [then, now] = await commentsOf(issue);
      expect([then?.notifications, now?.notifications]).toEqual([[], [expect.anything()]]);
      const stored = await everythingStored(tested.world);
      expect(stored.webhook_event).toContainEqual(expect.objectContaining({ activity_type: 3 }));
    });
  });

  describe('DELETE /issues/{issueIdOrKey}/attachments/import/{attachmentId}', () => {
    it('records the deletion as of then', async () => {
      const attachmentId = await tested.world.addUpload(admin, 'x', 'old.txt');
      const issue = await importIssue({ created: CREATED, attachmentId: [attachmentId] });
      await listenTo(issue.issueKey);
      const before = await messages();
      const path = `/issues/${issue.id}/attachments/import/${attachmentId}`;
      const form = new URLSearchParams({ createdUserId: String(editor.id), created: UPDATED });
      expect((await admin.api.delete(path, form)).body).toMatchObject({ id: attachmentId, name: 'old.txt' });
      expect(await messages()).toEqual(before);
      const [comment] = await commentsOf(issue);
      expect(comment).toMatchObject({
        content: '',
        createdUser: { id: editor.id },
        created: UPDATED,
        changeLog: [{ field: 'attachment', newValue: '', originalValue: 'old.txt' }],
      });
      expect(await lastActivity()).toMatchObject({
        type: 2,
        createdUser: { id: editor.id },
        created: UPDATED,
      });
      expect((await admin.api.get(`/issues/${issue.id}`)).body).toMatchObject({
        updated: UPDATED,
        updatedUser: { id: editor.id },
        attachments: [],
      });
      expect((await admin.api.delete(path, form)).body).toEqual(errorShape(6));
    });
  });

  describe('POST /wikis/import', () => {
    it('keeps the authors and times in every reading, and tells nobody', async () => {
      await listenTo(project.issueKey);
      const before = await messages();
      const { status, body } = await admin.api.post<{ id: number }>('/wikis/import', {
        projectId: project.id,
        name: '[old] Imported',
        content: 'Its numbat',
        createdUserId: author.id,
        created: CREATED,
        updatedUserId: editor.id,
        updated: UPDATED,
      });
      expect(status).toBe(201);
      const origin = {
        name: 'Imported',
        createdUser: userShape(author),
        created: CREATED,
        updatedUser: userShape(editor),
        updated: UPDATED,
      };
      expect(body).toMatchObject({ ...origin, tags: [{ name: 'old' }] });
      expect((await admin.api.get(`/wikis/${body.id}`)).body).toMatchObject(origin);
      const list = `/wikis?projectIdOrKey=${project.key}&keyword=numbat`;
      expect((await admin.api.get<any[]>(list)).body).toEqual([expect.objectContaining(origin)]);
      expect((await admin.api.get<any[]>(`/wikis/${body.id}/history`)).body).toEqual([
        expect.objectContaining({ version: 1, createdUser: userShape(editor), created: UPDATED }),
      ]);
      expect(await lastActivity()).toMatchObject({
        type: 5,
        createdUser: { id: author.id },
        created: CREATED,
      });
      expect(await messages()).toEqual(before);
      expect(await lastAuditEntry()).toMatchObject({
        action: 'wiki.import',
        subjectId: body.id,
        subjectName: 'Imported',
      });
    });

    it('refuses a user who does not exist and a time that is to come', async () => {
      const page = { projectId: project.id, name: 'A page', content: '' };
      const send = (fields: object) => () => admin.api.post('/wikis/import', { ...page, ...fields });
      await expectRefused(tested.world, send({ createdUserId: 999_999 }), ['createdUserId']);
      await expectRefused(tested.world, send({ updated: '2999-01-01T00:00:00Z' }), ['updated']);
    });
  });

  describe('a migration tool of the family', () => {
    /** Sends a form as its Java client does. */
    const send = (
      method: string,
      path: string,
      fields: [string, string | number][],
    ): Promise<ApiResponse<{ id: number; keyId: number; errors: { message: string }[] }>> => {
      const form = new URLSearchParams(
        fields.map(([name, value]): [string, string] => [name, String(value)]),
      );
      return admin.api.send(method, path, form, {
        iaah: 'secret',
        'User-Agent': 'backlog4j/2.7.0-migration',
      });
    };

    it('stores an issue, its comments with all kinds of changes, the deletion of a file, and a wiki page', async () => {
      const { world } = tested;
      const category = await addSetting(world, project, 'categories');
      const version = await addSetting(world, project, 'versions');
      const type = await addSetting(world, project, 'issueTypes');
      const fields = `/projects/${project.key}/customFields`;
      const { body: text } = await admin.api.post<{ id: number }>(fields, { typeId: 1, name: 'Text' });
      const list = { typeId: 6, name: 'List', items: ['One', 'Two'] };
      const { body: several } = await admin.api.post<{ id: number; items: { id: number }[] }>(fields, list);
      const file = await world.addUpload(admin, 'x', 'shot.png');

      // It skips a number with an issue that it deletes.
      const basic: [string, string | number][] = [
        ['projectId', project.id],
        ['summary', 'dummy issue'],
        ['issueTypeId', project.issueTypeId],
        ['priorityId', 3],
      ];
      const dummy = await send('POST', '/issues/import', basic);
      expect(dummy.status).toBe(201);
      expect((await admin.api.delete(`/issues/${dummy.body.id}`)).status).toBe(200);

      const issue = await send('POST', '/issues/import', [
        ...basic,
        ['parentIssueId', project.issueId],
        ['description', 'Its text'],
        ['categoryId[]', category.id],
        ['assigneeId', author.id],
        ['startDate', '2019-04-01'],
        ['dueDate', '2019-04-30'],
        ['estimatedHours', '2.5'],
        ['created', '2019-04-01T18:30:00+09:00'],
        ['createdUserId', author.id],
        ['updated', LATER],
        ['updatedUserId', editor.id],
        [`customField_${text.id}`, 'A text'],
        ['attachmentId[]', file],
        ['notifiedUserId[]', editor.id],
      ]);
      expect(issue.status).toBe(201);
      expect(issue.body.keyId).toBe(dummy.body.keyId + 1);

      const path = `/issues/${issue.body.id}/import`;
      const at = (time: string): [string, string | number][] => [
        ['created', time],
        ['updated', time],
        ['updatedUserId', editor.id],
      ];
      const [first, second] = [
        await world.addUpload(admin, '1', 'a.txt'),
        await world.addUpload(admin, '2', 'b.txt'),
      ];
      const changes: [string, string | number][][] = [
        [['comment', 'Only a comment'], ['notifiedUserId[]', author.id], ...at('2019-05-01T00:00:00Z')],
        [
          ...at('2019-05-02T00:00:00+09:00'),
          ['issueTypeId', type.id],
          ['categoryId[]', ''],
          ['versionId[]', version.id],
          ['milestoneId[]', version.id],
          ['assigneeId', ''],
          ['statusId', 4],
          ['resolutionId', 0],
          ['priorityId', 2],
        ],
        [
          ['comment', 'Cleared'],
          ...at('2019-05-03T00:00:00Z'),
          ['startDate', ''],
          ['dueDate', ''],
          ['estimatedHours', ''],
          ['actualHours', '1.25'],
          ['resolutionId', ''],
          ['parentIssueId', ''],
          ['versionId[]', ''],
          ['milestoneId[]', ''],
          [`customField_${text.id}`, ''],
          ...several.items.map(({ id }): [string, number] => [`customField_${several.id}`, id]),
          [`customField_${several.id}_otherValue`, ''],
        ],
        [['attachmentId[]', first], ['attachmentId[]', second], ...at('2019-05-04T00:00:00Z')],
      ];
      for (const change of changes) expect(await send('PATCH', path, change)).toMatchObject({ status: 200 });
      const empty = await send('PATCH', path, at('2019-05-05T00:00:00Z'));
      expect(empty.body.errors[0]?.message).toContain('Please change the status or post a comment.');
      const removal = `/issues/${issue.body.id}/attachments/import/${file}`;
      const removed = await send('DELETE', removal, [
        ['createdUserId', author.id],
        ['created', '2019-05-06T00:00:00Z'],
      ]);
      expect(removed.status).toBe(200);

      const comments = await commentsOf(issue.body);
      expect(
        comments.map(({ created, createdUser, changeLog }) => [created, createdUser.id, changeLog.length]),
      ).toEqual([
        ['2019-05-01T00:00:00Z', editor.id, 1],
        ['2019-05-01T15:00:00Z', editor.id, 8],
        ['2019-05-03T00:00:00Z', editor.id, 10],
        ['2019-05-04T00:00:00Z', editor.id, 2],
        ['2019-05-06T00:00:00Z', author.id, 1],
      ]);
      const { body } = await admin.api.get(`/issues/${issue.body.id}`);
      expect(body).toMatchObject({
        updated: LATER,
        updatedUser: { id: editor.id },
        actualHours: 1.25,
        parentIssueId: null,
      });

      // Before an import, it looks whether the issue exists.
      const query = `projectId[]=${project.id}&createdSince=2019-04-01&keyword=dummy+issue`;
      expect((await admin.api.get<any[]>(`/issues?${query}`)).body).toMatchObject([
        { id: body.id, created: CREATED },
      ]);

      const wiki = await send('POST', '/wikis/import', [
        ['projectId', project.id],
        ['name', 'Imported'],
        ['content', 'Its text'],
        ['created', CREATED],
        ['createdUserId', author.id],
        ['updated', UPDATED],
        ['updatedUserId', editor.id],
      ]);
      expect(wiki.status).toBe(201);
    });

    it('is refused with a key without the scope admin, and with one for a project', async () => {
      await tested.world.join(project, admin);
      const issue = await importIssue({ created: CREATED });
      for (const limits of [{ scopes: ['read', 'write'] as const }, { projectIds: [project.id] }]) {
        const headers = { 'X-API-Key': await addKey(tested.world, admin, limits) };
        const path = `/issues/${issue.id}/import`;
        const answer = await tested.world.anonymous.send('PATCH', path, { comment: 'A' }, headers);
        expect(answer.status).toBe(403);
      }
    });
  });
});
