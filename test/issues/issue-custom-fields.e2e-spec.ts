import { addIssue, addSetting, newIssue, updateIssue } from '../support/issues';
import { activitiesOf, statementsOf } from '../support/records';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Field {
  id: number;
  typeId: number;
  name: string;
  items: { id: number; name: string; displayOrder: number }[];
}

describe('issues with custom fields', () => {
  const tested = useWorld({ MAX_USER_REQUESTS: '0' });
  let project: ProjectFixture;
  let member: Person;
  let fields: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    fields = `/projects/${project.key}/customFields`;
  });

  const addField = async (typeId: number, rest: object = {}, path = fields): Promise<Field> => {
    const body = { typeId, name: tested.world.uniqueName('Field'), ...rest };
    const answer = await tested.world.admin.api.post<Field>(path, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  };

  const addFields = async () => ({
    text: await addField(1),
    area: await addField(2),
    number: await addField(3, { min: -10, max: 1000 }),
    date: await addField(4),
    single: await addField(5, { items: ['A', 'B'] }),
    multiple: await addField(6, { items: ['C', 'D', 'E'] }),
    boxes: await addField(7, { items: ['F', 'G'], allowInput: true }),
    radio: await addField(8, { items: ['H', 'I'], allowInput: true }),
  });

  const item = ({ items }: Field, place: number) => items[place] as Field['items'][number];

  const key = ({ id }: Field, end = ''): string => `customField_${id}${end}`;

  const valuesOf = (issue: object): unknown[] =>
    (issue as { customFields: { value: unknown }[] }).customFields.map(({ value }) => value);

  const refused = ({ status, body }: { status: number; body: any }): unknown[] => [
    status,
    ...body.errors.map(({ moreInfo }: { moreInfo: string }) => moreInfo),
  ];

  const ids = async (query: string, person = member): Promise<number[]> => {
    const { status, body, text } = await person.api.get<{ id: number }[]>(`/issues?${query}`);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    const count = await person.api.get<{ count: number }>(`/issues/count?${query}`);
    expect([query, count.body.count]).toEqual([query, body.length]);
    return body.map(({ id }) => id);
  };

  it('stores and returns values of every type from JSON, forms and query strings', async () => {
    const f = await addFields();
    const json = {
      [key(f.text)]: 'one',
      [key(f.area)]: 'two\nlines',
      [key(f.number)]: 2.25,
      [key(f.date)]: '2026-02-03',
      [key(f.single)]: item(f.single, 1).id,
      [key(f.multiple)]: [item(f.multiple, 2).id, item(f.multiple, 0).id],
      [key(f.boxes)]: [item(f.boxes, 0).id],
      [key(f.boxes, '_otherValue')]: 'Mine',
      [key(f.radio, '_otherValue')]: 'Own',
    };
    const shown = [
      { id: f.text.id, fieldTypeId: 1, name: f.text.name, value: 'one' },
      { id: f.area.id, fieldTypeId: 2, name: f.area.name, value: 'two\nlines' },
      { id: f.number.id, fieldTypeId: 3, name: f.number.name, value: 2.25 },
      { id: f.date.id, fieldTypeId: 4, name: f.date.name, value: '2026-02-03T00:00:00Z' },
      { id: f.single.id, fieldTypeId: 5, name: f.single.name, value: item(f.single, 1) },
      {
        id: f.multiple.id,
        fieldTypeId: 6,
        name: f.multiple.name,
        value: [item(f.multiple, 0), item(f.multiple, 2)],
      },
      { id: f.boxes.id, fieldTypeId: 7, name: f.boxes.name, value: [item(f.boxes, 0)], otherValue: 'Mine' },
      { id: f.radio.id, fieldTypeId: 8, name: f.radio.name, value: null, otherValue: 'Own' },
    ];
    const issue = await addIssue(member, project, json);
    expect(issue.customFields).toEqual(shown);
    expect((await member.api.get(`/issues/${issue.id}`)).body).toEqual(issue);

    const form = new URLSearchParams(
      Object.entries(newIssue(project)).map(([name, value]): [string, string] => [name, String(value)]),
    );
    for (const [name, value] of Object.entries(json)) {
      // The list syntax of backlog-js.
      if (Array.isArray(value)) value.forEach((one, index) => form.append(`${name}[${index}]`, String(one)));
      else form.append(name, String(value));
    }
    const byForm = await member.api.post('/issues', form);
    expect(byForm.body.customFields).toEqual(shown);
    const query = form.toString().replaceAll(/(%5B\d%5D)/g, '%5B%5D$1');
    const byQuery = await member.api.post(`/issues?${query}`, {});
    expect(byQuery.body.customFields).toEqual(shown);

    const contradiction = await member.api.post(
      `/issues?${key(f.text)}=x`,
      newIssue(project, { [key(f.text)]: 'y' }),
    );
    expect(refused(contradiction)).toEqual([400, key(f.text)]);
  });

  it('updates and clears the named values, and records the changes', async () => {
    const f = await addFields();
    const { id } = await addIssue(member, project, {
      [key(f.text)]: 'one',
      [key(f.multiple)]: [item(f.multiple, 0).id, item(f.multiple, 1).id],
      [key(f.number)]: 1,
    });
    const updated = await updateIssue(member, id, {
      [key(f.text)]: 'two',
      [key(f.multiple)]: [item(f.multiple, 1).id, item(f.multiple, 2).id],
      [key(f.number)]: 1,
      [key(f.radio)]: item(f.radio, 0).id,
      [key(f.radio, '_otherValue')]: 'Own',
    });
    expect(valuesOf(updated)).toEqual([
      'two',
      null,
      1,
      null,
      null,
      f.multiple.items.slice(1),
      [],
      item(f.radio, 0),
    ]);
    const { body: comments } = await member.api.get<any[]>(`/issues/${id}/comments`);
    const log = (field: Field, newValue: string, originalValue: string) => ({
      field: field.name,
      newValue,
      originalValue,
      attachmentInfo: null,
      attributeInfo: { id: field.id, typeId: String(field.typeId) },
      notificationInfo: null,
    });
    expect(comments[0].changeLog).toEqual([
      log(f.text, 'two', 'one'),
      log(f.multiple, 'D, E', 'C, D'),
      log(f.radio, 'H, Own', ''),
    ]);
    const [activity] = (await activitiesOf(tested.world, project)).filter(({ type }) => type === 2);
    expect((activity as any).content.changes).toContainEqual({
      field: f.multiple.name,
      new_value: `${item(f.multiple, 1).id}, ${item(f.multiple, 2).id}`,
      old_value: `${item(f.multiple, 0).id}, ${item(f.multiple, 1).id}`,
      type: 'custom',
    });
    const cleared = await updateIssue(member, id, {
      [key(f.text)]: null,
      [key(f.multiple)]: [],
      [key(f.number)]: '',
      [key(f.radio)]: null,
    });
    expect(valuesOf(cleared)).toEqual([null, null, null, null, null, [], [], null]);
    expect((cleared.customFields as any[])[7]).toMatchObject({ otherValue: 'Own' });
    expect((await member.api.patch(`/issues/${id}`, { [key(f.text)]: '' })).status).toBe(400);
    const [added] = (await activitiesOf(tested.world, project)).filter(({ type }) => type === 1).slice(-1);
    expect(valuesOf((added as any).content)).toHaveLength(8);
  });

  it('refuses invalid values, names their parameters and stores nothing', async () => {
    const f = await addFields();
    const type = await addSetting(tested.world, project, 'issueTypes');
    const typed = await addField(1, { applicableIssueTypes: [type.id] });
    const other = await tested.world.addProject();
    const foreign = await addField(1, {}, `/projects/${other.key}/customFields`);
    const noInput = await addField(8, { items: ['X'] });
    const cases: [object, string[]][] = [
      [{ customField_999999: 'x' }, ['customField_999999']],
      [{ customField_0: 'x' }, ['customField_0']],
      [{ customField_x: 'x' }, ['customField_x']],
      [{ [key(f.text, '_min')]: 'x' }, [key(f.text, '_min')]],
      [{ [key(foreign)]: 'x' }, [key(foreign)]],
      [{ [key(typed)]: 'x' }, [key(typed)]],
      [{ [key(f.text)]: { a: 1 } }, [key(f.text)]],
      [{ [key(f.text)]: true }, [key(f.text)]],
      [{ [key(f.text)]: 'x'.repeat(256), [key(f.number)]: 'y' }, [key(f.text), key(f.number)]],
      [{ [key(f.number)]: 1000.5 }, [key(f.number)]],
      [{ [key(f.number)]: 0.00001 }, [key(f.number)]],
      [{ [key(f.date)]: '2026-13-01' }, [key(f.date)]],
      [{ [key(f.single)]: item(f.multiple, 0).id }, [key(f.single)]],
      [{ [key(f.single)]: f.single.items.map(({ id }) => id) }, [key(f.single)]],
      [{ [key(f.multiple)]: ['A'] }, [key(f.multiple)]],
      [{ [key(f.multiple, '_otherValue')]: 'x' }, [key(f.multiple, '_otherValue')]],
      [{ [key(noInput, '_otherValue')]: 'x' }, [key(noInput, '_otherValue')]],
    ];
    for (const [body, names] of cases) {
      expect(refused(await member.api.post('/issues', newIssue(project, body)))).toEqual([400, ...names]);
      expect(refused(await member.api.patch(`/issues/${project.issueId}`, body))).toEqual([400, ...names]);
    }
    const unknown = Object.fromEntries(Array.from({ length: 4000 }, (_, id) => [`customField_9${id}`, 'x']));
    expect(refused(await member.api.post('/issues', newIssue(project, unknown)))).toHaveLength(101);
    expect(await ids(`projectId[]=${project.id}`)).toEqual([project.issueId]);
  });

  it('refuses values of more than 100,000 characters together', async () => {
    const areas = [];
    for (let number = 0; number < 11; number++) areas.push(await addField(2));
    const text = 'x'.repeat(10_000);
    const body = Object.fromEntries(areas.map((area) => [key(area), text]));
    const answer = await member.api.post('/issues', newIssue(project, body));
    expect([answer.status, answer.body.errors[0].message]).toEqual([
      400,
      `${key(areas[0]!)}: The custom fields of an issue can have at most 100,000 characters.`,
    ]);
  });

  it('requires the values of required fields for new issues, new types and updates naming them', async () => {
    const type = await addSetting(tested.world, project, 'issueTypes');
    const before = await addIssue(member, project);
    const everywhere = await addField(5, { required: true, items: ['A'] });
    const some = await addField(7, { required: true, allowInput: true, applicableIssueTypes: [type.id] });
    const value = { [key(everywhere)]: item(everywhere, 0).id };
    expect(refused(await member.api.post('/issues', newIssue(project)))).toEqual([400, key(everywhere)]);
    const added = await addIssue(member, project, value);
    // An issue without a required value can still be updated, unless the update concerns the field.
    await updateIssue(member, before.id, { summary: 'Still fine' });
    const { id } = added;
    expect(refused(await member.api.patch(`/issues/${id}`, { [key(everywhere)]: null }))).toEqual([
      400,
      key(everywhere),
    ]);
    expect(refused(await member.api.patch(`/issues/${id}`, { issueTypeId: type.id }))).toEqual([
      400,
      key(some),
    ]);
    expect(refused(await member.api.patch(`/issues/${before.id}`, { issueTypeId: type.id }))).toEqual([
      400,
      key(everywhere),
      key(some),
    ]);
    const moved = await updateIssue(member, id, { issueTypeId: type.id, [key(some, '_otherValue')]: 'Mine' });
    expect(moved.customFields).toMatchObject([
      { id: everywhere.id },
      { id: some.id, value: [], otherValue: 'Mine' },
    ]);
    // A field that the type does not have is neither shown nor searched, and reappears with the type.
    const back = await updateIssue(member, id, { issueTypeId: project.issueTypeId });
    expect(back.customFields).toHaveLength(1);
    expect((await updateIssue(member, id, { issueTypeId: type.id })).customFields).toEqual(
      moved.customFields,
    );
  });

  it('filters by words, bounds and items, and refuses invalid filters', async () => {
    const f = await addFields();
    const add = async (rest: object): Promise<number> => (await addIssue(member, project, rest)).id;
    const one = await add({
      [key(f.text)]: 'Größe of a Quokka',
      [key(f.number)]: -1.5,
      [key(f.date)]: '2026-01-31',
      [key(f.single)]: item(f.single, 0).id,
      [key(f.multiple)]: [item(f.multiple, 0).id, item(f.multiple, 1).id],
    });
    const two = await add({
      [key(f.text)]: '100% quokka_x',
      [key(f.area)]: 'platypus',
      [key(f.number)]: 2,
      [key(f.date)]: '2026-02-01',
      [key(f.single)]: item(f.single, 1).id,
      [key(f.multiple)]: [item(f.multiple, 1).id],
    });
    const cases: [string, number[]][] = [
      [`${key(f.text)}=QUOKKA`, [two, one]],
      [`${key(f.text)}=${encodeURIComponent('grÖße quok')}`, [one]],
      [`${key(f.text)}=${encodeURIComponent('0%')}`, [two]],
      [`${key(f.text)}=quokka&keyword=nowhere`, []],
      [`${key(f.text)}=`, [two, one, project.issueId]],
      [`${key(f.area)}=platypus&${key(f.text)}=quokka`, [two]],
      [`${key(f.number, '_min')}=-1.5`, [two, one]],
      [`${key(f.number, '_min')}=-1.4999`, [two]],
      [`${key(f.number, '_min')}=-2&${key(f.number, '_max')}=0`, [one]],
      [`${key(f.date, '_max')}=2026-01-31`, [one]],
      [`${key(f.date, '_min')}=2026-02-01`, [two]],
      [`${key(f.single)}=${item(f.single, 1).id}`, [two]],
      [
        `${key(f.multiple)}[0]=${item(f.multiple, 0).id}&${key(f.multiple)}[1]=${item(f.multiple, 2).id}`,
        [one],
      ],
      // One of them has both.
      [
        `${key(f.multiple)}[0]=${item(f.multiple, 0).id}&${key(f.multiple)}[1]=${item(f.multiple, 1).id}`,
        [two, one],
      ],
      [`${key(f.multiple)}[]=${item(f.multiple, 1).id}`, [two, one]],
      [`${key(f.multiple)}[]=${item(f.multiple, 1).id}&${key(f.number, '_min')}=0`, [two]],
      [`${key(f.multiple)}[][0]=${item(f.multiple, 1).id}&statusId[]=1`, [two, one]],
      [`${key(f.single)}=${item(f.multiple, 1).id}`, []],
      [`${key(f.number, '_min')}=-2&statusId[]=2`, []],
      [`${key(f.number, '_min')}=-2&createdUntil=2000-01-01`, []],
    ];
    for (const [query, expected] of cases) {
      expect([query, await ids(`projectId[]=${project.id}&${query}`)]).toEqual([query, expected]);
      expect([query, await ids(`projectId[]=${project.id}&${query}`, tested.world.admin)]).toEqual([
        query,
        expected,
      ]);
    }
    // With another type, the issue no longer has the field.
    const type = await addSetting(tested.world, project, 'issueTypes');
    await updateIssue(member, two, { issueTypeId: type.id });
    await tested.world.admin.api.patch(`${fields}/${f.number.id}`, {
      applicableIssueTypes: [project.issueTypeId],
    });
    expect(await ids(`${key(f.number, '_min')}=-10`)).toEqual([one]);
    expect(await ids(`projectId[]=${project.id}&sort=${key(f.number)}`)).toEqual([one, two, project.issueId]);

    const other = await tested.world.addProject();
    const foreign = await addField(1, {}, `/projects/${other.key}/customFields`);
    const wrong: [string, string][] = [
      ['customField_999999=x', 'customField_999999'],
      [`${key(foreign)}=x`, key(foreign)],
      [`sort=${key(foreign)}`, 'sort'],
      ['sort=customField_999999', 'sort'],
      ['sort=customField_x', 'sort'],
      [`${key(f.number)}=1`, key(f.number)],
      [`${key(f.number, '_min')}=x`, key(f.number, '_min')],
      [`${key(f.date, '_max')}=1`, key(f.date, '_max')],
      [`${key(f.text, '_max')}=1`, key(f.text, '_max')],
      [`${key(f.single)}=A`, key(f.single)],
      [`${key(f.text)}=1+2+3+4+5+6+7+8+9+10+11`, key(f.text)],
      [`${key(f.text)}=${'x'.repeat(256)}`, key(f.text)],
    ];
    for (const [query, name] of wrong) {
      expect(refused(await member.api.get(`/issues?${query}`))).toEqual([400, name]);
    }
    const many = Array.from({ length: 51 }, (_, number) => `customField_${number + 1}=x`);
    expect(refused(await member.api.get(`/issues?${many.join('&')}`))).toEqual([400, 'customField_51']);
    // A field of a project that is not searched, although the caller can see it.
    const elsewhere = await tested.world.admin.api.get(`/issues?projectId[]=${project.id}&${key(foreign)}=x`);
    expect(refused(elsewhere)).toEqual([400, key(foreign)]);
  });

  it('counts matches without reading issues, unless a filter or the field needs them', async () => {
    const field = await addField(3);
    const readsIssues = async (query: string): Promise<boolean> => {
      const path = `/issues/count?${key(field, '_min')}=1${query}`;
      const statements = await statementsOf(tested.world, () => member.api.get(path));
      const count = statements.find((sql) => sql.startsWith('SELECT COUNT(*)')) ?? '';
      expect(count).toContain('issue_custom_field');
      return count.includes('FROM issue i');
    };
    expect(await readsIssues('')).toBe(false);
    expect(await readsIssues(`&projectId[]=${project.id}&${key(field, '_max')}=9`)).toBe(false);
    expect(await readsIssues('&assigneeId[]=-1')).toBe(true);
    await tested.world.admin.api.patch(`${fields}/${field.id}`, {
      applicableIssueTypes: [project.issueTypeId],
    });
    expect(await readsIssues('')).toBe(true);
  });

  it('sorts by a custom field, with missing values as the lowest', async () => {
    const f = await addFields();
    const add = async (rest: object): Promise<number> => (await addIssue(member, project, rest)).id;
    const low = await add({
      [key(f.text)]: 'a',
      [key(f.number)]: -2,
      [key(f.date)]: '2026-01-02',
      [key(f.multiple)]: [item(f.multiple, 0).id, item(f.multiple, 2).id],
    });
    const high = await add({
      [key(f.text)]: 'b',
      [key(f.number)]: 10,
      [key(f.date)]: '2026-01-10',
      [key(f.multiple)]: [item(f.multiple, 1).id],
    });
    const same = await add({
      [key(f.text)]: 'b',
      [key(f.number)]: 10,
      [key(f.date)]: '2026-01-10',
      [key(f.multiple)]: [item(f.multiple, 1).id],
    });
    const none = await add({});
    const ascending = [project.issueId, none, low, high, same];
    for (const field of [f.text, f.number, f.date, f.multiple]) {
      const query = `projectId[]=${project.id}&sort=${key(field)}`;
      expect(await ids(`${query}&order=asc`)).toEqual(ascending);
      expect(await ids(query)).toEqual([...ascending].reverse());
      const paged = [];
      for (let offset = 0; offset < 5; offset += 2) {
        const { body } = await member.api.get<{ id: number }[]>(`/issues?${query}&count=2&offset=${offset}`);
        paged.push(...body.map(({ id }) => id));
      }
      expect(paged).toEqual([...ascending].reverse());
      expect(await ids(`${query}&order=asc&${key(f.number, '_min')}=0`)).toEqual([high, same]);
    }
  });

  it('reads custom fields in the statement of other parts, and only where a project has some', async () => {
    const statements = async (): Promise<number> => {
      const list = () => member.api.get(`/issues?projectId[]=${project.id}`);
      const sent = await statementsOf(tested.world, list);
      return sent.filter((sql) => /FROM\W+(issue_)?custom_field/.test(sql) && !sql.includes('EXISTS')).length;
    };
    expect(await statements()).toBe(0);
    const field = await addField(6, { items: ['A', 'B'] });
    expect(await statements()).toBe(1);
    for (const chosen of field.items) await addIssue(member, project, { [key(field)]: [chosen.id] });
    await addField(1);
    expect(await statements()).toBe(1);
  });

  it('refuses more than 500 items before reading any of them', async () => {
    const names = Array.from({ length: 100 }, (_, number) => `Item ${number}`);
    const values: Record<string, number[]> = {};
    for (let number = 0; number < 6; number++) {
      const field = await addField(6, { items: names });
      values[key(field)] = field.items.map(({ id }) => id);
    }
    const { world } = tested;
    const sent = await statementsOf(world, async () => {
      const { status, body } = await member.api.post('/issues', newIssue(project, values));
      expect(status).toBe(400);
      expect(body.errors[0].message).toContain('at most 500 items');
    });
    expect(sent.filter((sql) => sql.includes('custom_field_item'))).toEqual([]);
  });

  it('keeps no value of items and fields that are deleted during updates', async () => {
    const { admin } = tested.world;
    const f = await addField(6, { items: Array.from({ length: 10 }, (_, number) => `Item ${number}`) });
    const doomed = await addField(1);
    const chosen = f.items.map(({ id }) => id);
    const targets = await Promise.all(Array.from({ length: 10 }, () => addIssue(member, project)));
    const answers = await Promise.all([
      ...targets.map(({ id }, index) =>
        member.api.patch(`/issues/${id}`, {
          [key(f)]: [chosen[index], chosen[0]],
          [key(doomed)]: `Text ${index}`,
        }),
      ),
      ...chosen.slice(5).map((id) => admin.api.delete(`${fields}/${f.id}/items/${id}`)),
      admin.api.delete(`${fields}/${doomed.id}`),
      ...targets.map(({ id }) => member.api.patch(`/issues/${id}`, { [key(f)]: chosen.slice(3, 8) })),
      ...Array.from({ length: 5 }, () =>
        member.api.post('/issues', newIssue(project, { [key(f)]: chosen[9] })),
      ),
    ]);
    expect(answers.filter(({ status }) => ![200, 201, 400].includes(status))).toEqual([]);
    const { body } = await member.api.get<any[]>(`/issues?projectId[]=${project.id}&count=100`);
    const left = new Set(chosen.slice(0, 5));
    for (const { customFields } of body) {
      expect(customFields.map(({ id }: { id: number }) => id)).toEqual([f.id]);
      expect(customFields[0].value.filter(({ id }: { id: number }) => !left.has(id))).toEqual([]);
    }
    const count = async (table: string): Promise<number> => {
      const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
        `SELECT COUNT(*) AS count FROM ${table} v WHERE v.issue_id IN (SELECT id FROM issue WHERE project_id = ?)`,
        [project.id],
      );
      return Number(row.count);
    };
    expect(await count('issue_custom_field')).toBe(0);
    for (const { id } of body) await admin.api.delete(`/issues/${id}`);
    expect(await count('issue_custom_field_item')).toBe(0);
  });
});
