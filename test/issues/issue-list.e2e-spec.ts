import { unindexedListRunner } from '../../src/database/search/searches';
import { RoleType } from '../../src/access/role-type';
import { addIssue, addSetting, type IssueBody, issueShape, updateIssue } from '../support/issues';
import { statementsOf } from '../support/records';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';
import { itOnEmbedded } from '../support/engines';

describe('GET /issues', () => {
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

  it('lists the visible issues newest first, each as GET /issues/{issueIdOrKey} returns it', async () => {
    const { status, body } = await member.api.get('/issues');
    expect(status).toBe(200);
    expect(letters(body)).toBe('cbaop');
    for (const issue of body) expect((await member.api.get(`/issues/${issue.id}`)).body).toEqual(issue);
    expect(body.at(-1)).toEqual(
      issueShape(project, tested.world.admin, { summary: 'An issue', description: 'Its description' }),
    );
  });

  it('lists the issues of their projects to members, and all to an Administrator', async () => {
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
    ['a project that the caller cannot see', () => `projectId[]=${hidden.id}`, ''],
    ['an unknown project', () => 'projectId[]=999999', ''],
    ['a visible and a hidden project', () => `projectId[]=${hidden.id}&projectId[]=${other.id}`, 'co'],
    ['empty lists', () => 'projectId[]=&issueTypeId[]=&statusId[]=', 'cbaop'],
    ['a type', () => `issueTypeId[]=${setting.type.id}`, 'b'],
    ['two types', () => `issueTypeId[]=${setting.type.id}&issueTypeId[]=${other.issueTypeId}`, 'cbo'],
    ['a category', () => `categoryId[]=${setting.category.id}`, 'a'],
    ['a version', () => `versionId[]=${setting.version.id}`, 'b'],
    ['a milestone', () => `milestoneId[]=${setting.version.id}`, 'b'],
    ['the status Open in every project', () => 'statusId[]=1', 'ap'],
    ['the status Closed in every project', () => 'statusId[]=4', 'co'],
    ['a status of a project', () => `statusId[]=${setting.status.id}`, 'b'],
    ['several statuses', () => `statusId[]=4&statusId[]=${setting.status.id}`, 'cbo'],
    [
      'a status of one project in another',
      () => `statusId[]=${setting.status.id}&projectId[]=${other.id}`,
      '',
    ],
    ['the status Closed in a project', () => `statusId[]=4&projectId[]=${project.id}`, ''],
    ['an unknown status', () => 'statusId[]=999999', ''],
    ['the row id of a standard status', () => `statusId[]=${other.statusId}`, ''],
    ['a priority', () => 'priorityId[]=2', 'b'],
    ['two priorities', () => 'priorityId[]=2&priorityId[]=4', 'cb'],
    ['an assignee', () => `assigneeId[]=${colleague.id}`, 'a'],
    ['two assignees', () => `assigneeId[]=${colleague.id}&assigneeId[]=${member.id}`, 'ao'],
    ['the creator', () => `createdUserId[]=${colleague.id}`, 'b'],
    ['a resolution', () => 'resolutionId[]=1', 'c'],
    ['another resolution', () => 'resolutionId[]=0', ''],
    ['no assignee', () => 'assigneeId[]=-1', 'cbp'],
    ['no assignee or a given one', () => `assigneeId[]=-1&assigneeId[]=${member.id}`, 'cbop'],
    ['no category', () => 'categoryId[]=-1', 'cbop'],
    ['no category or a given one', () => `categoryId[]=${setting.category.id}&categoryId[]=-1`, 'cbaop'],
    ['no version', () => 'versionId[]=-1', 'caop'],
    ['no milestone', () => 'milestoneId[]=-1', 'caop'],
    ['no resolution', () => 'resolutionId[]=-1', 'baop'],
    ['no resolution or a given one', () => 'resolutionId[]=-1&resolutionId[]=1', 'cbaop'],
    [
      'no assignee, category and resolution in a project',
      () => `projectId[]=${project.id}&assigneeId[]=-1&categoryId[]=-1&resolutionId=-1`,
      'bp',
    ],
    ['ids', () => `id[]=${issues.a}&id[]=${issues.c}&id[]=${hidden.issueId}`, 'ca'],
    ['a parent', () => `parentIssueId[]=${issues.a}`, 'b'],
    ['parentChild=0 (all issues)', () => 'parentChild=0', 'cbaop'],
    ['parentChild=1 (no children)', () => 'parentChild=1', 'caop'],
    ['parentChild=2 (children and grandchildren)', () => 'parentChild=2', 'b'],
    ['parentChild=3 (neither parents nor children)', () => 'parentChild=3', 'cop'],
    ['parentChild=4 (parents)', () => 'parentChild=4', 'a'],
    ['parentChild=5 (grandchildren)', () => 'parentChild=5', ''],
    ['parentChild=6 (children)', () => 'parentChild=6', 'b'],
    ['parentChild=7 (top-level issues)', () => 'parentChild=7', 'caop'],
    ['parentChild=8 (no grandchildren)', () => 'parentChild=8', 'cbaop'],
    ['parentChild=9 (below the top level)', () => 'parentChild=9', 'b'],
    ['parentChild=10 (issues without children)', () => 'parentChild=10', 'cbop'],
    ['an attachment', () => 'attachment=true', 'b'],
    ['no attachment', () => 'attachment=false', 'caop'],
    ['a shared file', () => 'sharedFile=true', ''],
    ['no shared file', () => 'sharedFile=false', 'cbaop'],
    ['an attachment but no shared file', () => 'sharedFile=false&attachment=true', 'b'],
    ['createdSince', () => 'createdSince=2026-01-12', 'cba'],
    ['createdUntil', () => 'createdUntil=2026-01-12', 'aop'],
    [
      'createdSince and createdUntil of the same day',
      () => 'createdSince=2026-01-12&createdUntil=2026-01-12',
      'a',
    ],
    ['updatedSince', () => 'updatedSince=2026-01-18', 'op'],
    ['updatedUntil', () => 'updatedUntil=2026-01-16', 'cb'],
    ['startDateSince', () => 'startDateSince=2026-02-03', 'c'],
    ['startDateUntil', () => 'startDateUntil=2026-02-02', 'a'],
    ['dueDateSince', () => 'dueDateSince=2026-02-06', 'a'],
    ['dueDateUntil', () => 'dueDateUntil=2026-02-05', ''],
    ['hasDueDate=false', () => 'hasDueDate=false', 'cbop'],
    [
      'several filters at once',
      () => `projectId[]=${project.id}&parentChild=1&statusId[]=1&assigneeId[]=${colleague.id}`,
      'a',
    ],
    ['a parameter without brackets', () => `priorityId=2`, 'b'],
    ['a parameter with numbered brackets', () => `priorityId[0]=2&priorityId[1]=4`, 'cb'],
  ])('filters by %s', async (_what, query, expected) => {
    expect(await list(query())).toBe(expected);
  });

  describe('with filters in a form body', () => {
    const FORM = 'application/x-www-form-urlencoded';
    const send = (path: string, body: string, { type = FORM, method = 'GET' } = {}) =>
      member.api.send(method, path, body, { 'Content-Type': type });

    it.each<[string, string, () => string, string]>([
      ['all filters in the body', '', () => `assigneeId[]=${colleague.id}&statusId[]=1`, 'a'],
      ['filters in the query and the body', '?statusId[]=4', () => `assigneeId[]=${member.id}`, 'o'],
      ['the same filter in the query and the body', '?priorityId=2', () => 'priorityId[]=2', 'b'],
      ['an empty body', '?priorityId=2', () => '', 'b'],
    ])('accepts %s', async (_what, query, body, expected) => {
      const { status, body: found } = await send(`/issues${query}`, body());
      expect(status).toBe(200);
      expect(letters(found)).toBe(expected);
      const counted = await send(`/issues/count${query}`, body());
      expect(counted.body).toEqual({ count: expected.length });
      expect((await send(`/issues${query}`, body(), { method: 'HEAD' })).status).toBe(200);
    });

    it('links the next page with the same filters unless the URL becomes too long', async () => {
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
      ['an invalid value', '', 'count=0', 'count must be'],
    ])('refuses %s', async (_what, query, body, message) => {
      const answer = await send(`/issues${query}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([
        expect.objectContaining({ code: 7, message: expect.stringContaining(message) }),
      ]);
    });

    it('refuses large bodies, JSON and anonymous callers', async () => {
      expect((await send('/issues?x&x', 'y='.concat('&y='.repeat(4998)))).status).toBe(413);
      expect((await send('/issues', `keyword=${'x'.repeat(2_100_000)}`)).status).toBe(413);
      expect((await send('/issues', '{}', { type: 'application/json' })).body.errors[0].moreInfo).toBe(
        'Content-Type',
      );
      const stranger = tested.world.anonymous;
      expect((await stranger.send('GET', '/issues', 'x=%zz', { 'Content-Type': FORM })).status).toBe(401);
    });

    it('refuses form bodies on other GET operations', async () => {
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
  ])('orders issues by ?%s', async (query, expected) => {
    expect(await list(query)).toBe(expected);
  });

  it('sorts by the names of users', async () => {
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

  it('links each next page up to the last for any sort and filter', async () => {
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
  ])('returns the page of ?%s', async (query, expected) => {
    expect(await list(query)).toBe(expected);
  });

  it('sorts issues with equal values by id', async () => {
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

  it('returns childIssueSummary when it is expanded', async () => {
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
  ])('refuses ?%s, also on GET /issues/count', async (query, field) => {
    for (const path of ['/issues', '/issues/count']) {
      const { status, body } = await member.api.get(`${path}?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual(errorShape(7, [field]));
    }
  });

  it('refuses more than 1,000 ids', async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => `id[]=${index + 1}`).join('&');
    expect((await member.api.get(`/issues?${ids}`)).body).toEqual(errorShape(7, ['id']));
  });

  it('omits the issues of a deleted project', async () => {
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

  describe('for a member of 60 projects', () => {
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
      'sorts by %s across all projects, with or without filters',
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

    it('sends as many statements as for a single project', async () => {
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
    ['the newest issues', () => '', true],
    ['the oldest issues', () => 'order=asc', true],
    ['the last updated issues', () => 'sort=updated', true],
    ['the issues of a project', () => `projectId[]=${project.id}`, true],
    ['the last updated issues of a project', () => `projectId[]=${project.id}&sort=updated`, true],
    ['the issues in a status of a project', () => `projectId[]=${project.id}&statusId[]=1`, true],
    [
      'the last updated issues in two statuses',
      () => `projectId[]=${project.id}&statusId[]=1&statusId[]=2&sort=updated`,
      true,
    ],
    ['the last updated issues in a status of all projects', () => 'statusId[]=1&sort=updated', true],
    ['the issues of an assignee', () => `assigneeId[]=${member.id}`, true],
    [
      'the issues of an assignee in a project',
      () => `projectId[]=${project.id}&assigneeId[]=${member.id}`,
      true,
    ],
    ['the last updated issues of an assignee', () => `assigneeId[]=${member.id}&sort=updated`, false],
    ['the issues of a category', () => `categoryId[]=${setting.category.id}`, false],
    ['recently created issues', () => 'createdSince=2026-01-01', true],
  ])('uses an index for %s, without sorting where possible', async (_what, query, isInOrder) => {
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
