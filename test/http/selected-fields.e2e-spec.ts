import { type ApiResponse } from '../support/api';
import { expectRefused } from '../support/refusals';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('the parameter fields', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let person: Person;

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    person = await world.addMember(project);
    const comment = { content: 'Look', notifiedUserId: [person.id] };
    await world.admin.api.post(`/issues/${project.issueKey}/comments`, comment);
  });

  const get = async (path: string): Promise<ApiResponse> => person.api.get(path);

  it.each([
    ['/issues', 'issueKey,status.name'],
    ['/issues/KEY', 'summary,createdUser.id'],
    ['/issues/KEY/comments', 'id,createdUser.name'],
    ['/notifications', 'id,sender.name,issue.summary'],
    ['/space/activities', 'id,content.summary'],
    ['/projects/ID/activities', 'type,createdUser.name'],
    ['/users/1/activities', 'created,project.projectKey'],
    ['/projects/ID/users', 'id,name'],
    ['/wikis?projectIdOrKey=ID', 'id,name,updatedUser.name'],
  ])('leaves %s the fields %s', async (template, fields) => {
    const path = template.replace('KEY', project.issueKey).replace('ID', String(project.id));
    const all = (await get(path)).body;
    const { status, body } = await get(`${path}${path.includes('?') ? '&' : '?'}fields=${fields}`);
    expect(status).toBe(200);
    const select = (record: any): object =>
      Object.fromEntries(
        fields.split(',').map((field) => {
          const [name = '', inner] = field.split('.');
          return [name, inner === undefined ? record[name] : { [inner]: record[name][inner] }];
        }),
      );
    expect(body).toEqual(Array.isArray(all) ? all.map(select) : select(all));
  });

  it('keeps the address of the next page, with the fields', async () => {
    await tested.world.admin.api.post(`/issues/${project.issueKey}/comments`, { content: 'Again' });
    const { headers, body } = await get(`/issues/${project.issueKey}/comments?count=1&fields=id`);
    expect(body).toEqual([{ id: expect.any(Number) as number }]);
    expect(headers.get('link')).toContain('fields=id');
  });

  it.each(['nothing', 'id,', ',id', 'id,,summary', 'id.', '', '__proto__', 'constructor', 'x'.repeat(2000)])(
    'is refused with 400 as %j',
    async (fields) => {
      const path = `/issues?fields=${encodeURIComponent(fields)}`;
      await expectRefused(tested.world, () => get(path), ['fields']);
    },
  );

  it('does not change the answer of a count', async () => {
    const { body } = await get(`/issues/count?projectId[]=${project.id}&fields=id`);
    expect(body).toEqual({ count: 1 });
  });
});
