import { useCommentedIssue } from '../support/issues';
import { activitiesOf, everythingStored } from '../support/records';
import {
  activityChange,
  anId,
  commentShape,
  errorShape,
  notificationEntry,
  notificationShape,
} from '../support/shapes';

const FORM = 'application/x-www-form-urlencoded';

describe('POST /issues/{issueIdOrKey}/comments/{commentId}/notifications', () => {
  const tested = useCommentedIssue();

  let commentId: number;
  let notifications: string;

  beforeEach(async () => {
    commentId = await tested.addComment('Hello');
    notifications = `${tested.comments}/${commentId}/notifications`;
  });

  it('answers 200 with the whole comment and writes activity 17', async () => {
    const { world, project, author, colleague } = tested;
    const { status, body } = await author.api.post(notifications, {
      notifiedUserId: [world.admin.id, colleague.id, world.admin.id],
    });
    expect(status).toBe(200);
    expect(body).toEqual(
      commentShape(author, {
        id: commentId,
        content: 'Hello',
        changeLog: [notificationEntry(world.admin), notificationEntry(colleague)],
        notifications: [notificationShape(world.admin, 2), notificationShape(colleague, 2)],
      }),
    );
    expect(await activitiesOf(world, project)).toEqual([
      {
        type: 17,
        createdUserId: author.id,
        content: tested.activityContent({
          comment: { id: commentId, content: 'Hello' },
          changes: [
            activityChange('notification', world.admin.name),
            activityChange('notification', colleague.name),
          ],
        }),
      },
    ]);
  });

  it('notifies nobody without a body, whatever its content type', async () => {
    const { author } = tested;
    for (const type of [undefined, 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      const { status, body } = await author.api.send('POST', notifications, undefined, headers);
      expect([status, body.notifications]).toEqual([200, []]);
    }
  });

  it('notifies each user once and writes only the new ones to the activity', async () => {
    const { world, project, author, colleague } = tested;
    const first = await author.api.post(notifications, { notifiedUserId: [colleague.id] });
    const second = await author.api.post(notifications, {
      notifiedUserId: [colleague.id, world.admin.id],
    });
    expect(second.body.notifications).toEqual([
      first.body.notifications[0],
      { ...notificationShape(world.admin, 2), id: anId },
    ]);
    expect(second.body.changeLog).toEqual([notificationEntry(colleague), notificationEntry(world.admin)]);
    const [, activity] = await activitiesOf(world, project);
    expect(activity?.content.changes).toEqual([activityChange('notification', world.admin.name)]);
  });

  it('stores nothing when all named users are notified already', async () => {
    const { world, author, colleague } = tested;
    const first = await author.api.post(notifications, { notifiedUserId: [colleague.id] });
    const before = await everythingStored(world);
    const second = await author.api.post(notifications, { notifiedUserId: [colleague.id] });
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(await everythingStored(world)).toEqual(before);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a user outside the project among members',
      async () => [tested.colleague.id, (await tested.world.addUser()).id],
    ],
    ['an unknown user', () => Promise.resolve([999_999])],
    ['a number instead of a list', () => Promise.resolve(tested.colleague.id)],
    ['a missing list', () => Promise.resolve(undefined)],
  ])('refuses %s and stores nothing', async (_what, ids) => {
    const { world, author } = tested;
    const notifiedUserId = await ids();
    const before = await everythingStored(world);
    const answer = await author.api.post(notifications, { notifiedUserId });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['notifiedUserId']));
    expect(await everythingStored(world)).toEqual(before);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['an empty list in JSON', { notifiedUserId: [] }, {}],
    ['an empty list in a form', 'notifiedUserId[]=', { 'Content-Type': FORM }],
    ['an empty form', '', { 'Content-Type': FORM }],
    ['an empty multipart form', new FormData(), {}],
  ])('changes nothing for %s', async (_what, body, headers) => {
    const { world, author } = tested;
    const first = await author.api.post(notifications, { notifiedUserId: [tested.colleague.id] });
    const before = await everythingStored(world);
    const answer = await author.api.send('POST', notifications, body, headers);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(first.body);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('answers 403 to an Administrator who is not the author', async () => {
    const { world, project, colleague } = tested;
    const answer = await world.admin.api.post(notifications, { notifiedUserId: [colleague.id] });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(errorShape(5));
    expect(await activitiesOf(world, project)).toEqual([]);
  });

  it('answers 404 for a comment of another issue or of a pull request', async () => {
    const { world, project, author, comments } = tested;
    const otherProject = await world.addProject();
    for (const threadId of [otherProject.issueThreadId, project.pullRequestThreadId]) {
      const foreign = await world.addComment(threadId, author);
      const answer = await author.api.post(`${comments}/${foreign}/notifications`, { notifiedUserId: [1] });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
    }
  });
});
