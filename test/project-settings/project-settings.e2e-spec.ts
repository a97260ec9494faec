import { expectRefused } from '../support/refusals';
import { ProjectRemovalService } from '../../src/projects/project-removal.service';
import { activitiesOf, everythingStored } from '../support/records';
import { anId, errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, World } from '../support/world';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

describe.each([
  { path: 'issueTypes', table: 'issue_type', existing: 'Task' },
  { path: 'statuses', table: 'issue_status', existing: 'In Progress' },
])('POST /projects/{projectIdOrKey}/$path', ({ path: lastPart, table, existing }) => {
  let project: ProjectFixture;
  let path: string;
  let api: Person['api'];

  beforeEach(async () => {
    project = await world.addProject();
    path = `/projects/${project.key}/${lastPart}`;
    ({ api } = await world.addMember(project, undefined, true));
  });

  const storedNames = async (): Promise<string[]> => {
    const rows = await world.dataSource.query<{ name: string }[]>(
      `SELECT name FROM ${table} WHERE project_id = ? ORDER BY display_order`,
      [project.id],
    );
    return rows.map((row) => row.name);
  };

  it('answers 201 with all fields and writes no activity', async () => {
    const { status, body } = await api.post(path, { name: 'New', color: '#3b9dbd' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: anId,
      projectId: project.id,
      name: 'New',
      color: '#3b9dbd',
      displayOrder: expect.any(Number),
    });
    expect(await storedNames()).toContain('New');
    expect(await activitiesOf(world, project)).toEqual([]);
  });

  it('accepts the numeric id of the project', async () => {
    const { status } = await api.post(`/projects/${project.id}/${lastPart}`, {
      name: 'New',
      color: '#000000',
    });
    expect(status).toBe(201);
  });

  it('trims the name and converts the colour to lower case', async () => {
    const { body } = await api.post(path, { name: ' \u3000Two words\t', color: '#ABCDEF' });
    expect(body).toMatchObject({ name: 'Two words', color: '#abcdef' });
  });

  it.each([
    ['one character', 'x'],
    ['255 characters of four bytes', '😀'.repeat(255)],
    ['255 characters that grow when folded', 'ΐ'.repeat(255)],
  ])('accepts a name of %s', async (_what, name) => {
    const { status, body } = await api.post(path, { name, color: '#000000' });
    expect(status).toBe(201);
    expect(body.name).toBe(name);
    expect(await storedNames()).toContain(name);
  });

  it.each([
    ['an existing name', existing, existing],
    ['an existing name with surrounding spaces', existing, ` ${existing}  `],
    ['an existing name in another case', existing, existing.toUpperCase()],
    ['an existing accented name in another case', 'Ärger', 'äRGER'],
    ['an existing Greek name in another case', 'ΛΌΓΟΣ', 'λόγος'],
    ['an existing name with SS instead of ß', 'Straße', 'STRASSE'],
  ])('refuses %s', async (_what, first, second) => {
    if (first !== existing)
      expect((await api.post(path, { name: first, color: '#000000' })).status).toBe(201);
    const before = await everythingStored(world);
    const answer = await api.post(path, { name: second, color: '#000000' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, ['name']));
    expect(await everythingStored(world)).toEqual(before);
  });

  it.each([
    ['similar letters of two scripts', 'A', 'А'],
    ['accents', 'Resume', 'Résumé'],
    ['emoji', '🍣', '🍺'],
    ['inner spaces', 'In review', 'Inreview'],
    ['the dotless i', 'ısı', 'isi'],
  ])('distinguishes names by %s', async (_what, first, second) => {
    expect((await api.post(path, { name: first, color: '#000000' })).status).toBe(201);
    expect((await api.post(path, { name: second, color: '#000000' })).status).toBe(201);
  });

  it('accepts the same name in another project', async () => {
    const other = await world.addProject();
    for (const { key } of [project, other]) {
      const answer = await world.admin.api.post(`/projects/${key}/${lastPart}`, {
        name: 'Same',
        color: '#000000',
      });
      expect(answer.status).toBe(201);
    }
  });

  it.each([
    ['an empty request', {}, ['name', 'color']],
    ['an empty name', { name: '', color: '#000000' }, ['name']],
    ['a blank name', { name: ' \u3000', color: '#000000' }, ['name']],
    ['a name of 256 characters', { name: 'x'.repeat(256), color: '#000000' }, ['name']],
    ['a colour name', { name: 'New', color: 'red' }, ['color']],
    ['a short colour', { name: 'New', color: '#fff' }, ['color']],
    ['a colour with transparency', { name: 'New', color: '#00000000' }, ['color']],
    ['a colour with a line end', { name: 'New', color: '#000000\n' }, ['color']],
    [
      'an id and a displayOrder',
      { id: 1, name: 'New', color: '#000000', displayOrder: 1 },
      ['id', 'displayOrder'],
    ],
  ])('refuses %s and stores nothing', async (_what, body, fields) => {
    const before = await everythingStored(world);
    const answer = await api.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, fields));
    expect(await everythingStored(world)).toEqual(before);
  });
});

