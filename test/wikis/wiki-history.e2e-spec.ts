import { errorShape, aTimestamp, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('GET /wikis/{wikiId}/history', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    path = `/wikis/${project.wikiId}/history`;
  });

  const change = (changes: object) => member.api.patch(`/wikis/${project.wikiId}`, changes);

  async function versions(query: string): Promise<{ versions: number[]; next: string | null }> {
    const { status, body, headers } = await member.api.get<{ version: number }[]>(path + query);
    expect(status).toBe(200);
    return { versions: body.map(({ version }) => version), next: headers.get('link') };
  }

  it('returns the version of the page after each change, newest first', async () => {
    await change({ content: 'Welcome' });
    await change({ name: '[guide] Start' });
    const { status, body } = await member.api.get(path);
    const version = { pageId: project.wikiId, created: aTimestamp };
    expect(status).toBe(200);
    expect(body).toEqual([
      { ...version, version: 3, name: 'Start', content: 'Welcome', createdUser: userShape(member) },
      { ...version, version: 2, name: 'Home', content: 'Welcome', createdUser: userShape(member) },
      {
        ...version,
        version: 1,
        name: 'Home',
        content: 'Its content',
        createdUser: userShape(tested.world.admin),
      },
    ]);
  });

  it('includes a version for a change of the tags alone', async () => {
    await change({ name: '[guide] Home' });
    await change({ name: '[guide] Home' });
    expect((await versions('')).versions).toEqual([2, 1]);
    await change({ name: '[] Home' });
    expect((await versions('')).versions).toEqual([3, 2, 1]);
  });

  it('excludes the versions of other pages', async () => {
    await tested.world.addProject();
    const { body } = await member.api.post('/wikis', { projectId: project.id, name: 'Other', content: '' });
    expect((await member.api.get(`/wikis/${body.id}/history`)).body).toHaveLength(1);
  });

  it('sorts and pages by version', async () => {
    for (const content of ['a', 'b', 'c', 'd']) await change({ content });
    expect((await versions('')).versions).toEqual([5, 4, 3, 2, 1]);
    expect((await versions('?order=asc')).versions).toEqual([1, 2, 3, 4, 5]);
    expect((await versions('?minId=2&maxId=4')).versions).toEqual([4, 3, 2]);
    expect((await versions('?offset=1&count=2')).versions).toEqual([4, 3]);
    const first = await versions('?count=2');
    expect(first.versions).toEqual([5, 4]);
    expect(first.next).toContain('maxId=3');
    expect(await versions('?count=2&maxId=1')).toEqual({ versions: [1], next: null });
  });

  it('refuses a count above 100', async () => {
    const { status, body } = await member.api.get(`${path}?count=101`);
    expect(status).toBe(400);
    expect(body).toEqual(errorShape(7, ['count']));
  });
});
