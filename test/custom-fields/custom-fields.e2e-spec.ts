import { RoleType } from '../../src/access/role-type';
import { addIssue } from '../support/issues';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('/projects/{projectIdOrKey}/customFields', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let administrator: Person;
  let member: Person;
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    administrator = await tested.world.addMember(project, RoleType.Viewer, true);
    member = await tested.world.addMember(project);
    path = `/projects/${project.key}/customFields`;
  });

  const add = async (body: object): Promise<any> => {
    const answer = await administrator.api.post(path, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  };

  const list = async (): Promise<any[]> => (await member.api.get<any[]>(path)).body;

  /** Returns the status, and the code and field of each error. */
  const refusal = ({ status, body }: { status: number; body: any }): unknown[] => [
    status,
    ...body.errors.map(({ code, moreInfo }: { code: number; moreInfo: string }) => `${code} ${moreInfo}`),
  ];

  const common = (typeId: number, name: string, displayOrder: number) => ({
    id: expect.any(Number),
    projectId: project.id,
    typeId,
    name,
    description: '',
    required: false,
    useIssueType: false,
    applicableIssueTypes: [],
    displayOrder,
    version: 0,
  });

  it('stores and returns the settings of each type', async () => {
    await add({ typeId: 1, name: 'Text' });
    await add({ typeId: 2, name: 'Long', description: 'Words', required: true });
    await add({ typeId: 3, name: 'Number', min: -1.5, max: 10, initialValue: 2.25, unit: 'km' });
    await add({ typeId: 3, name: 'Plain number' });
    await add({
      typeId: 4,
      name: 'Date',
      min: '2026-01-01',
      max: '2026-12-31',
      initialValueType: 3,
      initialDate: '2026-02-03',
    });
    await add({ typeId: 4, name: 'Shifted', initialValueType: 2, initialShift: -3 });
    await add({ typeId: 4, name: 'Plain date', initialValueType: 1 });
    await add({ typeId: 5, name: 'List', items: ['A', ' B '], allowAddItem: true });
    await add({ typeId: 8, name: 'Radio', allowInput: true, applicableIssueTypes: [project.issueTypeId] });
    const item = (name: string, displayOrder: number) => ({ id: expect.any(Number), name, displayOrder });
    expect(await list()).toEqual([
      common(1, 'Text', 0),
      { ...common(2, 'Long', 1), description: 'Words', required: true },
      { ...common(3, 'Number', 2), min: -1.5, max: 10, initialValue: 2.25, unit: 'km' },
      { ...common(3, 'Plain number', 3), min: null, max: null, initialValue: null, unit: null },
      {
        ...common(4, 'Date', 4),
        min: '2026-01-01T00:00:00Z',
        max: '2026-12-31T00:00:00Z',
        initialDate: { id: 3, date: '2026-02-03T00:00:00Z' },
      },
      { ...common(4, 'Shifted', 5), min: null, max: null, initialDate: { id: 2, shift: -3 } },
      { ...common(4, 'Plain date', 6), min: null, max: null, initialDate: { id: 1 } },
      { ...common(5, 'List', 7), items: [item('A', 0), item('B', 1)], allowAddItem: true, allowInput: false },
      {
        ...common(8, 'Radio', 8),
        useIssueType: true,
        applicableIssueTypes: [project.issueTypeId],
        items: [],
        allowAddItem: false,
        allowInput: true,
      },
    ]);
  });

  it('refuses invalid settings, names each of them and stores nothing', async () => {
    const other = await tested.world.addProject();
    await add({ typeId: 1, name: 'Taken' });
    const cases: [object, string[]][] = [
      [{ typeId: 1, name: ' tAKEN ' }, ['name']],
      [{ typeId: 9, name: 'X' }, ['typeId']],
      [{ typeId: 1 }, ['name']],
      [{ typeId: 1, name: 'X', min: 1, items: ['a'], unit: 'km' }, ['min', 'unit', 'items']],
      [{ typeId: 3, name: 'X', min: '2026-01-01' }, ['min']],
      [{ typeId: 3, name: 'X', min: 'one' }, ['min']],
      [{ typeId: 3, name: 'X', min: 0.00001 }, ['min']],
      [{ typeId: 3, name: 'X', min: 2, max: 1 }, ['max']],
      [{ typeId: 3, name: 'X', min: 2, initialValue: 1 }, ['initialValue']],
      [{ typeId: 4, name: 'X', max: 7 }, ['max']],
      [{ typeId: 4, name: 'X', max: '2026-02-30' }, ['max']],
      [{ typeId: 4, name: 'X', initialValueType: 3 }, ['initialDate']],
      [{ typeId: 4, name: 'X', initialValueType: 2 }, ['initialShift']],
      [{ typeId: 4, name: 'X', initialDate: '2026-01-01' }, ['initialDate']],
      [
        { typeId: 4, name: 'X', initialValueType: 3, initialDate: '2026-01-01', min: '2026-01-02' },
        ['initialDate'],
      ],
      [{ typeId: 5, name: 'X', items: ['a', 'A'] }, ['items']],
      [{ typeId: 5, name: 'X', items: [''] }, ['items']],
      [{ typeId: 5, name: 'X', items: [1] }, ['items']],
      [{ typeId: 5, name: 'X', applicableIssueTypes: [other.issueTypeId] }, ['applicableIssueTypes']],
      [{ typeId: 1, name: 'X', customField_1: 'x' }, ['customField_1']],
    ];
    for (const [body, names] of cases) {
      const answer = await administrator.api.post(path, body);
      expect([body, refusal(answer)]).toEqual([body, [400, ...names.map((name) => `7 ${name}`)]]);
    }
    expect((await list()).map(({ name }) => name as string)).toEqual(['Taken']);
    const many = Array.from({ length: 101 }, (_, number) => `Item ${number}`);
    expect(refusal(await administrator.api.post(path, { typeId: 5, name: 'X', items: many }))).toEqual([
      409,
      '9 ',
    ]);
  });

  it('changes only the fields sent, and keeps items whose names stay', async () => {
    const field = await add({
      typeId: 6,
      name: 'List',
      items: ['A', 'B', 'C'],
      applicableIssueTypes: [project.issueTypeId],
    });
    const [a, , c] = field.items as [{ id: number }, { id: number }, { id: number }];
    const answer = await administrator.api.patch(`${path}/${field.id}`, {
      name: 'Lists',
      required: true,
      items: ['c', 'A', 'D'],
      applicableIssueTypes: [],
    });
    expect(answer.body).toEqual({
      ...field,
      name: 'Lists',
      required: true,
      useIssueType: false,
      applicableIssueTypes: [],
      version: 1,
      items: [
        { id: c.id, name: 'c', displayOrder: 0 },
        { id: a.id, name: 'A', displayOrder: 1 },
        { id: expect.any(Number), name: 'D', displayOrder: 2 },
      ],
    });
    const number = await add({ typeId: 3, name: 'Number', min: 1, max: 5, unit: 'km' });
    const changed = await administrator.api.patch(`${path}/${number.id}`, { min: null, unit: '' });
    expect(changed.body).toMatchObject({ min: null, max: 5, unit: null, version: 1 });
    const wrong = await administrator.api.patch(`${path}/${number.id}`, { min: 6 });
    expect(refusal(wrong)).toEqual([400, '7 max']);
    expect(refusal(await administrator.api.patch(`${path}/${number.id}`, { typeId: 1 }))).toEqual([
      400,
      '7 typeId',
    ]);
  });

  it('adds, renames and deletes items, and lets members add them with allowAddItem', async () => {
    const field = await add({ typeId: 5, name: 'List', items: ['A'] });
    const items = `${path}/${field.id}/items`;
    expect((await member.api.post(items, { name: 'B' })).status).toBe(403);
    expect((await administrator.api.post(items, { name: 'B' })).body.items).toMatchObject([
      { name: 'A', displayOrder: 0 },
      { name: 'B', displayOrder: 1 },
    ]);
    await administrator.api.patch(`${path}/${field.id}`, { allowAddItem: true });
    const added = await member.api.post(items, { name: 'C' });
    expect([added.status, added.body.items.length]).toEqual([200, 3]);
    expect(refusal(await member.api.post(items, { name: ' c' }))).toEqual([400, '7 name']);
    const [, b, c] = added.body.items;
    expect(refusal(await administrator.api.patch(`${items}/${b.id}`, { name: 'C' }))).toEqual([
      400,
      '7 name',
    ]);
    const renamed = await administrator.api.patch(`${items}/${b.id}`, { name: 'b' });
    expect(renamed.body.items[1]).toEqual({ ...b, name: 'b' });
    const left = await administrator.api.delete(`${items}/${c.id}`);
    expect(left.body.items.map(({ name }: { name: string }) => name)).toEqual(['A', 'b']);
    expect((await administrator.api.delete(`${items}/${c.id}`)).status).toBe(404);
    const text = await add({ typeId: 1, name: 'Text' });
    expect((await administrator.api.post(`${path}/${text.id}/items`, { name: 'A' })).status).toBe(400);
    expect((await administrator.api.patch(`${path}/${text.id}/items/${b.id}`, { name: 'A' })).status).toBe(
      404,
    );
  });

  it('deletes a field with its values, and frees its name', async () => {
    const field = await add({ typeId: 1, name: 'Text' });
    const issue = await addIssue(member, project, { [`customField_${field.id}`]: 'x' });
    const removed = await administrator.api.delete(`${path}/${field.id}`);
    expect([removed.status, removed.body]).toEqual([200, field]);
    expect((await member.api.get(`/issues/${issue.id}`)).body.customFields).toEqual([]);
    expect((await administrator.api.delete(`${path}/${field.id}`)).status).toBe(404);
    const again = await add({ typeId: 3, name: 'Text' });
    expect(again.displayOrder).toBeGreaterThan(field.displayOrder);
    expect((await member.api.get(`/issues/${issue.id}`)).body.customFields).toEqual([
      { id: again.id, fieldTypeId: 3, name: 'Text', value: null },
    ]);
  });

  it('moves the fields of a deleted issue type to the substitute', async () => {
    const { api } = member;
    const types = `/projects/${project.key}/issueTypes`;
    const { body: type } = await api.post(types, { name: 'Odd', color: '#990000' });
    const one = await add({ typeId: 1, name: 'One', applicableIssueTypes: [type.id] });
    const both = await add({ typeId: 1, name: 'Both', applicableIssueTypes: [type.id, project.issueTypeId] });
    const value = { [`customField_${one.id}`]: 'kept', issueTypeId: type.id };
    const issue = await addIssue(member, project, value);
    expect(
      (await api.delete(`${types}/${type.id}`, { substituteIssueTypeId: project.issueTypeId })).status,
    ).toBe(200);
    expect((await list()).map(({ applicableIssueTypes }) => applicableIssueTypes as number[])).toEqual([
      [project.issueTypeId],
      [project.issueTypeId],
    ]);
    expect((await api.get(`/issues/${issue.id}`)).body.customFields).toMatchObject([
      { id: one.id, value: 'kept' },
      { id: both.id, value: null },
    ]);
  });

  it('adds items up to the limit of 100 under simultaneous requests', async () => {
    const names = Array.from({ length: 98 }, (_, number) => `Item ${number}`);
    const field = await add({ typeId: 5, name: 'List', items: names });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        administrator.api.post(`${path}/${field.id}/items`, { name: `New ${number % 4}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const [{ items }] = (await list()) as [{ items: { displayOrder: number }[] }];
    expect(new Set(items.map(({ displayOrder }) => displayOrder)).size).toBe(100);
  });
});
