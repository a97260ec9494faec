import { RoleType } from '../../src/access/role-type';
import {
  NEW_PULL_REQUEST,
  pullRequestContent,
  pullRequests,
  pullRequestShape,
} from '../support/pull-requests';
import { activitiesOf, everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import {
  activityChange,
  activityUserShape,
  aTimestamp,
  changeEntry,
  commentShape,
  notificationEntry,
  notificationShape,
  userShape,
} from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const LONG_AGO = Date.parse('2020-02-29T12:34:56.789Z');

describe('PATCH /pullRequests/{number}', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let colleague: Person;
  let path: string;
  let id: number;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project, RoleType.Viewer);
    path = `${pullRequests(project)}/2`;
    id = (await author.api.post(pullRequests(project), NEW_PULL_REQUEST)).body.id;
    await world.dataSource.query('UPDATE pull_request SET created = ?, updated = ? WHERE id = ?', [
      LONG_AGO,
      LONG_AGO,
      id,
    ]);
  });

  /** Returns the comments of the pull request, newest first, and its activities except the first, which records its creation. */
  const told = async (): Promise<{ comments: { id: number }[]; activities: unknown[] }> => ({
    comments: (await author.api.get(`${path}/comments`)).body,
    activities: (await activitiesOf(tested.world, project)).slice(1),
  });

  it('changes several fields at once, recorded in one comment and activity 19', async () => {
    const { admin } = tested.world;
    const { status, body } = await admin.api.patch(path, {
      summary: 'Another change',
      description: '',
      issueId: project.issueId,
      assigneeId: colleague.id,
      statusId: 2,
      notifiedUserId: [author.id, colleague.id],
      comment: 'See there.',
    });
    expect(status).toBe(200);
    const { body: issue } = await author.api.get(`/issues/${project.issueKey}`);
    expect(body).toEqual(
      pullRequestShape(project, author, {
        number: 2,
        id,
        summary: 'Another change',
        description: '',
        issue,
        assignee: userShape(colleague),
        status: { id: 2, name: 'Closed' },
        closeAt: aTimestamp,
        created: '2020-02-29T12:34:56Z',
        updatedUser: userShape(admin),
      }),
    );
    expect(body.updated).toBe(body.closeAt);
    expect((await author.api.get(path)).body).toEqual(body);
    const { comments, activities } = await told();
    expect(comments).toEqual([
      commentShape(admin, {
        content: 'See there.',
        changeLog: [
          changeEntry('summary', 'Another change', 'A change'),
          changeEntry('description', '', 'What it changes'),
          changeEntry('dependentIssue', project.issueKey, ''),
          changeEntry('status', 'Closed', 'Open'),
          changeEntry('assignee', colleague.name, ''),
          notificationEntry(author, 'pullRequest.update'),
          notificationEntry(colleague, 'pullRequest.update'),
        ],
        // One notification per user; being assigned takes precedence.
        notifications: [notificationShape(author, 13), notificationShape(colleague, 10)],
      }),
    ]);
    expect(activities).toEqual([
      {
        type: 19,
        createdUserId: admin.id,
        content: pullRequestContent(project, {
          id,
          number: 2,
          summary: 'Another change',
          description: '',
          comment: { id: comments[0]?.id, content: 'See there.' },
          changes: [
            activityChange('summary', 'Another change', 'A change'),
            activityChange('description', '', 'What it changes'),
            activityChange('issue', String(project.issueId), ''),
            activityChange('status', '2', '1'),
            activityChange('assignee', String(colleague.id), ''),
          ],
          issue: { id: project.issueId, key_id: 1, summary: 'An issue', description: 'Its description' },
          assignee: activityUserShape(colleague),
        }),
      },
    ]);
  });

  it('keeps omitted fields, and writes an empty comment without a text', async () => {
    await author.api.patch(path, { issueId: project.issueId, assigneeId: colleague.id });
    const { body } = await author.api.patch(path, { summary: ' Trimmed ', comment: ' \n' });
    expect(body).toMatchObject({
      summary: 'Trimmed',
      description: 'What it changes',
      issue: { id: project.issueId },
      assignee: { id: colleague.id },
    });
    const { comments, activities } = await told();
    expect(comments[0]).toMatchObject({
      content: '',
      changeLog: [changeEntry('summary', 'Trimmed', 'A change')],
      notifications: [],
    });
    expect(activities[1]).toMatchObject({
      type: 19,
      content: { summary: 'Trimmed', comment: { id: comments[0]?.id, content: '' } },
    });
  });

  it.each([
    ['null', (): object => ({ issueId: null, assigneeId: null })],
    ['an empty form value', (): object => new URLSearchParams({ issueId: '', assigneeId: '' })],
  ])('clears the issue and the assignee with %s', async (_what, clear) => {
    await author.api.patch(path, { issueId: project.issueId, assigneeId: colleague.id });
    const { status, body } = await author.api.patch(path, clear());
    expect(status).toBe(200);
    expect(body).toMatchObject({ issue: null, assignee: null });
    const { comments, activities } = await told();
    expect(comments[0]).toMatchObject({
      changeLog: [
        changeEntry('dependentIssue', '', project.issueKey),
        changeEntry('assignee', '', colleague.name),
      ],
      notifications: [],
    });
    expect(activities[1]).toMatchObject({
      content: {
        issue: null,
        assignee: null,
        changes: [
          activityChange('issue', '', String(project.issueId)),
          activityChange('assignee', '', String(colleague.id)),
        ],
      },
    });
  });

  it('adds a comment without a change, sets updated and writes activity 20', async () => {
    const { body } = await author.api.patch(path, { comment: 'Hello', notifiedUserId: [colleague.id] });
    expect(Date.parse(body.updated)).toBeGreaterThan(LONG_AGO);
    expect(body.updatedUser.id).toBe(author.id);
    const { comments, activities } = await told();
    expect(comments).toEqual([
      commentShape(author, {
        content: 'Hello',
        changeLog: [notificationEntry(colleague, 'pullRequest.comment')],
        notifications: [notificationShape(colleague, 11)],
      }),
    ]);
    expect(activities).toEqual([
      {
        type: 20,
        createdUserId: author.id,
        content: pullRequestContent(project, {
          id,
          number: 2,
          comment: { id: comments[0]?.id, content: 'Hello' },
        }),
      },
    ]);
  });

  it('notifies users without a change or a comment', async () => {
    await author.api.patch(path, { notifiedUserId: [colleague.id] });
    const { comments, activities } = await told();
    expect(comments).toMatchObject([{ content: '', notifications: [{ reason: 11 }] }]);
    expect(activities).toMatchObject([{ type: 20 }]);
  });

  it('attaches files, with other changes or alone', async () => {
    const { world } = tested;
    const first = await world.addUpload(author, 'x', 'first.txt');
    const { status, body } = await author.api.patch(path, {
      summary: 'Another change',
      attachmentId: [first],
    });
    expect(status).toBe(200);
    expect(body.attachments).toMatchObject([{ id: first, name: 'first.txt' }]);
    const second = await world.addUpload(author, 'x', 'second.txt');
    await author.api.patch(path, { attachmentId: [second] });
    const { comments, activities } = await told();
    const isAttached = {
      field: 'attachment',
      newValue: 'second.txt',
      attachmentInfo: { id: second, name: 'second.txt' },
    };
    expect(comments).toMatchObject([
      { content: '', changeLog: [isAttached] },
      { content: '', changeLog: [{ field: 'summary' }, { field: 'attachment', newValue: 'first.txt' }] },
    ]);
    expect(activities).toMatchObject([
      {
        type: 19,
        content: { changes: [{ field: 'summary' }, activityChange('attachment', 'first.txt', '')] },
      },
      { type: 20, content: { changes: [activityChange('attachment', 'second.txt', '')] } },
    ]);
  });

  it("refuses another user's upload, and files together with a merge", async () => {
    const { world } = tested;
    const stranger = await world.addMember(project);
    const upload = await world.addUpload(stranger);
    const own = await world.addUpload(author);
    await expectRefused(world, () => author.api.patch(path, { summary: 'a', attachmentId: [upload] }), [
      'attachmentId',
    ]);
    await expectRefused(world, () => author.api.patch(path, { statusId: 3, attachmentId: [own] }), [
      'attachmentId',
    ]);
  });

  it.each([
    ['an empty request', {}],
    ['the current values', { ...NEW_PULL_REQUEST, statusId: 1 }],
    ['null for empty fields', { issueId: null, assigneeId: null }],
    ['a blank comment without users to notify', { comment: ' ', notifiedUserId: [] }],
  ])('changes nothing for %s', async (_what, body) => {
    const before = await everythingStored(tested.world);
    const { status, body: answer } = await author.api.patch(path, body);
    expect(status).toBe(200);
    expect(answer).toEqual((await author.api.get(path)).body);
    expect(await everythingStored(tested.world)).toEqual(before);
  });

  it('changes the branches, recorded in a comment and activity 19', async () => {
    const { status, body } = await author.api.patch(path, { base: 'next', branch: 'better' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ base: 'next', branch: 'better' });
    const { comments, activities } = await told();
    expect(comments).toMatchObject([
      { changeLog: [changeEntry('base', 'next', 'main'), changeEntry('branch', 'better', 'change')] },
    ]);
    expect(activities).toMatchObject([
      {
        type: 19,
        content: {
          base: 'next',
          branch: 'better',
          changes: [activityChange('base', 'next', 'main'), activityChange('branch', 'better', 'change')],
        },
      },
    ]);
  });

  it('sends no notification to users who assign themselves', async () => {
    await author.api.patch(path, { assigneeId: author.id });
    expect((await told()).comments).toMatchObject([{ notifications: [] }]);
  });

  it('keeps an assignee who has left the project, but refuses one from outside', async () => {
    const { world } = tested;
    await author.api.patch(path, { assigneeId: colleague.id });
    await world.dataSource.query('DELETE FROM project_member WHERE user_id = ?', [colleague.id]);
    const { status, body } = await author.api.patch(path, { assigneeId: colleague.id, summary: 'Changed' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ assignee: { id: colleague.id }, summary: 'Changed' });
    await author.api.patch(path, { assigneeId: null });
    await expectRefused(world, () => author.api.patch(path, { assigneeId: colleague.id }), ['assigneeId']);
  });

  describe('with a statusId', () => {
    const move = async (...statuses: number[]): Promise<void> => {
      for (const statusId of statuses) expect((await author.api.patch(path, { statusId })).status).toBe(200);
    };

    it('closes, reopens and merges a pull request, and sets closeAt and mergeAt', async () => {
      await move(2);
      expect((await author.api.get(path)).body).toMatchObject({
        status: { id: 2, name: 'Closed' },
        closeAt: aTimestamp,
        mergeAt: null,
      });
      await move(1);
      expect((await author.api.get(path)).body).toMatchObject({
        status: { id: 1, name: 'Open' },
        closeAt: null,
        mergeAt: null,
      });
      await move(3);
      expect((await author.api.get(path)).body).toMatchObject({
        status: { id: 3, name: 'Merged' },
        closeAt: null,
        mergeAt: aTimestamp,
      });
    });

    it('keeps closeAt and mergeAt when other fields change', async () => {
      const { world } = tested;
      await move(2);
      await world.dataSource.query('UPDATE pull_request SET close_at = ? WHERE id = ?', [LONG_AGO, id]);
      const { body } = await author.api.patch(path, { statusId: 2, summary: 'Changed' });
      expect(body.closeAt).toBe('2020-02-29T12:34:56Z');
      await move(1, 3);
      await world.dataSource.query('UPDATE pull_request SET merge_at = ? WHERE id = ?', [LONG_AGO, id]);
      const { body: merged } = await author.api.patch(path, { statusId: 3, description: 'Changed' });
      expect(merged).toMatchObject({ mergeAt: '2020-02-29T12:34:56Z', description: 'Changed' });
    });

    it.each([
      [[2], 3],
      [[3], 1],
      [[3], 2],
    ])('refuses all changes of an update from status %j to %i', async (before, statusId) => {
      await move(...before);
      const send = () => author.api.patch(path, { statusId, summary: 'Changed', comment: 'Text' });
      await expectRefused(tested.world, send, ['statusId']);
    });

    it('accepts one of a simultaneous merge and close', async () => {
      const answers = await Promise.all([
        author.api.patch(path, { statusId: 2 }),
        author.api.patch(path, { statusId: 3 }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect((await told()).comments).toHaveLength(1);
    });
  });

  it('records each simultaneous update against the value before it', async () => {
    const summaries = Array.from({ length: 8 }, (_, index) => `Summary ${index}`);
    await Promise.all(summaries.map((summary) => author.api.patch(path, { summary })));
    const { body } = await author.api.get<{ changeLog: { newValue: string; originalValue: string }[] }[]>(
      `${path}/comments?order=asc`,
    );
    const steps = body.map(({ changeLog: [step] }) => step);
    expect(steps.map((step) => step?.newValue).sort()).toEqual(summaries);
    expect(steps.map((step) => step?.originalValue)).toEqual([
      'A change',
      ...steps.slice(0, -1).map((step) => step?.newValue),
    ]);
    expect((await author.api.get(path)).body.summary).toBe(steps.at(-1)?.newValue);
  });

  it.each([
    ['an empty summary', 'summary', { summary: '' }],
    ['null as the summary', 'summary', { summary: null }],
    ['null as the description', 'description', { description: null }],
    ['an unknown status', 'statusId', { statusId: 4 }],
    ['null as the status', 'statusId', { statusId: null }],
    ['null as the base', 'base', { base: null }],
    ['an empty branch', 'branch', { branch: ' ' }],
    ['the same branch as base and branch', 'branch', { branch: 'main' }],
    ['an unusable upload', 'attachmentId', { attachmentId: [1] }],
    ['a comment of 50,001 characters', 'comment', { comment: 'x'.repeat(50_001) }],
    ['an unknown issue', 'issueId', { issueId: 999_999 }],
    ['an unknown assignee', 'assigneeId', { assigneeId: 999_999 }],
    ['an unknown user to notify', 'notifiedUserId', { notifiedUserId: [999_999] }],
  ])('refuses %s', async (_what, field, fields) => {
    const send = () => author.api.patch(path, { summary: 'Changed', comment: 'Text', ...fields });
    await expectRefused(tested.world, send, [field]);
  });

  it('refuses issues and users of another project', async () => {
    const { world } = tested;
    const otherProject = await world.addProject();
    const stranger = await world.addMember(otherProject);
    await world.join(otherProject, author);
    const uses: [string, object][] = [
      ['issueId', { issueId: otherProject.issueId }],
      ['assigneeId', { assigneeId: stranger.id }],
      ['notifiedUserId', { notifiedUserId: [stranger.id] }],
    ];
    for (const [field, fields] of uses) {
      await expectRefused(world, () => author.api.patch(path, fields), [field]);
    }
  });
});
