import { insertRow } from '../../src/database/sql/rows';
import { IssueMilestone } from '../../src/issues/entities/issue-milestone.entity';
import { IssueVersion } from '../../src/issues/entities/issue-version.entity';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface Version {
  id: number;
  projectId: number;
  name: string;
  description: string;
  startDate: string | null;
  releaseDueDate: string | null;
  archived: boolean;
  displayOrder: number;
}

describe('/projects/{projectIdOrKey}/versions', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let api: Person['api'];
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    ({ api } = member);
    path = `/projects/${project.key}/versions`;
  });

  const add = async (name: string, fields: object = {}): Promise<Version> =>
    (await api.post<Version>(path, { name, ...fields })).body;
  const list = async (): Promise<Version[]> => (await api.get<Version[]>(path)).body;

  /** Returns a version without dates as activities show it. */
  const told = ({ id, name }: Version): object => ({
    id,
    name,
    description: '',
    start_date: '',
    reference_date: '',
  });

  it('returns an empty list for a new project', async () => {
    const { status, body } = await api.get(path);
    expect(status).toBe(200);
    expect(body).toEqual([]);
  });

  describe('POST /projects/{projectIdOrKey}/versions', () => {
    it('returns the version with all of its fields, after the earlier ones', async () => {
      const { status, body } = await api.post(path, { name: ' 1.0 ' });
      expect(status).toBe(200);
      expect(body).toEqual({
        id: anId,
        projectId: project.id,
        name: '1.0',
        description: '',
        startDate: null,
        releaseDueDate: null,
        archived: false,
        displayOrder: 0,
      });
      const full = await add('2.0', {
        description: 'Second',
        startDate: '2026-01-31',
        releaseDueDate: '2026-01-31',
      });
      expect(full).toEqual({
        id: anId,
        projectId: project.id,
        name: '2.0',
        description: 'Second',
        startDate: '2026-01-31T00:00:00Z',
        releaseDueDate: '2026-01-31T00:00:00Z',
        archived: false,
        displayOrder: 1,
      });
      expect(await list()).toEqual([body, full]);
    });

    it('accepts null and empty form fields as no date', async () => {
      expect(await add('A', { startDate: null, releaseDueDate: null })).toMatchObject({
        startDate: null,
        releaseDueDate: null,
      });
      const form = new URLSearchParams({ name: 'B', description: '', startDate: '', releaseDueDate: '' });
      expect((await api.post(path, form)).body).toMatchObject({
        description: '',
        startDate: null,
        releaseDueDate: null,
      });
    });

    it('writes activity 22 with the fields of the version', async () => {
      const { id } = await add('1.0', { description: 'First', startDate: '2026-01-31' });
      expect(await activitiesOf(tested.world, project)).toEqual([
        {
          type: 22,
          createdUserId: member.id,
          content: {
            id,
            name: '1.0',
            description: 'First',
            start_date: '2026-01-31',
            reference_date: '',
          },
        },
      ]);
    });

    it('answers 409 beyond 500 versions until one is deleted', async () => {
      const first = await add('First');
      await tested.world.dataSource.query(
        "UPDATE project_counter SET used = 500 WHERE project_id = ? AND name = 'version'",
        [project.id],
      );
      const full = await api.post(path, { name: 'New' });
      expect(full.status).toBe(409);
      expect(full.body).toEqual(errorShape(9));
      await api.delete(`${path}/${first.id}`);
      expect((await api.post(path, { name: 'New' })).status).toBe(200);
      expect((await api.post(path, { name: 'Newer' })).status).toBe(409);
    });
  });

  it.each([
    ['a blank name', { name: ' ' }, ['name']],
    ['null as the name', { name: null }, ['name']],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['name']],
    ['the name of another version', { name: 'taken ' }, ['name']],
    ['null as the description', { name: 'A', description: null }, ['description']],
    ['a description of 100,001 characters', { name: 'A', description: 'x'.repeat(100_001) }, ['description']],
    ['an invalid date', { name: 'A', startDate: '2026-02-30' }, ['startDate']],
    ['a date with a time', { name: 'A', releaseDueDate: '2026-02-01T00:00:00Z' }, ['releaseDueDate']],
    [
      'a release date before the start date',
      { name: 'A', startDate: '2026-02-02', releaseDueDate: '2026-02-01' },
      ['releaseDueDate'],
    ],
    ['a displayOrder', { name: 'A', displayOrder: 3 }, ['displayOrder']],
  ])('refuses %s', async (_what, body, fields) => {
    await add('Taken');
    const { id } = await add('B');
    await expectRefused(tested.world, () => api.post(path, body), fields);
    await expectRefused(tested.world, () => api.patch(`${path}/${id}`, body), fields);
  });

  it('refuses a new version without a name', async () => {
    await expectRefused(tested.world, () => api.post(path, {}), ['name']);
  });

  describe('PATCH /projects/{projectIdOrKey}/versions/{versionId}', () => {
    let version: Version;

    beforeEach(async () => {
      version = await add('1.0', {
        description: 'First',
        startDate: '2026-01-31',
        releaseDueDate: '2026-02-28',
      });
    });

    it.each([
      [{ name: ' 1.1 ' }, { name: '1.1' }],
      [{ name: '1.0', description: '' }, { description: '' }],
      [{ name: '1.0', startDate: null }, { startDate: null }],
      [{ name: '1.0', releaseDueDate: null }, { releaseDueDate: null }],
      [{ name: '1.0', releaseDueDate: '2026-01-31' }, { releaseDueDate: '2026-01-31T00:00:00Z' }],
      [{ name: '1.0', archived: true }, { archived: true }],
      [{ archived: true }, { archived: true }],
      [{ name: '1.0' }, {}],
      [{}, {}],
    ])('applies %j and changes nothing else', async (body, changed) => {
      const answer = await api.patch(`${path}/${version.id}`, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...version, ...changed });
      expect(await list()).toEqual([answer.body]);
    });

    it('clears a date with an empty form field', async () => {
      const { body } = await api.patch(
        `${path}/${version.id}`,
        new URLSearchParams({ name: '1.0', startDate: '', archived: 'true' }),
      );
      expect(body).toEqual({ ...version, startDate: null, archived: true });
    });

    it('refuses a date that conflicts with the stored start or release date', async () => {
      const send = (dates: object) => api.patch(`${path}/${version.id}`, { name: '1.0', ...dates });
      await expectRefused(tested.world, () => send({ startDate: '2026-03-01' }), ['startDate']);
      await expectRefused(tested.world, () => send({ releaseDueDate: '2026-01-30' }), ['releaseDueDate']);
      const moved = await send({ startDate: '2027-01-01', releaseDueDate: '2027-01-02' });
      expect(moved.status).toBe(200);
      expect((await send({ startDate: '2028-01-01', releaseDueDate: null })).status).toBe(200);
    });

    it('writes activity 23 with the changes, and none without a change', async () => {
      await api.patch(`${path}/${version.id}`, { name: '1.0', description: 'First', archived: false });
      await api.patch(`${path}/${version.id}`, {
        name: '1.1',
        description: '',
        startDate: null,
        releaseDueDate: '2026-03-01',
        archived: true,
      });
      const activities = await activitiesOf(tested.world, project);
      expect(activities.map(({ type }) => type)).toEqual([22, 23]);
      const change = (field: string, old_value: string, new_value: string): object => ({
        field,
        new_value,
        old_value,
        type: 'standard',
      });
      expect(activities[1]).toEqual({
        type: 23,
        createdUserId: member.id,
        content: {
          id: version.id,
          name: '1.1',
          description: '',
          start_date: '',
          reference_date: '2026-03-01',
          changes: [
            change('name', '1.0', '1.1'),
            change('description', 'First', ''),
            change('start_date', '2026-01-31', ''),
            change('reference_date', '2026-02-28', '2026-03-01'),
            change('archived', 'false', 'true'),
          ],
        },
      });
    });

    it('records each simultaneous update against the value before it', async () => {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          api.patch(`${path}/${version.id}`, { name: '1.0', archived: index % 2 === 0 }),
        ),
      );
      const told = (await activitiesOf(tested.world, project))
        .slice(1)
        .map(({ content }) => (content.changes as { old_value: string; new_value: string }[])[0]!);
      // Each change starts from the result of the previous one.
      let archived = 'false';
      for (const { old_value, new_value } of told) {
        expect([old_value, new_value]).toEqual([archived, archived === 'true' ? 'false' : 'true']);
        archived = new_value;
      }
      expect(String((await list())[0]?.archived)).toBe(archived);
    });
  });

  describe('DELETE /projects/{projectIdOrKey}/versions/{versionId}', () => {
    it('returns the version, removes it from its issues and writes activity 24', async () => {
      const [a, b] = [await add('A'), await add('B')];
      await tested.world.write(async (manager) => {
        for (const { id } of [a, b]) {
          await insertRow(manager, IssueVersion, { issueId: project.issueId, versionId: id });
          await insertRow(manager, IssueMilestone, { issueId: project.issueId, versionId: id });
        }
      });
      const { status, body } = await api.delete(`${path}/${a.id}`);
      expect(status).toBe(200);
      expect(body).toEqual(a);
      expect(await list()).toEqual([b]);
      for (const table of ['issue_version', 'issue_milestone']) {
        const links = await tested.world.dataSource.query<{ versionId: number }[]>(
          `SELECT version_id AS versionId FROM ${table} WHERE issue_id = ?`,
          [project.issueId],
        );
        expect(links).toEqual([{ versionId: b.id }]);
      }
      expect((await activitiesOf(tested.world, project)).at(-1)).toEqual({
        type: 24,
        createdUserId: member.id,
        content: told(a),
      });
    });

    it('deletes, records and counts a version once under ten simultaneous requests', async () => {
      const { id } = await add('A');
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.delete(`${path}/${id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
      const types = (await activitiesOf(tested.world, project)).map(({ type }) => type);
      expect(types).toEqual([22, 24]);
      const [counter] = await tested.world.dataSource.query<{ used: number }[]>(
        "SELECT used FROM project_counter WHERE project_id = ? AND name = 'version'",
        [project.id],
      );
      expect(counter?.used).toBe(0);
    });

    it('answers 200 during an update, which answers 200 or 404', async () => {
      const { id } = await add('A');
      const [updated, deleted] = await Promise.all([
        api.patch(`${path}/${id}`, { name: 'B' }),
        api.delete(`${path}/${id}`),
      ]);
      expect([200, 404]).toContain(updated.status);
      expect(deleted.status).toBe(200);
    });
  });
});
