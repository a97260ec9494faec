import { RoleType } from '../../src/access/role-type';
import { addIssue, newIssue } from '../support/issues';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { notificationEntry } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

describe('a mention', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let colleague: Person;
  let reporter: Person;
  let outsider: Person;

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project);
    reporter = await world.addMember(project, RoleType.Reporter);
    outsider = await world.addUser();
  });

  interface Told {
    userId: number;
    reason: number;
  }

  /** Returns the notifications created by some work, ordered by user. */
  async function toldBy(work: () => Promise<unknown>): Promise<Told[]> {
    const [{ last }] = await tested.world.dataSource.query<[{ last: number | null }]>(
      'SELECT MAX(id) AS last FROM notification',
    );
    await work();
    return tested.world.dataSource.query<Told[]>(
      'SELECT user_id AS userId, reason FROM notification WHERE id > ? ORDER BY user_id',
      [last ?? 0],
    );
  }

  const comments = (): string => `/issues/${project.issueKey}/comments`;

  it('notifies the user mentioned in a comment, as notifiedUserId does', async () => {
    const content = `<@U${colleague.id}> look, and <@U${colleague.id}> again`;
    const told = await toldBy(async () => {
      const { status, body } = await author.api.post(comments(), { content });
      expect(status).toBe(201);
      expect(body.content).toBe(content);
      expect(body.changeLog).toEqual([notificationEntry(colleague)]);
      expect(body.notifications).toMatchObject([{ user: { id: colleague.id }, reason: 2 }]);
    });
    expect(told).toEqual([{ userId: colleague.id, reason: 2 }]);
  });

  it('notifies only once a user who is in notifiedUserId as well', async () => {
    const body = { content: `<@U${colleague.id}> <@U${reporter.id}>`, notifiedUserId: [colleague.id] };
    const told = await toldBy(() => author.api.post(comments(), body));
    expect(told.map(({ userId }) => userId)).toEqual([colleague.id, reporter.id]);
  });

  it('notifies neither the author, a user outside the project nor an unknown user', async () => {
    const content = `<@U${author.id}> <@U${outsider.id}> <@U999999> <@U> <@colleague>`;
    const told = await toldBy(async () => {
      const { status, body } = await author.api.post(comments(), { content });
      expect(status).toBe(201);
      expect(body.changeLog).toEqual([]);
    });
    expect(told).toEqual([]);
  });

  it('notifies all other members with <@project>', async () => {
    const told = await toldBy(() => author.api.post(comments(), { content: '<@project> done' }));
    expect(told.map(({ userId }) => userId)).toEqual([colleague.id, reporter.id]);
  });

  it('notifies users of a new issue, but its assignee only of the assignment', async () => {
    const fields = { description: `<@U${colleague.id}> <@U${reporter.id}>`, assigneeId: colleague.id };
    const told = await toldBy(() => author.api.post('/issues', newIssue(project, fields)));
    expect(told).toEqual([
      { userId: colleague.id, reason: 1 },
      { userId: reporter.id, reason: 3 },
    ]);
  });

  it('notifies the user of an issue update when it is in the comment', async () => {
    const issue = await addIssue(author, project);
    const changes = { summary: 'Another', comment: `<@U${reporter.id}>` };
    const told = await toldBy(() => author.api.patch(`/issues/${issue.id}`, changes));
    expect(told).toEqual([{ userId: reporter.id, reason: 4 }]);
  });

  it('notifies only users with access to pull requests when it is in one', async () => {
    const description = `<@project> <@U${reporter.id}>`;
    const added = await toldBy(() =>
      author.api.post(pullRequests(project), { ...NEW_PULL_REQUEST, description }),
    );
    expect(added).toEqual([{ userId: colleague.id, reason: 12 }]);
    const commented = await toldBy(() =>
      author.api.post(pullRequestComments(project), { content: description }),
    );
    expect(commented).toEqual([{ userId: colleague.id, reason: 11 }]);
    const path = `${pullRequests(project)}/${project.pullRequestNumber}`;
    const updated = await toldBy(() => author.api.patch(path, { comment: description }));
    expect(updated).toEqual([{ userId: colleague.id, reason: 11 }]);
  });

  it('notifies nobody when it is added to an existing comment', async () => {
    const { body: comment } = await author.api.post(comments(), { content: 'Hello' });
    const change = { content: `<@U${colleague.id}>` };
    expect(await toldBy(() => author.api.patch(`${comments()}/${comment.id}`, change))).toEqual([]);
  });
});
