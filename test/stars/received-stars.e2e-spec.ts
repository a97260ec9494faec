import { RoleType } from '../../src/access/role-type';
import { addIssue } from '../support/issues';
import { anId, aTimestamp, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

interface Star {
  id: number;
  title: string;
  presenter: { id: number };
}

describe('GET /users/{userId}/stars', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let giver: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    author = await tested.world.addMember(project);
    giver = await tested.world.addMember(project);
  });

  const list = async (query = '', reader = giver): Promise<Star[]> => {
    const { status, body } = await reader.api.get<Star[]>(`/users/${author.id}/stars${query}`);
    expect(status).toBe(200);
    return body;
  };
  const count = async (query = '', reader = giver): Promise<number> =>
    (await reader.api.get<{ count: number }>(`/users/${author.id}/stars/count${query}`)).body.count;

  /** Adds stars to one item of each kind by the author. */
  const giveAll = async (): Promise<void> => {
    const { world } = tested;
    const issue = await addIssue(author, project, { summary: 'Theirs' });
    const { body: page } = await author.api.post<{ id: number }>('/wikis', {
      projectId: project.id,
      name: 'Page',
      content: '',
    });
    const path = pullRequestComments(project).replace(/\/\d+\/comments$/, '');
    const pull = { summary: 'Change', description: '', base: 'main', branch: 'new' };
    const { body: pullRequest } = await author.api.post<{ id: number }>(path, pull);
    const given: object[] = [
      { issueId: issue.id },
      { commentId: await world.addComment(project.issueThreadId, author) },
      { wikiId: page.id },
      { pullRequestId: pullRequest.id },
      { pullRequestCommentId: await world.addComment(project.pullRequestThreadId, author) },
    ];
    for (const body of given) expect((await giver.api.post('/stars', body)).status).toBe(204);
    // Stars on items of other users do not count.
    await author.api.post('/stars', { issueId: project.issueId });
  };

  it('lists the stars on items of the user, newest first', async () => {
    await giveAll();
    const stars = await list();
    expect(stars.map(({ title }) => title.replace(/^\[.*?\] /, ''))).toEqual([
      'A pull request',
      'Change',
      'Page',
      'An issue',
      'Theirs',
    ]);
    expect(stars[4]).toEqual({
      id: anId,
      comment: '',
      url: expect.stringContaining('/view/'),
      title: `[${project.key}-2] Theirs`,
      presenter: userShape(giver),
      created: aTimestamp,
    });
    expect(await count()).toBe(5);
    const ids = stars.map(({ id }) => id);
    const idsOf = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => id);
    expect(await idsOf('?order=asc&count=2')).toEqual(ids.toReversed().slice(0, 2));
    expect(await idsOf(`?minId=${ids[3]}&maxId=${ids[1]}`)).toEqual(ids.slice(1, 4));
    expect((await giver.api.get('/users/999999/stars')).status).toBe(404);
  });

  it('lists only stars on items that the caller can see', async () => {
    const { world } = tested;
    await giveAll();
    const viewer = await world.addMember(project, RoleType.Viewer);
    const stranger = await world.addUser();
    expect((await list('', viewer)).map(({ title }) => title.replace(/^\[.*?\] /, ''))).toEqual([
      'Page',
      'An issue',
      'Theirs',
    ]);
    expect(await list('', stranger)).toEqual([]);
    expect([await count('', viewer), await count('', stranger), await count('', world.admin)]).toEqual([
      3, 0, 5,
    ]);
    await world.admin.api.delete(`/projects/${project.key}`);
    expect(await count('', world.admin)).toBe(0);
  });

  it('counts the stars from since to until, both days included', async () => {
    await giveAll();
    const ids = (await list()).map(({ id }) => id);
    const times = ['2026-01-31T00:00:00Z', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z'];
    for (const [index, time] of times.entries()) {
      await tested.world.dataSource.query('UPDATE star SET created = ? WHERE id = ?', [
        Date.parse(time),
        ids[index],
      ]);
    }
    expect(await count('?since=2026-01-31&until=2026-01-31')).toBe(2);
    expect(await count('?until=2026-02-01')).toBe(3);
    expect(await count('?since=2026-02-01&until=2026-02-28')).toBe(1);
    for (const query of ['?since=2026-02-30', '?until=yesterday']) {
      expect((await giver.api.get(`/users/${author.id}/stars/count${query}`)).status).toBe(400);
    }
  });

  it('omits deleted stars', async () => {
    await giver.api.post('/stars', {
      commentId: await tested.world.addComment(project.issueThreadId, author),
    });
    const [star] = (await list()) as [Star];
    expect((await giver.api.delete(`/stars/${star.id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
  });
});
