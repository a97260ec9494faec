import { insertRow } from '../../src/database/sql/rows';
import { IssueCategory } from '../../src/issues/entities/issue-category.entity';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Category {
  id: number;
  projectId: number;
  name: string;
  displayOrder: number;
}

describe('/projects/{projectIdOrKey}/categories', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let api: Person['api'];
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    ({ api } = await tested.world.addMember(project));
    path = `/projects/${project.key}/categories`;
  });

  const add = async (name: string): Promise<Category> => (await api.post<Category>(path, { name })).body;
  const list = async (): Promise<Category[]> => (await api.get<Category[]>(path)).body;

  it('returns an empty list for a new project', async () => {
    const { status, body } = await api.get(path);
    expect(status).toBe(200);
    expect(body).toEqual([]);
  });

  it('adds categories last, with all of their fields and without an activity', async () => {
    const answers = [await api.post(path, { name: ' Payments ' }), await api.post(path, { name: 'A' })];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ body }) => body as Category)).toEqual([
      { id: anId, projectId: project.id, name: 'Payments', displayOrder: 0 },
      { id: anId, projectId: project.id, name: 'A', displayOrder: 1 },
    ]);
    expect(await list()).toEqual(answers.map(({ body }) => body as Category));
    expect(await activitiesOf(tested.world, project)).toEqual([]);
  });

  it('keeps the categories of each project and their names apart', async () => {
    await add('A');
    const other = await tested.world.addProject();
    const { admin } = tested.world;
    expect((await admin.api.get(`/projects/${other.key}/categories`)).body).toEqual([]);
    expect((await admin.api.post(`/projects/${other.key}/categories`, { name: 'A' })).status).toBe(200);
  });

  it('renames a category without an activity', async () => {
    const [a, b] = [await add('A'), await add('B')];
    const { status, body } = await api.patch(`${path}/${a.id}`, { name: ' C ' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...a, name: 'C' });
    expect(await list()).toEqual([{ ...a, name: 'C' }, b]);
    expect((await api.patch(`${path}/${a.id}`, { name: 'c' })).body).toEqual({ ...a, name: 'c' });
    expect(await activitiesOf(tested.world, project)).toEqual([]);
  });

  it('deletes a category and removes it from its issues, without an activity', async () => {
    const [a, b] = [await add('A'), await add('B')];
    await tested.world.write(async (manager) => {
      for (const { id } of [a, b]) {
        await insertRow(manager, IssueCategory, { issueId: project.issueId, categoryId: id });
      }
    });
    const { status, body } = await api.delete(`${path}/${a.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(a);
    expect(await list()).toEqual([b]);
    const links = await tested.world.dataSource.query<{ categoryId: number }[]>(
      'SELECT category_id AS categoryId FROM issue_category WHERE issue_id = ?',
      [project.issueId],
    );
    expect(links).toEqual([{ categoryId: b.id }]);
    const again = await api.delete(`${path}/${a.id}`);
    expect(again.status).toBe(404);
    expect(await activitiesOf(tested.world, project)).toEqual([]);
  });

  it('refuses a body on DELETE', async () => {
    const { id } = await add('A');
    // Rejected as a whole, without being read.
    await expectRefused(tested.world, () => api.delete(`${path}/${id}`, { substitute: 1 }), ['']);
  });

  it.each([
    ['a missing name', {}, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a blank name', { name: ' \u3000' }, ['name']],
    ['null as the name', { name: null }, ['name']],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['name']],
    ['the name of another category', { name: 'STRASSE ' }, ['name']],
    ['a displayOrder', { name: 'A', displayOrder: 3 }, ['displayOrder']],
  ])('refuses %s', async (_what, body, fields) => {
    await add('Straße');
    const { id } = await add('B');
    await expectRefused(tested.world, () => api.post(path, body), fields);
    await expectRefused(tested.world, () => api.patch(`${path}/${id}`, body), fields);
  });

  it('accepts a name of 255 characters that grow when folded', async () => {
    const name = 'ΐ'.repeat(255);
    expect(await add(name)).toMatchObject({ name });
  });

  it('answers 409 beyond 500 categories until one is deleted', async () => {
    const first = await add('First');
    await tested.world.dataSource.query(
      "UPDATE project_counter SET used = 500 WHERE project_id = ? AND name = 'category'",
      [project.id],
    );
    const full = await api.post(path, { name: 'New' });
    expect(full.status).toBe(409);
    expect(full.body).toEqual(errorShape(9));
    await api.delete(`${path}/${first.id}`);
    expect((await api.post(path, { name: 'New' })).status).toBe(200);
    expect((await api.post(path, { name: 'Newer' })).status).toBe(409);
  });

  it('adds a category last even after a deletion', async () => {
    const [, b] = [await add('A'), await add('B')];
    await api.delete(`${path}/${b.id}`);
    const c = await add('C');
    expect(c.displayOrder).toBeGreaterThan(b.displayOrder);
    expect((await list()).map(({ name }) => name)).toEqual(['A', 'C']);
  });

  it('accepts one of ten simultaneous additions with the same name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => api.post(path, { name: index % 2 === 0 ? 'A' : ' a' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
  });

  it('gives simultaneous additions consecutive values of displayOrder', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(`Category ${index}`)));
    const categories = await list();
    expect(categories.map(({ displayOrder }) => displayOrder - categories[0]!.displayOrder)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  it('deletes and counts a category once under simultaneous requests', async () => {
    const { id } = await add('A');
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.delete(`${path}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
    const [counter] = await tested.world.dataSource.query<{ used: number }[]>(
      "SELECT used FROM project_counter WHERE project_id = ? AND name = 'category'",
      [project.id],
    );
    expect(counter?.used).toBe(0);
  });
});
