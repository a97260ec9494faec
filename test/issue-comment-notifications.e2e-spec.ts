import { RoleType } from '../src/users/role-type';
import { activitiesOf, everythingStored } from './support/records';
import { anId, commentShape, errorShape, notificationEntry, notificationShape } from './support/shapes';
import { type Person, type ProjectFixture, World } from './support/world';

describe('notifications of a comment on an issue', () => {
  let world: World;
  let project: ProjectFixture;
  let author: Person;
  let colleague: Person;
  let path: string;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    project = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project, RoleType.GuestViewer);
    path = `/issues/${project.issueKey}/comments`;
  });

  /** What the activities of the issue's comments have in common. */
  const activityContent = (fields: object): object => ({
    id: project.issueId,
    key_id: 1,
    summary: 'An issue',
    description: 'Its description',
    changes: [],
    attachments: [],
    shared_files: [],
    ...fields,
  });

  const change = (field: string, value: string): object => ({
    field,
    new_value: value,
    old_value: '',
    type: 'standard',
  });

  let commentId: number;
  let notifications: string;

  beforeEach(async () => {
    commentId = await world.addComment(project.issueThreadId, author, 'Hello');
    notifications = `${path}/${commentId}/notifications`;
  });

  it('answers 200 with the whole comment and writes activity 17', async () => {
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
        content: activityContent({
          comment: { id: commentId, content: 'Hello' },
          changes: [change('notification', world.admin.name), change('notification', colleague.name)],
        }),
      },
    ]);
  });

  it('notifies nobody twice, and tells only of who is new', async () => {
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
    expect(activity?.content.changes).toEqual([change('notification', world.admin.name)]);
  });

  it('writes nothing when everybody is notified already', async () => {
    const first = await author.api.post(notifications, { notifiedUserId: [colleague.id] });
    const before = await everythingStored(world);
    const second = await author.api.post(notifications, { notifiedUserId: [colleague.id] });
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(await everythingStored(world)).toEqual(before);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a user outside the project among members', async () => [colleague.id, (await world.addUser()).id]],
    ['a user that nobody is', () => Promise.resolve([999_999])],
    ['an empty list', () => Promise.resolve([])],
    ['a number for a list', () => Promise.resolve(colleague.id)],
    ['nothing', () => Promise.resolve(undefined)],
  ])('refuses %s and stores nothing', async (_what, ids) => {
    const notifiedUserId = await ids();
    const before = await everythingStored(world);
    const answer = await author.api.post(notifications, { notifiedUserId });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['notifiedUserId']));
    expect(await everythingStored(world)).toEqual(before);
  });

  it('is for the author alone', async () => {
    const answer = await world.admin.api.post(notifications, { notifiedUserId: [colleague.id] });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(errorShape(5));
    expect(await activitiesOf(world, project)).toEqual([]);
  });

  it('answers 404 for a comment of another issue or of a pull request', async () => {
    const otherProject = await world.addProject();
    for (const threadId of [otherProject.issueThreadId, project.pullRequestThreadId]) {
      const foreign = await world.addComment(threadId, author);
      const answer = await author.api.post(`${path}/${foreign}/notifications`, { notifiedUserId: [1] });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(errorShape(6));
    }
  });
});
