import { RoleType } from '../../src/access/role-type';
import { INITIAL_STATE, valuesOf } from '../../src/issues/issue-fields';
import {
  addIssue,
  addSetting,
  issueShape,
  newIssue,
  notificationsOf,
  PRIORITY,
  threadOf,
  updateIssue,
} from '../support/issues';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { activityUserShape, anId, aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('/issues', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let colleague: Person;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project, RoleType.GuestViewer);
  });

  describe('POST /issues', () => {
    it('answers 201 with the issue under the next number and in status Open', async () => {
      const { status, body } = await author.api.post('/issues', newIssue(project, { summary: 'First' }));
      expect(status).toBe(201);
      expect(body).toEqual(
        issueShape(project, author, { summary: 'First', keyId: 2, issueKey: `${project.key}-2` }),
      );
      const again = await author.api.get(`/issues/${project.key}-2`);
      expect(again.body).toEqual(body);
      expect((await author.api.get(`/issues/${body.id}`)).body).toEqual(body);
    });

    it('accepts every field of an issue', async () => {
      const { world } = tested;
      const category = [
        await addSetting(world, project, 'categories'),
        await addSetting(world, project, 'categories'),
      ];
      const versions = [
        await addSetting(world, project, 'versions'),
        await addSetting(world, project, 'versions'),
      ];
      const upload = await world.addUpload(author, 'hello', 'hello.txt');
      const { body } = await author.api.post(
        '/issues',
        newIssue(project, {
          summary: '  All of it ',
          description: 'Line\nLine',
          priorityId: 2,
          categoryId: [category[1]!.id, category[0]!.id, category[1]!.id],
          versionId: [versions[0]!.id],
          milestoneId: [versions[1]!.id, versions[0]!.id],
          assigneeId: colleague.id,
          parentIssueId: project.issueId,
          startDate: '2026-02-02',
          dueDate: '2026-02-02',
          estimatedHours: 2.25,
          actualHours: 0,
          attachmentId: [upload],
        }),
      );
      expect(body).toEqual(
        issueShape(project, author, {
          summary: 'All of it',
          description: 'Line\nLine',
          priority: PRIORITY.high,
          category,
          versions: [versions[0]],
          milestone: versions,
          assignee: userShape(colleague),
          parentIssueId: project.issueId,
          startDate: '2026-02-02T00:00:00Z',
          dueDate: '2026-02-02T00:00:00Z',
          estimatedHours: 2.25,
          actualHours: 0,
          attachments: [
            { id: upload, name: 'hello.txt', size: 5, createdUser: userShape(author), created: aTimestamp },
          ],
        }),
      );
      expect((await author.api.get(`/issues/${body.id}`)).body).toEqual(body);
    });

    it('accepts a form with lists and empty fields', async () => {
      const { world } = tested;
      const { id: categoryId } = await addSetting(world, project, 'categories');
      const form = new URLSearchParams({
        projectId: String(project.id),
        summary: 'From a form',
        issueTypeId: String(project.issueTypeId),
        priorityId: '3',
        'categoryId[]': String(categoryId),
        'versionId[]': '',
        estimatedHours: '1.5',
        dueDate: '',
        assigneeId: '',
      });
      const { status, body } = await author.api.post('/issues', form);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        summary: 'From a form',
        category: [{ id: categoryId }],
        versions: [],
        estimatedHours: 1.5,
        dueDate: null,
        assignee: null,
      });
    });

    it('writes activity 1 with the names of the settings', async () => {
      const { world } = tested;
      const category = await addSetting(world, project, 'categories');
      const version = await addSetting(world, project, 'versions');
      const issue = await addIssue(author, project, {
        description: 'Text',
        categoryId: [category.id],
        versionId: [version.id],
        milestoneId: [version.id],
        assigneeId: colleague.id,
        parentIssueId: project.issueId,
        dueDate: '2026-02-06',
        estimatedHours: 1,
      });
      const named = ({ id, name }: { id: number; name: string }) => ({ id, name });
      expect((await activitiesOf(world, project)).slice(-1)).toEqual([
        {
          type: 1,
          createdUserId: author.id,
          content: {
            id: issue.id,
            key_id: 2,
            summary: 'New',
            description: 'Text',
            issueType: {
              id: project.issueTypeId,
              projectId: project.id,
              name: expect.any(String),
              color: expect.stringMatching(/^#/),
              displayOrder: 0,
            },
            status: { id: 1, name: 'Open' },
            priority: PRIORITY.normal,
            resolution: { id: null, name: '' },
            assignee: activityUserShape(colleague),
            category: [named(category)],
            versions: [named(version)],
            milestone: [named(version)],
            customFields: [],
            parentIssueId: project.issueId,
            ...valuesOf(INITIAL_STATE, () => ''),
            dueDate: '2026-02-06',
            estimatedHours: 1,
          },
        },
      ]);
    });

    it('notifies each user once, the assignee of the assignment, others of the issue', async () => {
      const { world } = tested;
      const issue = await addIssue(author, project, {
        assigneeId: colleague.id,
        notifiedUserId: [world.admin.id, colleague.id, author.id],
      });
      const told = { senderId: author.id, commentId: null };
      expect(await notificationsOf(world, await threadOf(world, issue.id))).toEqual([
        { ...told, userId: colleague.id, reason: 1 },
        { ...told, userId: world.admin.id, reason: 3 },
        { ...told, userId: author.id, reason: 3 },
      ]);
    });

    it('sends no notification to callers who assign themselves', async () => {
      const { world } = tested;
      const issue = await addIssue(author, project, { assigneeId: author.id });
      expect(await notificationsOf(world, await threadOf(world, issue.id))).toEqual([]);
    });

    it('lets an Administrator create and be assigned issues without a membership', async () => {
      const { world } = tested;
      const { status, body } = await world.admin.api.post(
        '/issues',
        newIssue(project, { assigneeId: world.admin.id }),
      );
      expect(status).toBe(201);
      expect(body).toMatchObject({ assignee: { id: world.admin.id } });
    });

    it.each([
      ['an empty request', {}, ['issueTypeId', 'priorityId', 'projectId', 'summary']],
      ['a blank summary', { summary: ' \n' }, ['summary']],
      ['a summary that is too long', { summary: 'x'.repeat(256) }, ['summary']],
      ['a description that is too long', { description: 'x'.repeat(100_001) }, ['description']],
      ['an unknown priority', { priorityId: 1 }, ['priorityId']],
      ['invalid dates', { startDate: '2026-02-30', dueDate: 'soon' }, ['dueDate', 'startDate']],
      ['invalid hours', { estimatedHours: -1, actualHours: 0.001 }, ['actualHours', 'estimatedHours']],
      ['null for required fields', { summary: null, issueTypeId: null }, ['issueTypeId', 'summary']],
      ['a status', { statusId: 4 }, ['statusId']],
      ['a due date before the start date', { startDate: '2026-02-03', dueDate: '2026-02-02' }, ['dueDate']],
      ['an unknown custom field', { customField_1: 'x' }, ['customField_1']],
    ])('refuses %s and stores nothing', async (_what, fields, problems) => {
      const body = Object.keys(fields).length === 0 ? {} : newIssue(project, fields);
      await expectRefused(tested.world, () => author.api.post('/issues', body), problems);
    });

    it.each<[string, string, () => Promise<object>]>([
      ['an unknown project', 'projectId', () => Promise.resolve({ projectId: 999_999 })],
      [
        'a project that the caller does not belong to',
        'projectId',
        async () => ({ projectId: (await tested.world.addProject()).id }),
      ],
      [
        "another project's type",
        'issueTypeId',
        async () => ({ issueTypeId: (await tested.world.addProject()).issueTypeId }),
      ],
      [
        "another project's category",
        'categoryId',
        async () => ({
          categoryId: [(await addSetting(tested.world, await tested.world.addProject(), 'categories')).id],
        }),
      ],
      [
        "another project's version",
        'versionId',
        async () => ({
          versionId: [(await addSetting(tested.world, await tested.world.addProject(), 'versions')).id],
        }),
      ],
      ['an unknown milestone', 'milestoneId', () => Promise.resolve({ milestoneId: [999_999] })],
      [
        'an assignee outside the project',
        'assigneeId',
        async () => ({ assigneeId: (await tested.world.addUser()).id }),
      ],
      ['an unknown assignee', 'assigneeId', () => Promise.resolve({ assigneeId: 999_999 })],
      [
        'a user to notify outside the project',
        'notifiedUserId',
        async () => ({ notifiedUserId: [(await tested.world.addUser()).id] }),
      ],
      [
        "another user's upload",
        'attachmentId',
        async () => ({ attachmentId: [await tested.world.addUpload(tested.world.admin)] }),
      ],
      ['an unknown parent', 'parentIssueId', () => Promise.resolve({ parentIssueId: 999_999 })],
      [
        'a parent in another project',
        'parentIssueId',
        async () => ({ parentIssueId: (await tested.world.addProject()).issueId }),
      ],
      [
        'a parent that is a child',
        'parentIssueId',
        async () => ({
          parentIssueId: (await addIssue(author, project, { parentIssueId: project.issueId })).id,
        }),
      ],
    ])('refuses %s, names the field and stores nothing', async (_what, field, unusable) => {
      const fields = await unusable();
      await expectRefused(tested.world, () => author.api.post('/issues', newIssue(project, fields)), [field]);
    });

    it('reuses the number of a refused issue', async () => {
      const upload = await tested.world.addUpload(tested.world.admin);
      await author.api.post('/issues', newIssue(project, { attachmentId: [upload] }));
      expect((await addIssue(author, project)).keyId).toBe(2);
    });
  });

  describe('GET /issues/{issueIdOrKey}', () => {
    it('returns stars and, when it is expanded, childIssueSummary', async () => {
      const { world } = tested;
      const children = [
        await addIssue(author, project, { parentIssueId: project.issueId }),
        await addIssue(author, project, { parentIssueId: project.issueId }),
      ];
      await updateIssue(author, children[0]!.id, { statusId: 4 });
      await author.api.post('/stars', { issueId: project.issueId });
      const path = `/issues/${project.issueKey}`;
      const { status, body } = await colleague.api.get(path);
      expect(status).toBe(200);
      expect(body).toEqual(
        issueShape(project, world.admin, {
          id: project.issueId,
          summary: 'An issue',
          description: 'Its description',
          stars: [
            {
              id: anId,
              comment: '',
              url: expect.stringMatching(new RegExp(`/view/${project.issueKey}$`)),
              title: `[${project.issueKey}] An issue`,
              presenter: userShape(author),
              created: aTimestamp,
            },
          ],
        }),
      );
      const expanded = await colleague.api.get(`${path}?expand[]=childIssueSummary`);
      expect(expanded.body).toEqual({ ...body, childIssueSummary: { total: 2, closed: 1 } });
      const childless = await colleague.api.get(`/issues/${children[0]!.id}?expand[]=childIssueSummary`);
      expect(childless.body.childIssueSummary).toEqual({ total: 0, closed: 0 });
    });

    it.each(['expand[]=everything', 'expand=childissuesummary'])('refuses ?%s', async (query) => {
      const { status, body } = await author.api.get(`/issues/${project.issueKey}?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual(errorShape(7, [query.split(/[[=]/)[0]!]));
    });
  });

  describe('DELETE /issues/{issueIdOrKey}', () => {
    it('returns the issue and removes it with its comments, files, stars and notifications', async () => {
      const { world } = tested;
      const upload = await world.addUpload(author);
      const { id, issueKey } = await addIssue(author, project, {
        attachmentId: [upload],
        assigneeId: colleague.id,
        notifiedUserId: [world.admin.id],
      });
      await updateIssue(author, id, { statusId: 2, comment: 'Begun', notifiedUserId: [colleague.id] });
      await author.api.post('/stars', { issueId: id });
      const threadId = await threadOf(world, id);
      const { body: before } = await world.admin.api.get(`/issues/${id}`);
      const { status, body } = await world.admin.api.delete(`/issues/${issueKey}`);
      expect(status).toBe(200);
      expect(body).toEqual(before);
      for (const path of [`/issues/${id}`, `/issues/${issueKey}`, `/issues/${id}/comments`]) {
        expect((await author.api.get(path)).status).toBe(404);
      }
      expect((await world.admin.api.delete(`/issues/${id}`)).status).toBe(404);
      for (const table of ['comment', 'star', 'notification']) {
        const rows = await world.dataSource.query(`SELECT id FROM ${table} WHERE thread_id = ?`, [threadId]);
        expect(rows).toEqual([]);
      }
      expect(await world.dataSource.query('SELECT id FROM comment_thread WHERE id = ?', [threadId])).toEqual(
        [],
      );
      // The bytes are deleted soon; until then the file is unreachable.
      for (const sql of [
        'SELECT id FROM attachment WHERE id = ? AND attached = 1',
        'SELECT issue_id FROM issue_attachment WHERE attachment_id = ?',
      ]) {
        expect(await world.dataSource.query(sql, [upload])).toEqual([]);
      }
      expect((await activitiesOf(world, project)).at(-1)).toEqual({
        type: 4,
        createdUserId: world.admin.id,
        content: { id, key_id: 2 },
      });
    });

    it('leaves the children without a parent, and never reuses the number', async () => {
      const { world } = tested;
      const parent = await addIssue(author, project);
      const child = await addIssue(author, project, { parentIssueId: parent.id });
      expect((await world.admin.api.delete(`/issues/${parent.id}`)).status).toBe(200);
      expect((await author.api.get(`/issues/${child.id}`)).body).toMatchObject({ parentIssueId: null });
      expect((await world.admin.api.delete(`/issues/${child.id}`)).status).toBe(200);
      expect((await addIssue(author, project)).keyId).toBe(4);
      const [{ used }] = await world.dataSource.query<[{ used: number }]>(
        "SELECT used FROM project_counter WHERE project_id = ? AND name = 'issue'",
        [project.id],
      );
      expect(used).toBe(2);
    });

    it('unlinks pull requests from the issue', async () => {
      const { world } = tested;
      const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests/1`;
      const linked = await author.api.patch(path, { issueId: project.issueId });
      expect(linked.body).toMatchObject({ issue: { id: project.issueId } });
      expect((await world.admin.api.delete(`/issues/${project.issueId}`)).status).toBe(200);
      expect((await author.api.get(path)).body).toMatchObject({ issue: null });
    });

    it('answers 403 to a member and 200 to an administrator of the project', async () => {
      const { world } = tested;
      expect((await author.api.delete(`/issues/${project.issueKey}`)).status).toBe(403);
      const administrator = await world.addMember(project, RoleType.Viewer, true);
      expect((await administrator.api.delete(`/issues/${project.issueKey}`)).status).toBe(200);
    });
  });

  it('removes the issues of a deleted project', async () => {
    const { world } = tested;
    const parent = await addIssue(author, project, { attachmentId: [await world.addUpload(author)] });
    await addIssue(author, project, {
      parentIssueId: parent.id,
      categoryId: [(await addSetting(world, project, 'categories')).id],
      milestoneId: [(await addSetting(world, project, 'versions')).id],
    });
    await updateIssue(author, parent.id, { comment: 'Text', notifiedUserId: [colleague.id] });
    expect((await world.admin.api.delete(`/projects/${project.key}`)).status).toBe(200);
    expect((await world.admin.api.get(`/issues/${parent.id}`)).status).toBe(404);
    await world.background.whenIdle();
    expect(await world.dataSource.query('SELECT id FROM issue WHERE project_id = ?', [project.id])).toEqual(
      [],
    );
    expect(await world.dataSource.query('SELECT id FROM project WHERE id = ?', [project.id])).toEqual([]);
  });
});
