import { IssuesService } from '../../src/issues/issues.service';
import { activitiesOf, everythingStored } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('/projects/{projectIdOrKey}/issueTypes', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let path: string;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    path = `/projects/${project.key}/issueTypes`;
  });

  const add = async (name: string, fields: object = {}): Promise<{ id: number }> =>
    (await member.api.post<{ id: number }>(path, { name, color: '#990000', ...fields })).body;

  const namesOf = async (): Promise<string[]> => {
    const { body } = await member.api.get<{ name: string }[]>(path);
    return body.map(({ name }) => name);
  };

  /** Adds an issue of a type, and returns its id. */
  const addIssue = (issueTypeId: number): Promise<number> =>
    tested.world.write(async (manager) => {
      const { id } = await tested.world.service(IssuesService).add(manager, {
        projectId: project.id,
        issueTypeId,
        statusId: project.statusId,
        summary: 'An issue',
        description: '',
        createdUserId: member.id,
      });
      return id;
    });

  const issuesWithTypes = (): Promise<{ id: number; issueTypeId: number; updated: number }[]> =>
    tested.world.dataSource.query(
      'SELECT id, issue_type_id AS issueTypeId, updated FROM issue WHERE project_id = ? ORDER BY id',
      [project.id],
    );

  describe('GET /projects/{projectIdOrKey}/issueTypes', () => {
    it('lists the issue types of a new project in order', async () => {
      const { status, body } = await member.api.get(path);
      expect(status).toBe(200);
      const fields = { id: anId, projectId: project.id };
      expect(body).toEqual([
        { ...fields, name: 'Task', color: '#7ea800', displayOrder: 0 },
        { ...fields, name: 'Bug', color: '#990000', displayOrder: 1 },
        { ...fields, name: 'Request', color: '#ff9200', displayOrder: 2 },
        { ...fields, name: 'Other', color: '#2779ca', displayOrder: 3 },
      ]);
    });

    it('returns templates only where they are set', async () => {
      await add('A', { templateSummary: 'Summary' });
      const { body } = await member.api.get<object[]>(path);
      expect(body.at(-1)).toEqual({
        id: anId,
        projectId: project.id,
        name: 'A',
        color: '#990000',
        displayOrder: 4,
        templateSummary: 'Summary',
      });
    });
  });

  describe('PATCH /projects/{projectIdOrKey}/issueTypes/{issueTypeId}', () => {
    let id: number;
    let before: object;

    beforeEach(async () => {
      before = await add('A', { templateSummary: 'Summary', templateDescription: 'Description' });
      ({ id } = before as { id: number });
    });

    it.each([
      [{ name: ' Odd ' }, { name: 'Odd' }],
      [{ name: 'a' }, { name: 'a' }],
      [{ color: '#ABCDEF' }, { color: '#abcdef' }],
      [{ templateSummary: 'Another' }, { templateSummary: 'Another' }],
      [{ templateDescription: 'Another' }, { templateDescription: 'Another' }],
      [
        { name: 'B', color: '#000000' },
        { name: 'B', color: '#000000' },
      ],
      [{}, {}],
    ])('applies %j and changes nothing else, without an activity', async (body, changed) => {
      const answer = await member.api.patch(`${path}/${id}`, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...before, ...changed });
      expect((await member.api.get<object[]>(path)).body.at(-1)).toEqual(answer.body);
      expect(await activitiesOf(tested.world, project)).toEqual([]);
    });

    it.each([
      ['an empty text', ''],
      ['null', null],
    ])('clears a template with %s', async (_what, nothing) => {
      const { body } = await member.api.patch(`${path}/${id}`, { templateSummary: nothing });
      expect(body).toEqual({
        id,
        projectId: project.id,
        name: 'A',
        color: '#990000',
        displayOrder: 4,
        templateDescription: 'Description',
      });
      expect((await member.api.get<object[]>(path)).body.at(-1)).toEqual(body);
    });

    it('clears a template with an empty form field', async () => {
      const { body } = await member.api.patch(
        `${path}/${id}`,
        new URLSearchParams({ templateDescription: '' }),
      );
      expect(Object.keys(body as object)).not.toContain('templateDescription');
    });

    it.each([
      [{ name: ' tASK ' }, ['name']],
      [{ name: '' }, ['name']],
      [{ name: null }, ['name']],
      [{ color: 'red' }, ['color']],
      [{ templateSummary: 'x'.repeat(256) }, ['templateSummary']],
      [{ displayOrder: 1, id: 1 }, ['displayOrder', 'id']],
    ])('refuses %j', async (body, fields) => {
      await expectRefused(tested.world, () => member.api.patch(`${path}/${id}`, body), fields);
    });

    it('frees the previous name for another issue type', async () => {
      await member.api.patch(`${path}/${id}`, { name: 'B' });
      expect((await member.api.post(path, { name: 'A', color: '#000000' })).status).toBe(201);
    });
  });

  describe('DELETE /projects/{projectIdOrKey}/issueTypes/{issueTypeId}', () => {
    it('returns the issue type, and changes only the type of its issues', async () => {
      const { id } = await add('A');
      const issueId = await addIssue(id);
      const before = await issuesWithTypes();
      const answer = await member.api.delete(`${path}/${id}`, {
        substituteIssueTypeId: project.issueTypeId,
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        id,
        projectId: project.id,
        name: 'A',
        color: '#990000',
        displayOrder: 4,
      });
      expect(await namesOf()).toEqual(['Task', 'Bug', 'Request', 'Other']);
      expect(await issuesWithTypes()).toEqual(
        before.map((issue) =>
          issue.id === issueId ? { ...issue, issueTypeId: project.issueTypeId } : issue,
        ),
      );
      expect(await activitiesOf(tested.world, project)).toEqual([]);
    });

    it('accepts the substitute in a form', async () => {
      const { id } = await add('A');
      const body = new URLSearchParams({ substituteIssueTypeId: String(project.issueTypeId) });
      expect((await member.api.delete(`${path}/${id}`, body)).status).toBe(200);
    });

    it('frees the name but not the displayOrder', async () => {
      const { id } = await add('A');
      await member.api.delete(`${path}/${id}`, { substituteIssueTypeId: project.issueTypeId });
      expect(await add('A')).toMatchObject({ displayOrder: 5 });
    });

    it('makes room for another issue type in a project with 100', async () => {
      for (let number = 4; number <= 100; number++) await add(`Type ${number}`);
      const full = await member.api.post(path, { name: 'New', color: '#000000' });
      expect(full.status).toBe(409);
      expect(full.body).toEqual(errorShape(9));
      const { body: types } = await member.api.get<{ id: number }[]>(path);
      const deleted = await member.api.delete(`${path}/${types.at(-1)!.id}`, {
        substituteIssueTypeId: project.issueTypeId,
      });
      expect(deleted.status).toBe(200);
      expect((await member.api.post(path, { name: 'New', color: '#000000' })).status).toBe(201);
      expect((await member.api.post(path, { name: 'Newer', color: '#000000' })).status).toBe(409);
    });

    it.each([
      ['a missing substitute', () => ({})],
      ['null as the substitute', () => ({ substituteIssueTypeId: null })],
      ['the issue type as its own substitute', (id: number) => ({ substituteIssueTypeId: id })],
      ['an unknown substitute', () => ({ substituteIssueTypeId: 999_999 })],
    ])('refuses %s', async (_what, bodyFor) => {
      const { id } = await add('A');
      await addIssue(id);
      await expectRefused(tested.world, () => member.api.delete(`${path}/${id}`, bodyFor(id)), [
        'substituteIssueTypeId',
      ]);
    });

    it('refuses a substitute from another project, whether the caller can see it or not', async () => {
      const { id } = await add('A');
      const other = await tested.world.addProject();
      for (const { api } of [member, tested.world.admin]) {
        await expectRefused(
          tested.world,
          () => api.delete(`${path}/${id}`, { substituteIssueTypeId: other.issueTypeId }),
          ['substituteIssueTypeId'],
        );
      }
    });

    it('refuses to delete the last issue type of a project', async () => {
      const { body: types } = await member.api.get<{ id: number }[]>(path);
      const last = types.pop()!;
      for (const { id } of types) {
        const { status } = await member.api.delete(`${path}/${id}`, { substituteIssueTypeId: last.id });
        expect(status).toBe(200);
      }
      for (const { id } of [last, ...types]) {
        await expectRefused(
          tested.world,
          () => member.api.delete(`${path}/${last.id}`, { substituteIssueTypeId: id }),
          ['substituteIssueTypeId'],
        );
      }
      expect(await namesOf()).toEqual(['Other']);
    });
  });

  describe('under simultaneous requests', () => {
    it('keeps one of two issue types whose deletions name each other as the substitute', async () => {
      const [a, b] = [await add('A'), await add('B')];
      const issues = [await addIssue(a.id), await addIssue(b.id)];
      const answers = await Promise.all([
        member.api.delete(`${path}/${a.id}`, { substituteIssueTypeId: b.id }),
        member.api.delete(`${path}/${b.id}`, { substituteIssueTypeId: a.id }),
      ]);
      const left = answers[0].status === 200 ? b : a;
      expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
      // The winning deletion may take effect before or after the other request looks up its own type.
      expect([400, 404]).toContain(answers.find(({ status }) => status !== 200)!.status);
      const stored = (await issuesWithTypes()).filter(({ id }) => issues.includes(id));
      expect(stored.map(({ issueTypeId }) => issueTypeId)).toEqual([left.id, left.id]);
    });

    it('deletes and counts an issue type once', async () => {
      const { id } = await add('A');
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          member.api.delete(`${path}/${id}`, { substituteIssueTypeId: project.issueTypeId }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(404)]);
      const counters = (await everythingStored(tested.world)).project_counter as {
        project_id: number;
        name: string;
        used: number;
      }[];
      expect(
        counters.find(({ project_id, name }) => project_id === project.id && name === 'issueType')?.used,
      ).toBe(4);
    });

    it('gives issues written during a deletion the substitute, or refuses them', async () => {
      const { id } = await add('A');
      const fields = { projectId: project.id, summary: 'An issue', priorityId: 3 };
      const [deleted, ...answers] = await Promise.all([
        member.api.delete(`${path}/${id}`, { substituteIssueTypeId: project.issueTypeId }),
        ...Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0
            ? member.api.post('/issues', { ...fields, issueTypeId: id })
            : member.api.patch(`/issues/${project.issueKey}`, {
                issueTypeId: id,
                summary: `Summary ${index}`,
              }),
        ),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status, body } of answers) {
        if (status >= 300)
          expect({ status, body }).toEqual({ status: 400, body: errorShape(7, ['issueTypeId']) });
      }
      const types = (await issuesWithTypes()).map(({ issueTypeId }) => issueTypeId);
      expect(new Set(types)).toEqual(new Set([project.issueTypeId]));
    });

    it('answers 200 to a deletion and 200 or 404 to an update', async () => {
      const { id } = await add('A');
      const [updated, deleted] = await Promise.all([
        member.api.patch(`${path}/${id}`, { name: 'B' }),
        member.api.delete(`${path}/${id}`, { substituteIssueTypeId: project.issueTypeId }),
      ]);
      expect([200, 404]).toContain(updated.status);
      expect(deleted.status).toBe(200);
    });

    it('accepts one of two updates to the same name', async () => {
      const [a, b] = [await add('A'), await add('B')];
      const answers = await Promise.all(
        [a, b].map(({ id }) => member.api.patch(`${path}/${id}`, { name: 'C' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    });
  });
});
