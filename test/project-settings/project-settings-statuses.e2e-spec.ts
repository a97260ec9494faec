import { IssuesService } from '../../src/issues/issues.service';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Status {
  id: number;
  projectId: number;
  name: string;
  color: string;
  displayOrder: number;
}

describe('/projects/{projectIdOrKey}/statuses', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let administrator: Person;
  let api: Person['api'];
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    administrator = await tested.world.addMember(project, undefined, true);
    ({ api } = administrator);
    path = `/projects/${project.key}/statuses`;
  });

  const add = async (name: string): Promise<Status> =>
    (await api.post<Status>(path, { name, color: '#3b9dbd' })).body;

  const list = async (): Promise<Status[]> => (await api.get<Status[]>(path)).body;
  const namesOf = (statuses: Status[]): string[] => statuses.map(({ name }) => name);

  /** Returns the row id of a status, which the API does not show for the standard ones. */
  const rowIdOf = async (name: string, of = project): Promise<number> => {
    const [row] = await tested.world.dataSource.query<{ id: number }[]>(
      'SELECT id FROM issue_status WHERE project_id = ? AND name = ?',
      [of.id, name],
    );
    return row!.id;
  };

  const addIssue = (statusId: number): Promise<number> =>
    tested.world.write(async (manager) => {
      const { id } = await tested.world.service(IssuesService).add(manager, {
        projectId: project.id,
        issueTypeId: project.issueTypeId,
        statusId,
        summary: 'An issue',
        description: '',
        createdUserId: administrator.id,
      });
      return id;
    });

  const issuesWithStatuses = (): Promise<{ id: number; statusId: number; updated: number }[]> =>
    tested.world.dataSource.query(
      'SELECT id, status_id AS statusId, updated FROM issue WHERE project_id = ? ORDER BY id',
      [project.id],
    );

  describe('GET /projects/{projectIdOrKey}/statuses', () => {
    it('lists the standard statuses under the same ids in every project', async () => {
      const other = await tested.world.addProject();
      for (const { id: projectId, key } of [project, other]) {
        const { status, body } = await tested.world.admin.api.get(`/projects/${key}/statuses`);
        expect(status).toBe(200);
        expect(body).toEqual([
          { id: 1, projectId, name: 'Open', color: '#ed8077', displayOrder: 1000 },
          { id: 2, projectId, name: 'In Progress', color: '#4488c5', displayOrder: 2000 },
          { id: 3, projectId, name: 'Resolved', color: '#5eb5a6', displayOrder: 3000 },
          { id: 4, projectId, name: 'Closed', color: '#a1af2f', displayOrder: 4000 },
        ]);
      }
    });

    it('lists added statuses before Closed, under the ids returned on addition', async () => {
      const added = await add('In review');
      expect(added).toEqual({
        id: anId,
        projectId: project.id,
        name: 'In review',
        color: '#3b9dbd',
        displayOrder: 3999,
      });
      expect(added.id).toBeGreaterThan(4);
      expect((await list()).map(({ id }) => id)).toEqual([1, 2, 3, added.id, 4]);
    });
  });

  describe('PATCH /projects/{projectIdOrKey}/statuses/{statusId}', () => {
    it.each([
      [{ name: ' Other ' }, { name: 'Other' }],
      [{ color: '#ABCDEF' }, { color: '#abcdef' }],
      [{ name: 'IN REVIEW' }, { name: 'IN REVIEW' }],
      [{}, {}],
    ])('applies %j and changes nothing else, without an activity', async (body, changed) => {
      const added = await add('In review');
      const answer = await api.patch(`${path}/${added.id}`, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...added, ...changed });
      expect(await list()).toContainEqual(answer.body);
      expect(await activitiesOf(tested.world, project)).toEqual([]);
    });

    it('changes the name and colour of a standard status in this project only', async () => {
      const other = await tested.world.addProject();
      const { status, body } = await api.patch(`${path}/2`, { name: 'Doing', color: '#000000' });
      expect(status).toBe(200);
      expect(body).toEqual({
        id: 2,
        projectId: project.id,
        name: 'Doing',
        color: '#000000',
        displayOrder: 2000,
      });
      expect(namesOf(await list())).toEqual(['Open', 'Doing', 'Resolved', 'Closed']);
      const { body: others } = await tested.world.admin.api.get<Status[]>(`/projects/${other.key}/statuses`);
      expect(namesOf(others)).toContain('In Progress');
    });

    it.each([
      [{ name: 'cLOSED' }, ['name']],
      [{ name: ' ' }, ['name']],
      [{ color: null }, ['color']],
      [{ displayOrder: 1 }, ['displayOrder']],
    ])('refuses %j', async (body, fields) => {
      const { id } = await add('In review');
      for (const status of [id, 1]) {
        await expectRefused(tested.world, () => api.patch(`${path}/${status}`, body), fields);
      }
    });

    it('answers 404 for the row id of a standard status, also on DELETE', async () => {
      const other = await tested.world.addProject();
      const rowId = await rowIdOf('Open', other);
      expect(rowId).toBeGreaterThan(4);
      const { admin } = tested.world;
      const answers = [
        await admin.api.patch(`/projects/${other.key}/statuses/${rowId}`, { name: 'New' }),
        await admin.api.delete(`/projects/${other.key}/statuses/${rowId}`, { substituteStatusId: 2 }),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(404);
        expect(body).toEqual(errorShape(6));
      }
    });
  });

  describe('PATCH /projects/{projectIdOrKey}/statuses/updateDisplayOrder', () => {
    const reorder = (statusId: number[]) => api.patch<Status[]>(`${path}/updateDisplayOrder`, { statusId });

    it('returns all statuses in the new order, without an activity', async () => {
      const [a, b] = [await add('A'), await add('B')];
      const { status, body } = await reorder([1, b.id, 2, a.id, 3, 4]);
      expect(status).toBe(200);
      expect(body.map(({ id, displayOrder }) => [id, displayOrder])).toEqual([
        [1, 1000],
        [b.id, 2000],
        [2, 3000],
        [a.id, 4000],
        [3, 5000],
        [4, 6000],
      ]);
      expect(await list()).toEqual(body);
      expect(await activitiesOf(tested.world, project)).toEqual([]);
    });

    it('accepts a form', async () => {
      const { id } = await add('A');
      const body = new URLSearchParams(
        [1, id, 2, 3, 4].map((status): [string, string] => ['statusId[]', String(status)]),
      );
      const answer = await api.patch<Status[]>(`${path}/updateDisplayOrder`, body);
      expect(answer.body.map((status) => status.id)).toEqual([1, id, 2, 3, 4]);
    });

    it('changes nothing when the order is the same', async () => {
      const before = await list();
      const { status, body } = await reorder([1, 2, 3, 4]);
      expect(status).toBe(200);
      expect(body).toEqual(before);
    });

    it('leaves the place before Closed to statuses added later', async () => {
      const a = await add('A');
      await reorder([1, a.id, 2, 3, 4]);
      await add('B');
      await add('C');
      const statuses = await list();
      expect(namesOf(statuses)).toEqual(['Open', 'A', 'In Progress', 'Resolved', 'B', 'C', 'Closed']);
      expect(statuses.at(-2)?.displayOrder).toBe(4999);
    });

    it.each([
      ['In Progress before Open', (id: number) => [2, 1, id, 3, 4]],
      ['an added status before Open', (id: number) => [id, 1, 2, 3, 4]],
      ['Closed before Resolved', (id: number) => [1, 2, 4, id, 3]],
      ['an added status after Closed', (id: number) => [1, 2, 3, 4, id]],
      ['Resolved before In Progress', (id: number) => [1, 3, id, 2, 4]],
      ['a list without an added status', () => [1, 2, 3, 4]],
      ['a list without a standard status', (id: number) => [1, 2, id, 4]],
      ['an additional unknown status', (id: number) => [1, 2, 3, id, 999_999, 4]],
      ['an unknown status instead of an added one', () => [1, 2, 3, 999_999, 4]],
      ['an empty list', () => []],
    ])('refuses %s', async (_what, order) => {
      const { id } = await add('A');
      await expectRefused(tested.world, () => reorder(order(id)), ['statusId']);
    });

    it("refuses another project's status and the row id of a standard status", async () => {
      const other = await tested.world.addProject();
      const { admin } = tested.world;
      const { body } = await admin.api.post<Status>(`/projects/${other.key}/statuses`, {
        name: 'A',
        color: '#000000',
      });
      for (const id of [body.id, await rowIdOf('Open')]) {
        await expectRefused(tested.world, () => reorder([1, 2, 3, id, 4]), ['statusId']);
      }
    });
  });

  describe('DELETE /projects/{projectIdOrKey}/statuses/{statusId}', () => {
    it('returns the status, and changes only the status of its issues', async () => {
      const added = await add('In review');
      const issueId = await addIssue(added.id);
      const before = await issuesWithStatuses();
      const answer = await api.delete(`${path}/${added.id}`, { substituteStatusId: 3 });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(added);
      expect(namesOf(await list())).toEqual(['Open', 'In Progress', 'Resolved', 'Closed']);
      const resolved = await rowIdOf('Resolved');
      expect(await issuesWithStatuses()).toEqual(
        before.map((issue) => (issue.id === issueId ? { ...issue, statusId: resolved } : issue)),
      );
    });

    it('writes activity 34 with the issues of the status', async () => {
      const [a, b] = [await add('A'), await add('B')];
      const id = await addIssue(a.id);
      await api.delete(`${path}/${a.id}`, { substituteStatusId: b.id });
      await api.delete(`${path}/${b.id}`, { substituteStatusId: 1 });
      const told = (name: string, from: number, to: number): object => ({
        type: 34,
        createdUserId: administrator.id,
        content: {
          deletedStatus: { name },
          link: [{ id, key_id: expect.any(Number), title: 'An issue', comment: null }],
          change: { field: 'status', new_value: String(to), old_value: String(from), type: 'standard' },
        },
      });
      expect(await activitiesOf(tested.world, project)).toEqual([told('A', a.id, b.id), told('B', b.id, 1)]);
    });

    it('makes room for another status before Closed in a project with 12', async () => {
      for (let number = 5; number <= 12; number++) await add(`Status ${number}`);
      expect((await api.post(path, { name: 'New', color: '#000000' })).status).toBe(409);
      const statuses = await list();
      await api.delete(`${path}/${statuses.at(-2)!.id}`, { substituteStatusId: 1 });
      expect(await add('New')).toMatchObject({ displayOrder: 3999 });
      expect((await list()).slice(0, -2)).toEqual(statuses.slice(0, -2));
      expect((await api.post(path, { name: 'Newer', color: '#000000' })).status).toBe(409);
    });

    it.each([1, 2, 3, 4])('refuses to delete the standard status %i', async (id) => {
      const other = await add('A');
      await expectRefused(tested.world, () => api.delete(`${path}/${id}`, { substituteStatusId: other.id }), [
        '',
      ]);
    });

    it.each([
      ['a missing substitute', () => ({})],
      ['a name as the substitute', () => ({ substituteStatusId: 'Open' })],
      ['the status as its own substitute', (id: number) => ({ substituteStatusId: id })],
      ['an unknown substitute', () => ({ substituteStatusId: 999_999 })],
    ])('refuses %s', async (_what, bodyFor) => {
      const { id } = await add('A');
      await addIssue(id);
      await expectRefused(tested.world, () => api.delete(`${path}/${id}`, bodyFor(id)), [
        'substituteStatusId',
      ]);
    });

    it("refuses another project's status or a row id as the substitute", async () => {
      const { id } = await add('A');
      const other = await tested.world.addProject();
      const { body } = await tested.world.admin.api.post<Status>(`/projects/${other.key}/statuses`, {
        name: 'A',
        color: '#000000',
      });
      for (const substituteStatusId of [body.id, await rowIdOf('Open')]) {
        await expectRefused(tested.world, () => api.delete(`${path}/${id}`, { substituteStatusId }), [
          'substituteStatusId',
        ]);
      }
    });
  });

  describe('under simultaneous requests', () => {
    it('keeps one of two statuses whose deletions name each other as the substitute', async () => {
      const [a, b] = [await add('A'), await add('B')];
      const issues = [await addIssue(a.id), await addIssue(b.id)];
      const answers = await Promise.all([
        api.delete(`${path}/${a.id}`, { substituteStatusId: b.id }),
        api.delete(`${path}/${b.id}`, { substituteStatusId: a.id }),
      ]);
      const left = answers[0].status === 200 ? b : a;
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect([400, 404]).toContain(answers.find(({ status }) => status !== 200)!.status);
      const stored = (await issuesWithStatuses()).filter(({ id }) => issues.includes(id));
      expect(stored.map(({ statusId }) => statusId)).toEqual([left.id, left.id]);
      expect(await activitiesOf(tested.world, project)).toHaveLength(1);
    });

    it('gives an issue updated during a deletion the substitute, or refuses the update', async () => {
      const { id } = await add('A');
      const [deleted, ...answers] = await Promise.all([
        api.delete(`${path}/${id}`, { substituteStatusId: 2 }),
        ...Array.from({ length: 20 }, (_, index) =>
          api.patch(`/issues/${project.issueKey}`, { statusId: id, summary: `Summary ${index}` }),
        ),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status, body } of answers) {
        if (status >= 300)
          expect({ status, body }).toEqual({ status: 400, body: errorShape(7, ['statusId']) });
      }
      const [issue] = await issuesWithStatuses();
      const isChanged = answers.some(({ status }) => status === 200);
      expect(issue?.statusId).toBe(await rowIdOf(isChanged ? 'In Progress' : 'Open'));
    });

    it('keeps distinct places in an allowed order during reorders, additions and deletions', async () => {
      const added = [await add('A'), await add('B'), await add('C')];
      const [a, b, c] = added.map(({ id }) => id) as [number, number, number];
      const answers = await Promise.all([
        api.patch(`${path}/updateDisplayOrder`, { statusId: [1, a, b, 2, c, 3, 4] }),
        api.post(path, { name: 'D', color: '#000000' }),
        api.patch(`${path}/updateDisplayOrder`, { statusId: [1, 2, 3, c, b, a, 4] }),
        api.delete(`${path}/${b}`, { substituteStatusId: 1 }),
        api.post(path, { name: 'E', color: '#000000' }),
        api.patch(`${path}/updateDisplayOrder`, { statusId: [1, c, b, a, 2, 3, 4] }),
      ]);
      const outcomes = answers.map(({ status }) => status);
      expect([outcomes[1], outcomes[3], outcomes[4]]).toEqual([201, 200, 201]);
      for (const index of [0, 2, 5]) expect([200, 400]).toContain(outcomes[index]);
      const statuses = await list();
      expect(new Set(statuses.map(({ displayOrder }) => displayOrder)).size).toBe(8);
      const order = statuses.map(({ id }) => id);
      expect([order[0], order.at(-1)]).toEqual([1, 4]);
      expect(order.indexOf(2)).toBeLessThan(order.indexOf(3));
    });
  });
});
