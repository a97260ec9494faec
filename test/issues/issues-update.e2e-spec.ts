import { RoleType } from '../../src/access/role-type';
import {
  addIssue,
  addSetting,
  type IssueBody,
  issueShape,
  notificationsOf,
  PRIORITY,
  statusShape,
  threadOf,
  updateIssue,
} from '../support/issues';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import {
  activityChange,
  aTimestamp,
  attachmentEntry,
  changeEntry,
  issueCommentShape,
  errorShape,
  notificationEntry,
  notificationShape,
  userShape,
} from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('PATCH /issues/{issueIdOrKey}', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let editor: Person;
  let colleague: Person;
  let issue: IssueBody;
  let path: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    author = await world.addMember(project);
    editor = await world.addMember(project);
    colleague = await world.addMember(project, RoleType.Viewer);
    issue = await addIssue(author, project, { summary: 'Old', description: 'Old text' });
    path = `/issues/${issue.issueKey}`;
  });

  const comments = async (): Promise<any[]> => (await author.api.get<any[]>(`${path}/comments`)).body;

  it('returns the updated issue and leaves omitted fields unchanged', async () => {
    const { status, body } = await editor.api.patch(path, { summary: ' New ' });
    expect(status).toBe(200);
    const { created, ...rest } = issue;
    expect(body).toEqual({
      ...rest,
      created,
      summary: 'New',
      updatedUser: userShape(editor),
      updated: aTimestamp,
    });
    expect((await author.api.get(path)).body).toEqual(body);
  });

  it('changes all fields at once, recorded in one comment and activity 2', async () => {
    const { world } = tested;
    const categories = [
      await addSetting(world, project, 'categories'),
      await addSetting(world, project, 'categories'),
    ];
    const version = await addSetting(world, project, 'versions');
    const milestone = await addSetting(world, project, 'versions');
    const type = await addSetting(world, project, 'issueTypes');
    const status = await addSetting(world, project, 'statuses');
    const oldType = (issue.issueType as { name: string }).name;
    const { body } = await editor.api.patch(path, {
      summary: 'New',
      description: '',
      issueTypeId: type.id,
      statusId: status.id,
      priorityId: 4,
      resolutionId: 0,
      assigneeId: colleague.id,
      parentIssueId: project.issueId,
      startDate: '2026-02-02',
      dueDate: '2026-02-06',
      estimatedHours: 8,
      actualHours: 0.25,
      categoryId: [categories[1]!.id, categories[0]!.id],
      versionId: [version.id],
      milestoneId: [milestone.id],
      comment: 'All of it',
    });
    expect(body).toEqual(
      issueShape(project, author, {
        id: issue.id,
        summary: 'New',
        issueType: type,
        status,
        priority: PRIORITY.low,
        resolution: { id: 0, name: 'Fixed' },
        assignee: userShape(colleague),
        parentIssueId: project.issueId,
        startDate: '2026-02-02T00:00:00Z',
        dueDate: '2026-02-06T00:00:00Z',
        estimatedHours: 8,
        actualHours: 0.25,
        category: categories,
        versions: [version],
        milestone: [milestone],
        updatedUser: userShape(editor),
      }),
    );
    const [comment, ...others] = await comments();
    expect(others).toEqual([]);
    expect(comment).toEqual(
      issueCommentShape({ projectId: project.id, issueId: issue.id }, editor, {
        content: 'All of it',
        changeLog: [
          changeEntry('summary', 'New', 'Old'),
          changeEntry('description', '', 'Old text'),
          changeEntry('issueType', type.name, oldType),
          changeEntry('component', `${categories[0]!.name}, ${categories[1]!.name}`, ''),
          changeEntry('version', version.name, ''),
          changeEntry('milestone', milestone.name, ''),
          changeEntry('status', status.name, 'Open'),
          changeEntry('priority', 'Low', 'Normal'),
          changeEntry('assigner', colleague.name, ''),
          changeEntry('resolution', 'Fixed', ''),
          changeEntry('startDate', '2026-02-02', ''),
          changeEntry('limitDate', '2026-02-06', ''),
          changeEntry('estimatedHours', '8', ''),
          changeEntry('actualHours', '0.25', ''),
          changeEntry('parentIssue', project.issueKey, ''),
        ],
        notifications: [notificationShape(colleague, 1)],
      }),
    );
    expect((await activitiesOf(world, project)).at(-1)).toEqual({
      type: 2,
      createdUserId: editor.id,
      content: {
        id: issue.id,
        key_id: issue.keyId,
        summary: 'New',
        description: '',
        comment: { id: comment.id, content: 'All of it' },
        changes: [
          activityChange('summary', 'New', 'Old'),
          activityChange('description', '', 'Old text'),
          activityChange('issueType', `${type.id}`, `${project.issueTypeId}`),
          activityChange('category', `${categories[0]!.id}, ${categories[1]!.id}`, ''),
          activityChange('versions', `${version.id}`, ''),
          activityChange('milestone', `${milestone.id}`, ''),
          activityChange('status', `${status.id}`, '1'),
          activityChange('priority', '4', '3'),
          activityChange('assigner', `${colleague.id}`, ''),
          activityChange('resolution', '0', ''),
          activityChange('startDate', '2026-02-02', ''),
          activityChange('limitDate', '2026-02-06', ''),
          activityChange('estimatedHours', '8', ''),
          activityChange('actualHours', '0.25', ''),
          activityChange('parentIssue', `${project.issueId}`, ''),
        ],
        attachments: [],
        shared_files: [],
        external_file_links: [],
      },
    });
  });

  it.each<[string, (fields: Record<string, string>) => object | URLSearchParams]>([
    [
      'null',
      () => ({ resolutionId: null, assigneeId: null, parentIssueId: null, dueDate: null, actualHours: null }),
    ],
    ['empty form fields', (fields) => new URLSearchParams(fields)],
  ])('clears optional fields with %s', async (_what, body) => {
    const { world } = tested;
    const category = await addSetting(world, project, 'categories');
    await updateIssue(editor, issue.id, {
      resolutionId: 3,
      assigneeId: colleague.id,
      parentIssueId: project.issueId,
      dueDate: '2026-02-06',
      actualHours: 1,
      categoryId: [category.id],
    });
    const given = body({ resolutionId: '', assigneeId: '', parentIssueId: '', dueDate: '', actualHours: '' });
    const answer = await editor.api.patch(path, given);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      resolution: null,
      assignee: null,
      parentIssueId: null,
      dueDate: null,
      actualHours: null,
      category: [category],
    });
    const [comment] = await comments();
    expect(comment.changeLog).toEqual([
      changeEntry('assigner', '', colleague.name),
      changeEntry('resolution', '', 'Duplicate'),
      changeEntry('limitDate', '', '2026-02-06'),
      changeEntry('actualHours', '', '1'),
      changeEntry('parentIssue', '', project.issueKey),
    ]);
    expect(comment.notifications).toEqual([]);
  });

  it('replaces and empties lists of versions and milestones', async () => {
    const { world } = tested;
    const [one, two] = [
      await addSetting(world, project, 'versions', 'One'),
      await addSetting(world, project, 'versions', 'Two'),
    ];
    await updateIssue(editor, issue.id, { versionId: [one.id, two.id], milestoneId: [one.id] });
    const changed = await updateIssue(editor, issue.id, {
      versionId: [two.id],
      milestoneId: [two.id, two.id],
    });
    expect(changed).toMatchObject({ versions: [two], milestone: [two] });
    const emptied = await editor.api.patch(path, new URLSearchParams('versionId[]='));
    expect(emptied.body).toMatchObject({ versions: [], milestone: [two] });
    const changeLogs = (await comments()).map((comment) => comment.changeLog);
    expect(changeLogs).toEqual([
      [changeEntry('version', '', 'Two')],
      [changeEntry('version', 'Two', 'One, Two'), changeEntry('milestone', 'Two', 'One')],
      [changeEntry('version', 'One, Two', ''), changeEntry('milestone', 'One', '')],
    ]);
  });

  it('closes an issue without a resolution', async () => {
    const body = await updateIssue(editor, issue.id, { statusId: 4 });
    expect(body).toMatchObject({ status: statusShape(project, 4), resolution: null });
  });

  it('adds a comment and a file without a change, and writes activity 3', async () => {
    const { world } = tested;
    const upload = await world.addUpload(editor, 'hello', 'hello.txt');
    const { body } = await editor.api.patch(path, {
      summary: 'Old',
      statusId: 1,
      comment: 'Only a word',
      attachmentId: [upload],
      notifiedUserId: [colleague.id],
    });
    expect(body).toMatchObject({
      summary: 'Old',
      attachments: [{ id: upload, name: 'hello.txt', size: 5 }],
      updatedUser: { id: editor.id },
    });
    const [comment] = await comments();
    expect(comment).toEqual(
      issueCommentShape({ projectId: project.id, issueId: issue.id }, editor, {
        content: 'Only a word',
        changeLog: [attachmentEntry({ id: upload, name: 'hello.txt' }), notificationEntry(colleague)],
        notifications: [notificationShape(colleague, 2)],
      }),
    );
    expect((await activitiesOf(world, project)).at(-1)).toEqual({
      type: 3,
      createdUserId: editor.id,
      content: {
        id: issue.id,
        key_id: issue.keyId,
        summary: 'Old',
        description: 'Old text',
        comment: { id: comment.id, content: 'Only a word' },
        changes: [activityChange('attachment', 'hello.txt', '')],
        attachments: [{ id: upload, name: 'hello.txt', size: 5 }],
        shared_files: [],
        external_file_links: [],
      },
    });
  });

  it('accepts a file without a comment or a change', async () => {
    await updateIssue(editor, issue.id, { attachmentId: [await tested.world.addUpload(editor)] });
    expect(await comments()).toMatchObject([{ content: '', changeLog: [{ field: 'attachment' }] }]);
  });

  it('notifies a new assignee of the assignment and other users of the update', async () => {
    const { world } = tested;
    await updateIssue(editor, issue.id, {
      assigneeId: colleague.id,
      notifiedUserId: [world.admin.id, colleague.id],
    });
    await updateIssue(editor, issue.id, { assigneeId: editor.id, notifiedUserId: [colleague.id] });
    await updateIssue(editor, issue.id, { assigneeId: editor.id, statusId: 2 });
    const written = (await comments()).reverse();
    expect(written.map(({ id: _, ...comment }) => comment.changeLog.map(({ field }: any) => field))).toEqual([
      ['assigner', 'notification', 'notification'],
      ['assigner', 'notification'],
      ['status'],
    ]);
    expect(written[0].changeLog[1].notificationInfo).toEqual({ type: 'issue.update' });
    const told = await notificationsOf(world, await threadOf(world, issue.id));
    expect(told).toEqual([
      { userId: world.admin.id, senderId: editor.id, reason: 4, commentId: written[0].id },
      { userId: colleague.id, senderId: editor.id, reason: 1, commentId: written[0].id },
      { userId: colleague.id, senderId: editor.id, reason: 4, commentId: written[1].id },
    ]);
  });

  it('keeps an assignee who has left the project, but refuses one from outside', async () => {
    const { world } = tested;
    await updateIssue(editor, issue.id, { assigneeId: colleague.id });
    const left = await world.admin.api.delete(`/projects/${project.key}/users`, { userId: colleague.id });
    expect(left.status).toBe(200);
    const body = await updateIssue(editor, issue.id, { assigneeId: colleague.id, statusId: 2 });
    expect(body).toMatchObject({ assignee: { id: colleague.id }, status: { id: 2 } });
    const stranger = await world.addUser();
    const refused = () => editor.api.patch(path, { assigneeId: stranger.id });
    await expectRefused(world, refused, ['assigneeId']);
  });

  it.each<[string, () => object]>([
    ['an empty request', () => ({})],
    [
      'the current values',
      () => ({ summary: 'Old', statusId: 1, resolutionId: null, categoryId: [], assigneeId: null }),
    ],
    ['a blank comment', () => ({ comment: ' \n' })],
    ['only users to notify', () => ({ notifiedUserId: [colleague.id] })],
  ])('refuses %s', async (_what, body) => {
    const { world } = tested;
    const send = () => editor.api.patch(path, body());
    await expectRefused(world, send, ['']);
    expect((await send()).body.errors[0].message).toBe(
      'No comment content. Please change the status or post a comment.',
    );
  });

  it.each([
    ['a blank summary', { summary: ' ' }, ['summary']],
    [
      'null for required fields',
      { summary: null, priorityId: null, statusId: null },
      ['priorityId', 'statusId', 'summary'],
    ],
    ['an unknown resolution', { resolutionId: 5 }, ['resolutionId']],
    ['a comment that is too long', { comment: 'x'.repeat(50_001) }, ['comment']],
    ['another project', { projectId: 1 }, ['projectId']],
    ['an invalid date', { dueDate: '2026-13-01' }, ['dueDate']],
  ])('refuses %s and stores nothing', async (_what, body, fields) => {
    await expectRefused(tested.world, () => editor.api.patch(path, body), fields);
  });

  it('refuses a start date after the due date, whichever is sent', async () => {
    const { world } = tested;
    await updateIssue(editor, issue.id, { startDate: '2026-02-02', dueDate: '2026-02-06' });
    await expectRefused(world, () => editor.api.patch(path, { startDate: '2026-02-07' }), ['startDate']);
    await expectRefused(world, () => editor.api.patch(path, { dueDate: '2026-02-01' }), ['dueDate']);
    const both = { startDate: '2026-02-09', dueDate: '2026-02-08' };
    await expectRefused(world, () => editor.api.patch(path, both), ['dueDate']);
    await updateIssue(editor, issue.id, { startDate: '2026-02-07', dueDate: null });
  });

  it.each<[string, string, () => Promise<object>]>([
    [
      "another project's type",
      'issueTypeId',
      async () => ({ issueTypeId: (await tested.world.addProject()).issueTypeId }),
    ],
    [
      "another project's status",
      'statusId',
      async () => ({
        statusId: (await addSetting(tested.world, await tested.world.addProject(), 'statuses')).id,
      }),
    ],
    ['the row id of a standard status', 'statusId', () => Promise.resolve({ statusId: project.statusId })],
    ['an unknown category', 'categoryId', () => Promise.resolve({ categoryId: [999_999] })],
    [
      "another project's milestone",
      'milestoneId',
      async () => ({
        milestoneId: [(await addSetting(tested.world, await tested.world.addProject(), 'versions')).id],
      }),
    ],
    [
      'a user to notify outside the project',
      'notifiedUserId',
      async () => ({ notifiedUserId: [(await tested.world.addUser()).id] }),
    ],
    ['an unknown upload', 'attachmentId', () => Promise.resolve({ attachmentId: [999_999] })],
    ['the issue as its own parent', 'parentIssueId', () => Promise.resolve({ parentIssueId: issue.id })],
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
    [
      'a parent for an issue with children',
      'parentIssueId',
      async () => {
        await addIssue(author, project, { parentIssueId: issue.id });
        return { parentIssueId: project.issueId };
      },
    ],
  ])('refuses %s, names the field and stores nothing', async (_what, field, unusable) => {
    const fields = await unusable();
    const send = () => editor.api.patch(path, { summary: 'New', comment: 'Text', ...fields });
    await expectRefused(tested.world, send, [field]);
  });

  it('answers 404 for a deleted issue', async () => {
    await tested.world.admin.api.delete(path);
    const { status, body } = await editor.api.patch(path, { summary: 'New' });
    expect(status).toBe(404);
    expect(body).toEqual(errorShape(6));
  });

  describe('under simultaneous requests', () => {
    it('records each update against the values of the one before it', async () => {
      const { world } = tested;
      const count = 20;
      const answers = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          editor.api.patch(path, {
            summary: `Summary ${index}`,
            statusId: 1 + (index % 4),
            priorityId: 2 + (index % 3),
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(count).fill(200));
      const log = (await author.api.get<any[]>(`${path}/comments?order=asc&count=100`)).body;
      expect(log).toHaveLength(count);
      // From the first state to the last, each comment continues from the previous one.
      const values = new Map([
        ['summary', 'Old'],
        ['status', 'Open'],
        ['priority', 'Normal'],
      ]);
      for (const { changeLog } of log) {
        for (const { field, newValue, originalValue } of changeLog) {
          expect([field, originalValue]).toEqual([field, values.get(field)]);
          values.set(field, newValue);
        }
      }
      const { body } = await author.api.get(path);
      expect([body.summary, body.status.name, body.priority.name]).toEqual([...values.values()]);
      const told = (await activitiesOf(world, project)).filter(({ type }) => type === 2);
      expect(told).toHaveLength(count);
    });

    it('accepts one of three parents that would form a cycle', async () => {
      const chain = [issue, await addIssue(author, project), await addIssue(author, project)];
      for (let round = 0; round < 5; round++) {
        for (const { id } of chain) {
          await editor.api.patch(`/issues/${id}`, { parentIssueId: null, comment: 'Alone' });
        }
        const answers = await Promise.all([
          editor.api.patch(`/issues/${chain[0]!.id}`, { parentIssueId: chain[1]!.id }),
          editor.api.patch(`/issues/${chain[1]!.id}`, { parentIssueId: chain[2]!.id }),
          editor.api.patch(`/issues/${chain[2]!.id}`, { parentIssueId: chain[0]!.id }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      }
    });

    it('answers 200 or 404 during a deletion, and leaves no comment behind', async () => {
      const { world } = tested;
      const threadId = await threadOf(world, issue.id);
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, (_, index) => editor.api.patch(path, { summary: `Summary ${index}` })),
        world.admin.api.delete(path),
        ...Array.from({ length: 5 }, (_, index) => editor.api.patch(path, { comment: `Comment ${index}` })),
      ]);
      for (const { status } of answers) expect([200, 404]).toContain(status);
      const rows = await world.dataSource.query('SELECT id FROM comment WHERE thread_id = ?', [threadId]);
      expect(rows).toEqual([]);
      expect((await activitiesOf(world, project)).at(-1)).toMatchObject({
        type: 4,
        content: { id: issue.id },
      });
    });

    it('answers 200 or 400 while the new type, status or category is deleted', async () => {
      const { world } = tested;
      for (let round = 0; round < 5; round++) {
        const type = await addSetting(world, project, 'issueTypes');
        const status = await addSetting(world, project, 'statuses');
        const category = await addSetting(world, project, 'categories');
        const [removedType, removedStatus, removedCategory, ...updates] = await Promise.all([
          world.admin.api.delete(`/projects/${project.key}/issueTypes/${type.id}`, {
            substituteIssueTypeId: project.issueTypeId,
          }),
          world.admin.api.delete(`/projects/${project.key}/statuses/${status.id}`, { substituteStatusId: 1 }),
          world.admin.api.delete(`/projects/${project.key}/categories/${category.id}`),
          editor.api.patch(path, { issueTypeId: type.id, comment: 'x' }),
          editor.api.patch(path, { statusId: status.id, comment: 'x' }),
          editor.api.patch(path, { categoryId: [category.id], comment: 'x' }),
        ]);
        expect([removedType.status, removedStatus.status, removedCategory.status]).toEqual([200, 200, 200]);
        for (const { status: code } of updates) expect([200, 400]).toContain(code);
        expect((await author.api.get(path)).body).toMatchObject({
          issueType: { id: project.issueTypeId },
          status: { id: 1 },
          category: [],
        });
      }
    });
  });
});
