import fc from 'fast-check';
import { unindexedListRunner } from '../../src/database/search/searches';
import { itOnEmbedded } from '../support/engines';
import { addIssue, addSetting } from '../support/issues';
import { statementsOf } from '../support/records';
import { addSharedFile } from '../support/shared-files';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const ISSUES = 70;
const DAYS = ['2026-01-01', '2026-01-02', '2026-02-01', null];

/** An issue as the order of lists sees it; `null` sorts below everything. */
interface Known {
  id: number;
  projectId: number;
  keys: Record<string, string | number | null>;
}

type Row = Record<string, string | number | null>;

describe('the order of GET /issues', () => {
  const tested = useWorld();
  const projects: ProjectFixture[] = [];
  const people: Person[] = [];
  /** The Administrator, and members of all, of one and of two projects. */
  let callers: Person[];
  let known: Known[];

  beforeAll(async () => {
    const { world } = tested;
    await world.stopDeliveries();
    while (projects.length < 4) projects.push(await world.addProject());
    const everyone = await world.addMember(projects[0]!);
    for (const project of projects.slice(1)) await world.join(project, everyone);
    // Two people have the same name.
    for (const name of ['b', 'B', 'ä', 'twin', 'twin']) {
      const person = await world.addMember(projects[0]!);
      await query('UPDATE user SET name = ? WHERE id = ?', [name, person.id]);
      people.push(person);
    }
    const choices = new Map<number, Record<'category' | 'version' | 'type' | 'status', number[]>>();
    for (const project of projects) {
      const settings = async (
        list: 'categories' | 'versions' | 'issueTypes' | 'statuses',
      ): Promise<number[]> => [
        (await addSetting(world, project, list)).id,
        (await addSetting(world, project, list)).id,
        (await addSetting(world, project, list)).id,
      ];
      choices.set(project.id, {
        category: await settings('categories'),
        version: await settings('versions'),
        type: await settings('issueTypes'),
        status: await settings('statuses'),
      });
    }
    // Two categories and two versions of a project share a position.
    for (const table of ['category', 'version'])
      await query(`UPDATE ${table} SET display_order = 1 WHERE display_order = 2`);
    const files = await Promise.all(
      projects.map(async (project) => [
        await addSharedFile(everyone, project, { name: 'one.txt' }),
        await addSharedFile(everyone, project, { name: 'two.txt' }),
      ]),
    );
    const random = fc.sample(fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 }), {
      numRuns: ISSUES,
      seed: 1,
    });
    for (const [index, numbers] of random.entries()) {
      let next = 0;
      const among = <Item>(items: readonly Item[]): Item => items[numbers[next++]! % items.length]!;
      const some = <Item>(items: readonly Item[]): Item[] => items.filter(() => among([true, false, false]));
      const place = among([0, 0, 1, 2, 3]);
      const project = projects[place]!;
      const { category, version, type, status } = choices.get(project.id)!;
      const { id } = await addIssue(everyone, project, {
        summary: among(['a', 'A', 'ä', 'b', `number ${index}`]),
        categoryId: some(category),
        versionId: some(version),
        milestoneId: some(version),
        attachmentId: among([0, 0, 0, 1, 2]) === 0 ? [] : [await world.addUpload(everyone)],
        priorityId: among([2, 3, 4]),
        estimatedHours: among([undefined, 0, 1.5, 10]),
        actualHours: among([undefined, 0.25, 9]),
      });
      const shared = some(files[place]!);
      if (shared.length > 0) await everyone.api.post(`/issues/${id}/sharedFiles`, { fileId: shared });
      await query(
        `UPDATE issue SET issue_type_id = ?, status_id = ?, assignee_id = ?, created_user_id = ?, updated_user_id = ?,
           start_date = ?, due_date = ?, created = ?, updated = ? WHERE id = ?`,
        [
          among([project.issueTypeId, ...type]),
          among([project.statusId, ...status]),
          among([null, ...people])?.id ?? null,
          among(people).id,
          among(people).id,
          among(DAYS),
          among(DAYS),
          numbers[38]! % 5,
          numbers[39]! % 5,
          id,
        ],
      );
    }
    await addParents();
    const [first, second] = [await world.addUser(), await world.addUser()];
    await world.join(projects[1]!, first);
    await world.join(projects[0]!, second);
    await world.join(projects[3]!, second);
    callers = [world.admin, everyone, first, second];
    known = await readIssues();
  });

  const query = <Result>(sql: string, parameters: unknown[] = []): Promise<Result> =>
    tested.world.dataSource.query<Result>(sql, parameters);

  /** Deletes the third project, which then nobody sees, not even an Administrator, or restores it. */
  const setDeleted = (isDeleted: boolean): Promise<unknown> =>
    tested.world.write((manager) =>
      manager.query('UPDATE project SET deleted = ? WHERE id = ?', [Number(isDeleted), projects[2]!.id]),
    );

  /** Makes every fifth issue of a project a child of the first. */
  async function addParents(): Promise<void> {
    for (const { id } of projects) {
      const issues = await query<{ id: number }[]>('SELECT id FROM issue WHERE project_id = ? ORDER BY id', [
        id,
      ]);
      for (const [index, issue] of issues.entries()) {
        if (index % 5 !== 4) continue;
        await query('UPDATE issue SET parent_issue_id = ? WHERE id = ?', [issues[index % 3]!.id, issue.id]);
      }
    }
  }

  /** Reads what the orders depend on, by statements that do not sort. */
  async function readIssues(): Promise<Known[]> {
    const mapOf = async (table: string, column: string): Promise<Map<unknown, string | number>> =>
      new Map((await query<Row[]>(`SELECT * FROM ${table}`)).map((row) => [row.id, row[column]!]));
    const [types, statuses, categories, versions, users] = [
      await mapOf('issue_type', 'display_order'),
      await mapOf('issue_status', 'display_order'),
      await mapOf('category', 'display_order'),
      await mapOf('version', 'display_order'),
      await mapOf('`user`', 'name'),
    ];
    const linked = async (table: string, column: string): Promise<(id: unknown) => unknown[]> => {
      const rows = await query<Row[]>(`SELECT * FROM ${table}`);
      return (id) => rows.filter((row) => row.issue_id === id).map((row) => row[column]);
    };
    const [category, version, milestone, file, sharedFile] = [
      await linked('issue_category', 'category_id'),
      await linked('issue_version', 'version_id'),
      await linked('issue_milestone', 'version_id'),
      await linked('issue_attachment', 'attachment_id'),
      await linked('issue_shared_file', 'issue_id'),
    ];
    const lowest = (ids: unknown[], orders: Map<unknown, string | number>): number | null =>
      ids.length === 0 ? null : Math.min(...ids.map((id) => Number(orders.get(id))));
    const issues = await query<Row[]>('SELECT * FROM issue');
    return issues.map((issue) => ({
      id: Number(issue.id),
      projectId: Number(issue.project_id),
      keys: {
        summary: issue.summary!,
        priority: issue.priority_id!,
        startDate: issue.start_date!,
        dueDate: issue.due_date!,
        estimatedHours: issue.estimated_hours!,
        actualHours: issue.actual_hours!,
        created: issue.created!,
        updated: issue.updated!,
        issueType: types.get(issue.issue_type_id)!,
        status: statuses.get(issue.status_id)!,
        assignee: users.get(issue.assignee_id) ?? null,
        createdUser: users.get(issue.created_user_id)!,
        updatedUser: users.get(issue.updated_user_id)!,
        category: lowest(category(issue.id), categories),
        version: lowest(version(issue.id), versions),
        milestone: lowest(milestone(issue.id), versions),
        attachment: file(issue.id).length,
        sharedFile: sharedFile(issue.id).length,
        childIssue: issues.filter((child) => child.parent_issue_id === issue.id).length,
      },
    }));
  }

  /** Texts compare by their bytes, as on every engine. */
  const compare = (one: string | number | null, other: string | number | null): number => {
    if (one === null || other === null) return Number(one !== null) - Number(other !== null);
    if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
    return one - Number(other);
  };

  const expectedOf = (sort: string, order: string, visible: (projectId: number) => boolean): number[] =>
    known
      .filter(({ projectId }) => visible(projectId))
      .sort((one, other) => {
        const difference = compare(one.keys[sort]!, other.keys[sort]!) || one.id - other.id;
        return order === 'asc' ? difference : -difference;
      })
      .map(({ id }) => id);

  const PAGES = [
    { offset: 0, count: 100 },
    { offset: 0, count: 2 },
    { offset: 13, count: 7 },
    { offset: 40, count: 30 },
  ];

  it.each([
    'summary',
    'priority',
    'startDate',
    'dueDate',
    'estimatedHours',
    'actualHours',
    'created',
    'updated',
    'issueType',
    'status',
    'assignee',
    'createdUser',
    'updatedUser',
    'category',
    'version',
    'milestone',
    'attachment',
    'sharedFile',
    'childIssue',
  ])('sorts by %s, then by id, for each caller, in both directions and on each page', async (sort) => {
    const [admin, everyone, first, second] = callers;
    const [one, two, deleted, four] = projects.map(({ id }) => id);
    await setDeleted(false);
    await check(sort, admin!, '', () => true);
    await setDeleted(true);
    await check(sort, admin!, '', (id) => id !== deleted);
    await check(sort, admin!, `&projectId[]=${one}&projectId[]=${deleted}`, (id) => id === one);
    await check(sort, everyone!, '', (id) => id !== deleted);
    await check(sort, first!, '', (id) => id === two);
    await check(sort, second!, '', (id) => id === one || id === four);
    await check(sort, second!, `&projectId[]=${four}`, (id) => id === four);
  });

  async function check(
    sort: string,
    caller: Person,
    filter: string,
    isVisible: (projectId: number) => boolean,
  ): Promise<void> {
    for (const order of ['asc', 'desc']) {
      const expected = expectedOf(sort, order, isVisible);
      for (const { offset, count } of PAGES) {
        const path = `/issues?sort=${sort}&order=${order}&offset=${offset}&count=${count}${filter}`;
        const { body } = await caller.api.get<{ id: number }[]>(path);
        expect([path, body.map(({ id }) => id)]).toEqual([path, expected.slice(offset, offset + count)]);
      }
    }
  }

  it('lists the issues with a due date in a range, newest first', async () => {
    await setDeleted(true);
    const [admin, , , second] = callers;
    const [one, , deleted, four] = projects.map(({ id }) => id);
    for (const [filter, isWithin] of [
      ['dueDateUntil=2026-01-02', (day: string) => day <= '2026-01-02'],
      ['dueDateSince=2026-01-02', (day: string) => day >= '2026-01-02'],
      ['dueDateSince=2026-01-02&dueDateUntil=2026-01-31', (day: string) => day === '2026-01-02'],
      ['dueDateUntil=2025-12-31', () => false],
    ] as const) {
      const within = new Set(
        known
          .filter(({ keys }) => keys.dueDate !== null && isWithin(String(keys.dueDate)))
          .map(({ id }) => id),
      );
      for (const [caller, isVisible] of [
        [admin!, (id: number) => id !== deleted],
        [second!, (id: number) => id === one || id === four],
      ] as const) {
        const expected = expectedOf('created', 'desc', isVisible).filter((id) => within.has(id));
        for (const { offset, count } of PAGES) {
          const path = `/issues?${filter}&offset=${offset}&count=${count}`;
          const { body } = await caller.api.get<{ id: number }[]>(path);
          expect([path, body.map(({ id }) => id)]).toEqual([path, expected.slice(offset, offset + count)]);
        }
      }
    }
  });

  it.each([
    ['a range with few issues', 'dueDateUntil=2026-01-02', true],
    ['a range and another filter', 'dueDateUntil=2026-01-02&priorityId[]=3', false],
  ])('reads %s by the index on due dates where it is known to be best', async (_what, filter, isRead) => {
    const { world } = tested;
    const sent = await statementsOf(world, () => world.admin.api.get(`/issues?${filter}`));
    const page = sent.find((sql) => /^SELECT i.id AS id FROM issue i .*ORDER BY/s.test(sql));
    expect(page?.includes('ix_issue_due_date')).toBe(isRead);
  });

  itOnEmbedded.each([
    'summary',
    'priority',
    'startDate',
    'estimatedHours',
    'actualHours',
    'issueType',
    'status',
    'updatedUser',
  ])('reads the issues sorted by %s in the order of an index', async (sort) => {
    const { world } = tested;
    const sent = await statementsOf(world, () => world.admin.api.get(`/issues?sort=${sort}`));
    const page = sent.find((statement) => statement.startsWith('SELECT u.* FROM ('))!;
    const [scan] = /SELECT i\.id AS id.*? LIMIT \d+/s.exec(page)!;
    const searcher = { userId: world.admin.id, signal: new AbortController().signal };
    const steps = await unindexedListRunner(world.dataSource, searcher).query<{ detail: string }[]>(
      `EXPLAIN QUERY PLAN ${scan}`,
    );
    const plan = steps.map(({ detail }) => detail).join('; ');
    expect(plan).toMatch(/^SEARCH i USING (COVERING )?INDEX ix_issue_\w+ \(\w+=\?\)$/);
  });

  it('sends as many statements for the groups of many projects as for those of one', async () => {
    const count = async (person: Person, filter: string): Promise<number> =>
      (await statementsOf(tested.world, () => person.api.get(`/issues?sort=status${filter}`))).length;
    const [admin] = callers;
    await count(admin!, '');
    expect(await count(admin!, '')).toBe(await count(admin!, `&projectId[]=${projects[3]!.id}`));
  });
});
