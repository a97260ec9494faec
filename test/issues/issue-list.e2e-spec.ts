import { unindexedListRunner } from '../../src/database/search/searches';
import { RoleType } from '../../src/access/role-type';
import { addIssue, addSetting, type IssueBody, issueShape, updateIssue } from '../support/issues';
import { statementsOf } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';
import { itOnEmbedded } from '../support/engines';

describe('lists of issues', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let other: ProjectFixture;
  let hidden: ProjectFixture;
  let member: Person;
  let colleague: Person;
  let setting: Record<'category' | 'version' | 'type' | 'status', { id: number; name: string }>;
  /** Ids by letter; `p` and `o` are those of the fixtures. */
  const issues: Record<string, number> = {};

  beforeAll(async () => {
    const { world } = tested;
    [project, other, hidden] = [await world.addProject(), await world.addProject(), await world.addProject()];
    member = await world.addMember(project);
    await world.join(other, member);
    colleague = await world.addMember(project, RoleType.Reporter);
    setting = {
      category: await addSetting(world, project, 'categories'),
      version: await addSetting(world, project, 'versions'),
      type: await addSetting(world, project, 'issueTypes'),
      status: await addSetting(world, project, 'statuses'),
    };
    issues.p = project.issueId;
    issues.o = other.issueId;
    issues.a = (
      await addIssue(member, project, {
        summary: 'Alpha',
        categoryId: [setting.category.id],
        assigneeId: colleague.id,
        startDate: '2026-02-02',
        dueDate: '2026-02-06',
        estimatedHours: 10,
      })
    ).id;
    issues.b = (
      await addIssue(colleague, project, {
        summary: 'beta',
        priorityId: 2,
        versionId: [setting.version.id],
        milestoneId: [setting.version.id],
        parentIssueId: issues.a,
        actualHours: 2,
        attachmentId: [await world.addUpload(colleague)],
      })
    ).id;
    issues.c = (
      await addIssue(member, other, {
        summary: 'Gamma',
        priorityId: 4,
        startDate: '2026-03-01',
        estimatedHours: 9.5,
      })
    ).id;
    await updateIssue(member, issues.b, { statusId: setting.status.id, issueTypeId: setting.type.id });
    await updateIssue(member, issues.c, { statusId: 4, resolutionId: 1 });
    await updateIssue(member, issues.o, { statusId: 4, assigneeId: member.id });
    // Created one day apart, and updated in reverse order.
    for (const [index, letter] of [...'poabc'].entries()) {
      const day = (number: number): number => Date.parse(`2026-01-${10 + number}T00:00:00.000Z`);
      await world.dataSource.query('UPDATE issue SET created = ?, updated = ? WHERE id = ?', [
        day(index),
        day(10 - index) - 1,
        issues[letter],
      ]);
    }
  });

  /** Returns the letters of the listed issues, in the order of the list. */
  const letters = (body: { id: number }[]): string =>
    body.map(({ id }) => Object.keys(issues).find((letter) => issues[letter] === id) ?? '?').join('');

  const list = async (query: string, person = member): Promise<string> => {
    const { status, body, text } = await person.api.get<{ id: number }[]>(`/issues?${query}`);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    const counted = await person.api.get<{ count: number }>(`/issues/count?${query}`);
    if (!query.includes('count=') && !query.includes('offset='))
      expect(counted.body).toEqual({ count: body.length });
    return letters(body);
  };

  it('have what the caller may see, the newest first, each as it is by itself', async () => {
    const { status, body } = await member.api.get('/issues');
    expect(status).toBe(200);
    expect(letters(body)).toBe('cbaop');
    for (const issue of body) expect((await member.api.get(`/issues/${issue.id}`)).body).toEqual(issue);
    expect(body.at(-1)).toEqual(
      issueShape(project, tested.world.admin, { summary: 'An issue', description: 'Its description' }),
    );
  });

  it('show a member of one project its issues, and an Administrator all', async () => {
    expect(await list('', colleague)).toBe('bap');
    const { body } = await tested.world.admin.api.get<IssueBody[]>('/issues?count=100');
    expect(body.map(({ id }) => id)).toEqual(
      expect.arrayContaining([...Object.values(issues), hidden.issueId]),
    );
    expect(await list('', await tested.world.addUser())).toBe('');
  });

  it.each<[string, () => string, string]>([
    ['one project', () => `projectId[]=${project.id}`, 'bap'],
    ['two projects', () => `projectId[]=${project.id}&projectId[]=${other.id}`, 'cbaop'],
    ['a project that the caller may not see', () => `projectId[]=${hidden.id}`, ''],
    ['a project that nobody has', () => 'projectId[]=999999', ''],
    [
      'one that they see and one that they do not',
      () => `projectId[]=${hidden.id}&projectId[]=${other.id}`,
      'co',
    ],
    ['nothing in a list', () => 'projectId[]=&issueTypeId[]=&statusId[]=', 'cbaop'],
    ['a type', () => `issueTypeId[]=${setting.type.id}`, 'b'],
    ['two types', () => `issueTypeId[]=${setting.type.id}&issueTypeId[]=${other.issueTypeId}`, 'cbo'],
    ['a category', () => `categoryId[]=${setting.category.id}`, 'a'],
    ['a version', () => `versionId[]=${setting.version.id}`, 'b'],
    ['a milestone', () => `milestoneId[]=${setting.version.id}`, 'b'],
    ['Open, in every project', () => 'statusId[]=1', 'ap'],
    ['Closed, in every project', () => 'statusId[]=4', 'co'],
    ['a status of a project', () => `statusId[]=${setting.status.id}`, 'b'],
    ['several statuses', () => `statusId[]=4&statusId[]=${setting.status.id}`, 'cbo'],
    [
      'a status of one project in another',
      () => `statusId[]=${setting.status.id}&projectId[]=${other.id}`,
      '',
    ],
    ['Closed in a project', () => `statusId[]=4&projectId[]=${project.id}`, ''],
    ['a status that nobody has', () => 'statusId[]=999999', ''],
    ['the row of a standard status', () => `statusId[]=${other.statusId}`, ''],
    ['a priority', () => 'priorityId[]=2', 'b'],
    ['priorities', () => 'priorityId[]=2&priorityId[]=4', 'cb'],
    ['an assignee', () => `assigneeId[]=${colleague.id}`, 'a'],
    ['assignees', () => `assigneeId[]=${colleague.id}&assigneeId[]=${member.id}`, 'ao'],
    ['who has added it', () => `createdUserId[]=${colleague.id}`, 'b'],
    ['a resolution', () => 'resolutionId[]=1', 'c'],
    ['another resolution', () => 'resolutionId[]=0', ''],
    ['no assignee', () => 'assigneeId[]=-1', 'cbp'],
    ['no assignee, or one', () => `assigneeId[]=-1&assigneeId[]=${member.id}`, 'cbop'],
    ['no category', () => 'categoryId[]=-1', 'cbop'],
    ['no category, or one', () => `categoryId[]=${setting.category.id}&categoryId[]=-1`, 'cbaop'],
    ['no version', () => 'versionId[]=-1', 'caop'],
    ['no milestone', () => 'milestoneId[]=-1', 'caop'],
    ['no resolution', () => 'resolutionId[]=-1', 'baop'],
    ['no resolution, or one', () => 'resolutionId[]=-1&resolutionId[]=1', 'cbaop'],
    [
      'nothing of several, in a project',
      () => `projectId[]=${project.id}&assigneeId[]=-1&categoryId[]=-1&resolutionId=-1`,
      'bp',
    ],
    ['ids', () => `id[]=${issues.a}&id[]=${issues.c}&id[]=${hidden.issueId}`, 'ca'],
    ['a parent', () => `parentIssueId[]=${issues.a}`, 'b'],
    ['in any way', () => 'parentChild=0', 'cbaop'],
    ['no child', () => 'parentChild=1', 'caop'],
    ['a child or grandchild', () => 'parentChild=2', 'b'],
    ['alone', () => 'parentChild=3', 'cop'],
    ['a parent of others', () => 'parentChild=4', 'a'],
    ['a grandchild', () => 'parentChild=5', ''],
    ['a child', () => 'parentChild=6', 'b'],
    ['at the top', () => 'parentChild=7', 'caop'],
    ['no grandchild', () => 'parentChild=8', 'cbaop'],
    ['not at the top', () => 'parentChild=9', 'b'],
    ['a leaf', () => 'parentChild=10', 'cbop'],
    ['with files', () => 'attachment=true', 'b'],
    ['without files', () => 'attachment=false', 'caop'],
    ['with shared files', () => 'sharedFile=true', ''],
    ['without shared files', () => 'sharedFile=false', 'cbaop'],
    ['without shared files, with others', () => 'sharedFile=false&attachment=true', 'b'],
    ['added since a day', () => 'createdSince=2026-01-12', 'cba'],
    ['added until a day', () => 'createdUntil=2026-01-12', 'aop'],
    ['added on a day', () => 'createdSince=2026-01-12&createdUntil=2026-01-12', 'a'],
    ['changed since a day', () => 'updatedSince=2026-01-18', 'op'],
    ['changed until a day', () => 'updatedUntil=2026-01-16', 'cb'],
    ['that begin since a day', () => 'startDateSince=2026-02-03', 'c'],
    ['that begin until a day', () => 'startDateUntil=2026-02-02', 'a'],
    ['that are due since a day', () => 'dueDateSince=2026-02-06', 'a'],
    ['that are due until a day', () => 'dueDateUntil=2026-02-05', ''],
    ['that are never due', () => 'hasDueDate=false', 'cbop'],
    [
      'filters that have to be met together',
      () => `projectId[]=${project.id}&parentChild=1&statusId[]=1&assigneeId[]=${colleague.id}`,
      'a',
    ],
    ['a parameter without brackets', () => `priorityId=2`, 'b'],
    ['brackets with numbers', () => `priorityId[0]=2&priorityId[1]=4`, 'cb'],
  ])('are narrowed by %s', async (_what, query, expected) => {
    expect(await list(query())).toBe(expected);
  });

  describe('with filters in a form body', () => {
    const FORM = 'application/x-www-form-urlencoded';
    const send = (path: string, body: string, { type = FORM, method = 'GET' } = {}) =>
      member.api.send(method, path, body, { 'Content-Type': type });

    it.each<[string, string, () => string, string]>([
      ['all', '', () => `assigneeId[]=${colleague.id}&statusId[]=1`, 'a'],
      ['some', '?statusId[]=4', () => `assigneeId[]=${member.id}`, 'o'],
      ['the same', '?priorityId=2', () => 'priorityId[]=2', 'b'],
      ['none', '?priorityId=2', () => '', 'b'],
    ])('have %s of them there', async (_what, query, body, expected) => {
      const { status, body: found } = await send(`/issues${query}`, body());
      expect(status).toBe(200);
      expect(letters(found)).toBe(expected);
      const counted = await send(`/issues/count${query}`, body());
      expect(counted.body).toEqual({ count: expected.length });
      expect((await send(`/issues${query}`, body(), { method: 'HEAD' })).status).toBe(200);
    });

    it('go on with the same filters', async () => {
      const body = `projectId[]=${project.id}&projectId[]=${other.id}&count=2&offset=1`;
      const first = await send('/issues?order=asc', body);
      expect(letters(first.body)).toBe('oa');
      const link = first.headers.get('link') ?? '';
      const next = await member.api.get(link.slice(link.indexOf('/issues'), link.indexOf('>')));
      expect(letters(next.body)).toBe('bc');
      const ids = Array.from({ length: 1000 }, (_, index) => `id[]=${issues.a! + 1_000_000 + index}`);
      const many = await send(
        '/issues?count=1',
        [...ids, `id[]=${issues.a}`, `id[]=${issues.b}`].slice(-999).join('&'),
      );
      expect(letters(many.body)).toBe('b');
      expect(many.headers.get('link')).toBeNull();
    });

    it.each([
      ['an unknown filter', '', 'test=test', 'error.unknownParameter : test'],
      ['another value than in the query', '?count=1', 'count=2', 'count has one value'],
      ['a wrong value', '', 'count=0', 'count must be'],
    ])('are refused for %s', async (_what, query, body, message) => {
      const answer = await send(`/issues${query}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([
        expect.objectContaining({ code: 7, message: expect.stringContaining(message) }),
      ]);
    });

    it('have the limits of other bodies', async () => {
      expect((await send('/issues?x&x', 'y='.concat('&y='.repeat(4998)))).status).toBe(413);
      expect((await send('/issues', `keyword=${'x'.repeat(1_100_000)}`)).status).toBe(413);
      expect((await send('/issues', '{}', { type: 'application/json' })).body.errors[0].moreInfo).toBe(
        'Content-Type',
      );
      const stranger = tested.world.anonymous;
      expect((await stranger.send('GET', '/issues', 'x=%zz', { 'Content-Type': FORM })).status).toBe(401);
    });

    it('are those of no other read', async () => {
      for (const path of ['/projects', `/issues/${issues.a}`, '/space/activities']) {
        const { status, body } = await send(path, 'count=1');
        expect(status).toBe(400);
        expect(body.errors[0].message).toBe('The operation takes no request body.');
      }
    });
  });

  it.each<[string, string]>([
    ['sort=created', 'cbaop'],
    ['sort=created&order=asc', 'poabc'],
    ['sort=updated', 'poabc'],
    ['sort=updated&order=asc', 'cbaop'],
    ['sort=issueType&order=asc', 'poacb'],
    ['sort=issueType', 'bcaop'],
    ['sort=category', 'acbop'],
    ['sort=category&order=asc', 'pobca'],
    ['sort=version', 'bcaop'],
    ['sort=milestone', 'bcaop'],
    ['sort=summary&order=asc', 'apocb'],
    ['sort=status&order=asc', 'paboc'],
    ['sort=priority&order=asc', 'bpoac'],
    ['sort=attachment', 'bcaop'],
    ['sort=startDate&order=asc', 'pobac'],
    ['sort=dueDate', 'acbop'],
    ['sort=estimatedHours', 'acbop'],
    ['sort=actualHours', 'bcaop'],
    ['sort=childIssue', 'acbop'],
  ])('are in order by %s', async (query, expected) => {
    expect(await list(query)).toBe(expected);
  });

  it('are in order by the names of users', async () => {
    for (const [sort, of] of [
      ['createdUser', ({ createdUser }: any) => createdUser.name],
      ['updatedUser', ({ updatedUser }: any) => updatedUser.name],
      ['assignee', ({ assignee }: any) => assignee?.name ?? ''],
    ] as const) {
      const { body: up } = await member.api.get<any[]>(`/issues?sort=${sort}&order=asc`);
      const names = up.map(of) as string[];
      expect(names).toEqual([...names].sort());
      const { body: down } = await member.api.get<any[]>(`/issues?sort=${sort}`);
      expect(letters(down)).toBe([...letters(up)].reverse().join(''));
    }
  });

  it('follow one another by Link to the end, whatever they are sorted by', async () => {
    for (const query of [
      'count=2',
      'count=2&sort=updated&order=asc',
      `count=1&sort=summary&projectId[]=${project.id}`,
      'count=2&statusId[]=1&statusId[]=4&sort=updated',
      'count=3&sort=assignee',
    ]) {
      const whole = await list(query.replace(/count=\d/, 'count=100'));
      let seen = '';
      let next: string | undefined = `/issues?${query}`;
      while (next !== undefined) {
        const { body, headers }: { body: { id: number }[]; headers: Headers } = await member.api.get(next);
        seen += letters(body);
        const link: string | null = headers.get('link');
        next = link === null ? undefined : link.slice(link.indexOf('/issues'), link.indexOf('>'));
      }
      expect([query, seen]).toEqual([query, whole]);
    }
  });

  it.each([
    ['offset=1&count=2', 'ba'],
    ['offset=5', ''],
    ['offset=2147483647', ''],
    ['order=asc&offset=4', 'c'],
  ])('are cut by %s', async (query, expected) => {
    expect(await list(query)).toBe(expected);
  });

  it('put what is the same in the order of the ids', async () => {
    const { world } = tested;
    const place = await world.addProject();
    const ids = [place.issueId];
    while (ids.length < 6) ids.push((await addIssue(world.admin, place)).id);
    await world.dataSource.query('UPDATE issue SET created = 1000, updated = 1000 WHERE project_id = ?', [
      place.id,
    ]);
    const idsBy = async (query: string) =>
      (await world.admin.api.get<IssueBody[]>(`/issues?projectId[]=${place.id}&${query}`)).body.map(
        ({ id }) => id,
      );
    for (const sort of ['created', 'updated', 'status', 'dueDate', 'childIssue', 'sharedFile']) {
      expect(await idsBy(`sort=${sort}`)).toEqual([...ids].reverse());
      expect(await idsBy(`sort=${sort}&order=asc`)).toEqual(ids);
      expect(await idsBy(`sort=${sort}&order=asc&count=2&offset=2`)).toEqual(ids.slice(2, 4));
    }
  });

  it('tell of children when asked', async () => {
    const { body } = await member.api.get<any[]>('/issues?expand[]=childIssueSummary');
    const summaries = body.map(({ childIssueSummary }) => childIssueSummary.total);
    expect(letters(body)).toBe('cbaop');
    expect(summaries).toEqual([0, 0, 1, 0, 0]);
  });

  it.each([
    ['parentChild=11', 'parentChild'],
    ['hasDueDate=true', 'hasDueDate'],
    ['attachment=1', 'attachment'],
    ['sharedFile=1', 'sharedFile'],
    ['sort=customField_1', 'sort'],
    ['sort=id', 'sort'],
    ['order=up', 'order'],
    ['count=101', 'count'],
    ['priorityId[]=1', 'priorityId'],
    ['resolutionId[]=-2', 'resolutionId'],
    ['assigneeId[]=0', 'assigneeId'],
    ['categoryId[]=-2', 'categoryId'],
    ['createdUserId[]=-1', 'createdUserId'],
    ['statusId[]=0', 'statusId'],
    ['id[]=x', 'id'],
    ['createdSince=2026-02-30', 'createdSince'],
    ['dueDateUntil=2026-2-3', 'dueDateUntil'],
    ['expand[]=parent', 'expand'],
  ])('refuse ?%s, counted too', async (query, field) => {
    for (const path of ['/issues', '/issues/count']) {
      const { status, body } = await member.api.get(`${path}?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual(errorShape(7, [field]));
    }
  });

  it('refuse more than 1,000 ids', async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => `id[]=${index + 1}`).join('&');
    expect((await member.api.get(`/issues?${ids}`)).body).toEqual(errorShape(7, ['id']));
  });

  it('leave out what a deleted project held, at once', async () => {
    const { world } = tested;
    const place = await world.addProject();
    await world.write((manager) => manager.query('UPDATE project SET deleted = 1 WHERE id = ?', [place.id]));
    for (const query of [
      'count=100',
      `projectId[]=${place.id}`,
      'statusId[]=1&count=100',
      `id[]=${place.issueId}`,
    ]) {
      const { body } = await world.admin.api.get<IssueBody[]>(`/issues?${query}`);
      expect(body.map(({ id }) => id)).not.toContain(place.issueId);
    }
    const { body } = await world.admin.api.get(`/issues/count?projectId[]=${place.id}`);
    expect(body).toEqual({ count: 0 });
  });

  describe('of somebody in many projects', () => {
    const projects: ProjectFixture[] = [];
    let everywhere: Person;

    beforeAll(async () => {
      const { world } = tested;
      everywhere = await world.addUser();
      for (let number = 0; number < 60; number++) {
        const place = await world.addProject();
        projects.push(place);
        await world.join(place, everywhere);
        await addIssue(everywhere, place, { summary: `Number ${number}` });
      }
      await world.dataSource.query(
        'UPDATE issue SET created = id * 7919 % 1000, updated = id * 104729 % 1000 WHERE created_user_id IN (?, 1)',
        [everywhere.id],
      );
    });

    const idsOf = async (query: string): Promise<number[]> =>
      (await everywhere.api.get<IssueBody[]>(`/issues?${query}`)).body.map(({ id }) => id);

    it.each(['created', 'updated'])(
      'are the same by %s whether asked project by project or at once',
      async (sort) => {
        const { world } = tested;
        for (const order of ['asc', 'desc']) {
          const rows = await world.dataSource.query<{ id: number }[]>(
            `SELECT i.id AS id FROM issue i JOIN project_member m ON m.project_id = i.project_id
            WHERE m.user_id = ? ORDER BY i.${sort} ${order}, i.id ${order}`,
            [everywhere.id],
          );
          const expected = rows.map(({ id }) => id);
          expect(expected).toHaveLength(120);
          for (const [offset, count] of [
            [0, 20],
            [90, 20],
            [115, 20],
            [0, 100],
          ] as const) {
            for (const filter of [
              '',
              '&statusId[]=1',
              '&statusId[]=1&statusId[]=2&statusId[]=3&statusId[]=4',
              '&priorityId[]=3',
            ]) {
              const query = `sort=${sort}&order=${order}&offset=${offset}&count=${count}${filter}`;
              expect([query, await idsOf(query)]).toEqual([query, expected.slice(offset, offset + count)]);
            }
          }
        }
        expect((await everywhere.api.get('/issues/count?statusId[]=1&statusId[]=4')).body).toEqual({
          count: 120,
        });
      },
    );

    it('are read by as many statements as those of one', async () => {
      const { world } = tested;
      await world.stopDeliveries();
      const statements = async (query: string): Promise<number> => {
        const sent = await statementsOf(world, () => everywhere.api.get(`/issues?${query}`));
        return sent.length;
      };
      await statements('');
      expect(await statements('count=100')).toBe(await statements(`projectId[]=${projects[0]!.id}`));
    });
  });

  itOnEmbedded.each<[string, () => string, boolean]>([
    ['the newest', () => '', true],
    ['the oldest', () => 'order=asc', true],
    ['the last changed', () => 'sort=updated', true],
    ['a project', () => `projectId[]=${project.id}`, true],
    ['the last changed of a project', () => `projectId[]=${project.id}&sort=updated`, true],
    ['a status of a project', () => `projectId[]=${project.id}&statusId[]=1`, true],
    [
      'the last changed of some statuses',
      () => `projectId[]=${project.id}&statusId[]=1&statusId[]=2&sort=updated`,
      true,
    ],
    ['the last changed of a status everywhere', () => 'statusId[]=1&sort=updated', true],
    ['an assignee', () => `assigneeId[]=${member.id}`, true],
    ['an assignee in a project', () => `projectId[]=${project.id}&assigneeId[]=${member.id}`, true],
    ['the last changed of an assignee', () => `assigneeId[]=${member.id}&sort=updated`, false],
    ['a category', () => `categoryId[]=${setting.category.id}`, false],
    ['what has been added lately', () => 'createdSince=2026-01-01', true],
  ])('read an index for %s, in order if there can be one', async (_what, query, isInOrder) => {
    const { world } = tested;
    const statements = await statementsOf(world, () => world.admin.api.get(`/issues?${query()}`));
    const sql = statements.find((statement) => statement.startsWith('SELECT i.id AS id FROM issue i'));
    const searcher = { userId: world.admin.id, signal: new AbortController().signal };
    const steps = await unindexedListRunner(world.dataSource, searcher).query<{ detail: string }[]>(
      `EXPLAIN QUERY PLAN ${sql}`,
    );
    const plan = steps.map(({ detail }) => detail).join('; ');
    expect(plan).toMatch(/(SEARCH|SCAN) i USING .*(INDEX|PRIMARY KEY)/);
    if (isInOrder) expect(plan).not.toContain('ORDER BY');
  });
});