describe('POST /projects/{projectIdOrKey}/issueTypes and /statuses', () => {
  let project: ProjectFixture;

  beforeEach(async () => {
    project = await world.addProject();
  });

  const add = async (kind: string, body: object): Promise<{ status: number; body: any }> =>
    world.admin.api.post(`/projects/${project.key}/${kind}`, { color: '#123456', ...body });

  it('adds an issue type last', async () => {
    const [first, second] = [await add('issueTypes', { name: 'A' }), await add('issueTypes', { name: 'B' })];
    expect(second.body.displayOrder).toBe((first.body.displayOrder as number) + 1);
    const [{ last }] = await world.dataSource.query<[{ last: number }]>(
      'SELECT MAX(display_order) AS last FROM issue_type WHERE project_id = ?',
      [project.id],
    );
    expect(second.body.displayOrder).toBe(last);
  });

  it('adds a status just before Closed, after those added earlier', async () => {
    for (const name of ['A', 'B', 'C']) {
      const { body } = await add('statuses', { name });
      expect(body.displayOrder).toBe(3999);
    }
    const rows = await world.dataSource.query<{ name: string; displayOrder: number }[]>(
      'SELECT name, display_order AS displayOrder FROM issue_status WHERE project_id = ? ORDER BY display_order',
      [project.id],
    );
    expect(rows.map((row) => `${row.name} ${row.displayOrder}`)).toEqual([
      'Open 1000',
      'In Progress 2000',
      'Resolved 3000',
      'A 3997',
      'B 3998',
      'C 3999',
      'Closed 4000',
    ]);
  });

  it('answers 409 beyond 12 statuses, not counting a refused one', async () => {
    expect((await add('statuses', { name: 'Closed' })).status).toBe(400);
    for (let number = 5; number <= 12; number++) {
      expect((await add('statuses', { name: `Status ${number}` })).status).toBe(201);
    }
    const before = await everythingStored(world);
    const answer = await add('statuses', { name: 'One too many' });
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(errorShape(9));
    expect(await everythingStored(world)).toEqual(before);
  });

  it('answers 409 beyond 100 issue types', async () => {
    for (let number = 5; number <= 100; number++) {
      expect((await add('issueTypes', { name: `Type ${number}` })).status).toBe(201);
    }
    const answer = await add('issueTypes', { name: 'One too many' });
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(errorShape(9));
  });

  it('returns the templates of an issue type unless they are empty', async () => {
    const templates = { templateSummary: 'Crash in …', templateDescription: 'Steps:\n\n1. ' };
    expect((await add('issueTypes', { name: 'A', ...templates })).body).toEqual({
      id: anId,
      projectId: project.id,
      name: 'A',
      color: '#123456',
      displayOrder: expect.any(Number),
      ...templates,
    });
    const empty = await add('issueTypes', { name: 'B', templateSummary: '', templateDescription: '' });
    expect(Object.keys(empty.body)).not.toContain('templateSummary');
    expect(Object.keys(empty.body)).not.toContain('templateDescription');
  });

  it.each([
    ['templateSummary', 255],
    ['templateDescription', 100_000],
  ])('accepts a %s of at most %i characters', async (field, length) => {
    const longest = await add('issueTypes', { name: 'A', [field]: '😀'.repeat(length) });
    expect(longest.status).toBe(201);
    expect(longest.body[field]).toBe('😀'.repeat(length));
    const tooLong = await add('issueTypes', { name: 'B', [field]: 'x'.repeat(length + 1) });
    expect(tooLong.status).toBe(400);
    expect(tooLong.body).toEqual(errorShape(7, [field]));
  });
});

describe('GET /priorities and GET /resolutions', () => {
  it('lists the priorities, the most urgent first', async () => {
    const { status, body } = await world.admin.api.get('/priorities');
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: 2, name: 'High' },
      { id: 3, name: 'Normal' },
      { id: 4, name: 'Low' },
    ]);
  });

  it('lists the resolutions', async () => {
    const { status, body } = await world.admin.api.get('/resolutions');
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: 0, name: 'Fixed' },
      { id: 1, name: "Won't fix" },
      { id: 2, name: 'Invalid' },
      { id: 3, name: 'Duplicate' },
      { id: 4, name: 'Cannot reproduce' },
    ]);
  });
});

describe('ProjectRemovalService', () => {
  it('removes the settings of a deleted project and keeps those of others', async () => {
    const [gone, stays] = [await world.addProject(), await world.addProject()];
    for (const { key } of [gone, stays]) {
      await world.admin.api.post(`/projects/${key}/categories`, { name: 'A' });
      await world.admin.api.post(`/projects/${key}/versions`, { name: 'A' });
    }
    // Other modules remove the rows that refer to the settings.
    await world.dataSource.query('DELETE FROM issue WHERE project_id = ?', [gone.id]);
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [gone.id]);
    const removal = world.service(ProjectRemovalService);
    removal.start();
    await world.background.whenIdle();
    for (const [table, left] of [
      ['version', 1],
      ['category', 1],
      ['issue_type', 4],
      ['issue_status', 4],
    ]) {
      const counts = [];
      for (const { id } of [gone, stays]) {
        const rows = await world.dataSource.query<unknown[]>(`SELECT id FROM ${table} WHERE project_id = ?`, [
          id,
        ]);
        counts.push(rows.length);
      }
      expect({ table, counts }).toEqual({ table, counts: [0, left] });
    }
  });
});

describe('PATCH /projects/{projectIdOrKey}/versions/{versionId}', () => {
  it('accepts an update without a name, but refuses a blank or null one', async () => {
    const project = await world.addProject();
    const { api } = await world.addMember(project);
    const versions = `/projects/${project.key}/versions`;
    const { body: added } = await api.post(versions, { name: '1.0', description: 'First' });

    const { status, body } = await api.patch(`${versions}/${added.id}`, { archived: true });
    expect(status).toBe(200);
    expect(body).toEqual({ ...added, archived: true });
    expect((await api.patch(`${versions}/${added.id}`)).body).toEqual(body);
    await expectRefused(world, () => api.patch(`${versions}/${added.id}`, { name: ' ' }), ['name']);
    await expectRefused(world, () => api.patch(`${versions}/${added.id}`, { name: null }), ['name']);
  });
});
