import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { checkArchive } from '../../../src/archives/check-records';
import { recordKinds } from '../../../src/archives/record-kinds';
import { readEnvironment } from '../../../src/config/environment';
import {
  planSource,
  pullToArchive,
  type Pulled,
  type PullOptions,
} from '../../../src/sources/pull-to-archive';
import { entriesOf, type Records, recordsOf } from '../../support/archives';
import { TemporaryFolder } from '../../support/sqlite';
import { ADMIN_KEY, FakeRedmine, MEMBER_KEY } from './fake-redmine';
import {
  APP,
  hasFile,
  hasPrivateNote,
  isPrivate,
  issueLine,
  ISSUES,
  PROJECTS,
  projectOf,
  SECRET,
  timeAt,
  TOOLS,
  wholeIssue,
} from './redmine-data';

const IDS = Array.from({ length: ISSUES }, (_value, index) => index + 1);
const PUBLIC = IDS.filter((id) => !isPrivate(id));
const AT_ONCE = 4;

describe('a Redmine as a source', () => {
  const folder = new TemporaryFolder();
  const redmine = new FakeRedmine();
  const environment = readEnvironment({});
  let pulled: Pulled;
  let records: Records;
  /** The requests for them. */
  let requests: string[];
  let number = 0;

  beforeAll(async () => {
    await redmine.open();
    pulled = await pull('all');
    requests = redmine.requests;
    records = await recordsOf(folder.file('all.pms'));
  });

  afterAll(() => {
    redmine.close();
    folder.remove();
  });

  beforeEach(() => {
    redmine.requests = [];
    redmine.answers.clear();
  });

  const pull = (name: string, options: Partial<PullOptions> = {}): Promise<Pulled> =>
    pullToArchive(redmine.address, folder.file(`${name}.pms`), {
      ...{ environment, spool: folder.file(`${name}-spool`), keys: [ADMIN_KEY] },
      ...options,
    });

  /** Pulls with other answers than those of the data. */
  const pullWith = (
    answers: Record<string, object | number>,
    options: Partial<PullOptions> = {},
  ): Promise<Pulled> => {
    for (const [path, answer] of Object.entries(answers)) redmine.answers.set(path, answer);
    return pull(`other-${++number}`, options);
  };

  const of = (kind: string, from: Records = records): any[] => [...(from.get(kind) ?? [])];
  const lossesOf = ({ losses }: Pulled): Map<string, { count: number; examples: readonly string[] }> =>
    new Map(losses.map(({ text, ...rest }) => [text, rest]));

  it('gives an archive that the service accepts', async () => {
    const checked = await checkArchive(folder.file('all.pms'), await recordKinds());
    expect(checked.contents.files.lost).toEqual([]);
  });

  it('gives issues with their numbers, times, authors and efforts', () => {
    expect(of('issue').map(({ id, keyId, projectId }) => [id, keyId, projectId])).toEqual(
      PUBLIC.map((id) => [id, id, projectOf(id)]),
    );
    expect(of('issue').find(({ id }) => id === 2)).toMatchObject({
      ...{
        summary: 'Issue 2',
        startDate: '2024-02-03',
        dueDate: '2024-03-04',
        assigneeId: 2,
        createdUserId: 3,
      },
      ...{
        estimatedHours: 150,
        actualHours: 50,
        created: Date.parse(timeAt(2)),
        updated: Date.parse(timeAt(4)),
      },
      description: '## Issue 2\n\nSee OLD_TOOLS-3 and **bold** \\<b>raw\\</b> in [[Guide]].',
    });
  });

  it('gives projects keys of their identifiers, and archives the closed ones', () => {
    expect(of('project').map(({ projectKey, archived, created }) => [projectKey, archived, created])).toEqual(
      [
        ['MY_APP', false, Date.parse(timeAt(0))],
        ['OLD_TOOLS', true, Date.parse(timeAt(2))],
      ],
    );
  });

  it('gives a project the key that is asked for, also in texts', async () => {
    await pull('named', { projects: ['my-app'], projectKeys: new Map([['my-app', 'APP']]) });
    const named = await recordsOf(folder.file('named.pms'));
    expect(of('project', named).map(({ projectKey }) => projectKey)).toEqual(['APP']);
    expect(of('issue', named).find(({ id }) => id === 1).description).toContain('See APP-2 and');
    // Issue 3 is that of a project that is not read.
    expect(of('issue', named).find(({ id }) => id === 2).description).toContain('See #3 and');
  });

  it('gives nothing that is private', async () => {
    for (const [name, content] of await entriesOf(folder.file('all.pms'))) {
      expect([name, content.includes(SECRET)]).toEqual([name, false]);
    }
    const losses = lossesOf(pulled);
    const notes = PUBLIC.filter(hasPrivateNote);
    expect(losses.get('Private issues')).toEqual({ count: 6, examples: ['#7', '#17', '#37'] });
    expect(losses.get('Private notes')?.count).toBe(notes.length);
    expect(losses.get('Custom fields that only some roles may see')?.examples).toEqual(['Restricted']);
  });

  it('does not ask for private issues', () => {
    const asked = requests.flatMap((url) => /\/issues\/(\d+)\.json/.exec(url)?.[1] ?? []);
    expect(asked.map(Number).sort((one, other) => one - other)).toEqual(PUBLIC);
  });

  it('leaves out an issue that becomes private while it is read', async () => {
    const found = await pullWith({ '/issues/1.json': { issue: { ...wholeIssue(1), is_private: true } } });
    expect(lossesOf(found).get('Private issues')?.count).toBe(7);
  });

  it('gives statuses, with those that the service does not have', () => {
    const statusesOf = (id: number): any[] => of('issueStatus').filter(({ projectId }) => projectId === id);
    expect(statusesOf(TOOLS).map(({ name, standard }) => [name, standard])).toEqual([
      ['Open', 1],
      ['In Progress', 2],
      ['Resolved', 3],
      ['Closed', 4],
      ['Feedback', null],
    ]);
    const closed = statusesOf(APP).find(({ standard }) => standard === 4).id;
    const rejected = of('issue').find(({ id }) => id === 5);
    expect([rejected.statusId, rejected.resolutionId]).toEqual([closed, 1]);
  });

  it('gives priorities by their distance from the normal one', () => {
    const priorities = new Map(of('issue').map(({ id, priorityId }) => [id, priorityId]));
    expect([5, 1, 2, 3, 4].map((id) => priorities.get(id))).toEqual([4, 3, 2, 2, 2]);
  });

  it('gives notes and changes as comments', () => {
    const { threadId } = of('issue').find(({ id }) => id === 4);
    const comments = of('comment').filter((comment) => comment.threadId === threadId);
    expect(
      comments.map(({ id, content, createdUserId, created }) => [id, content, createdUserId, created]),
    ).toEqual([
      [41, 'Note on MY_APP-4 with _text_', 2, Date.parse(timeAt(5))],
      [42, '', 3, Date.parse(timeAt(6))],
    ]);
    const changes = comments.flatMap(({ changeLog }) =>
      changeLog.map((entry: any) => [entry.field, entry.originalValue, entry.newValue]),
    );
    expect(changes).toEqual([
      ['status', 'New', 'In Progress'],
      ['assigner', '', 'Ann Lee'],
      ['priority', 'Normal', 'Urgent'],
      ['summary', 'Before', 'Issue 4'],
      ['description', '**old**', '**new**'],
      ['parentIssue', 'MY_APP-4', 'MY_APP-2'],
      ['Done ratio', '0', '30'],
      ['Severity', 'Low', 'High'],
      ['attachment', '', 'file 4.txt'],
    ]);
  });

  it('gives files with their contents', async () => {
    const entries = await entriesOf(folder.file('all.pms'));
    const files = [...entries].filter(([name]) => name.startsWith('files/'));
    const expected = [...PUBLIC.filter(hasFile).map((id) => 1000 + id), 2001].map(
      (id) => `Content of file ${id}`,
    );
    expect(files.map(([, content]) => content.toString()).sort()).toEqual(expected.sort());
    expect(requests.filter((url) => url.includes('elsewhere'))).toEqual([]);
  });

  it('gives values of custom fields by their types', () => {
    const issueId = 1;
    const fields = new Map(
      of('customField')
        .filter(({ projectId }) => projectId === APP)
        .map(({ id, name, typeId }) => [id, [name, typeId]]),
    );
    const items = new Map(
      of('customFieldItem').map(({ id, name, customFieldId }) => [id, [customFieldId, name]]),
    );
    const found = [
      ...of('issueCustomField')
        .filter((value) => value.issueId === issueId)
        .map(({ customFieldId, textValue, numberValue, dateValue }) => [
          ...(fields.get(customFieldId) ?? []),
          textValue ?? numberValue ?? dateValue,
        ]),
      ...of('issueCustomFieldItem')
        .filter((value) => value.issueId === issueId)
        .map(({ itemId }) => [...(fields.get(items.get(itemId)?.[0]) ?? []), items.get(itemId)?.[1]]),
    ];
    expect(found.sort((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
      ['Checked on', 4, '2024-02-03'],
      ['Checked', 5, 'Yes'],
      ['Done ratio', 3, 100_000],
      ['Found in', 5, '1.0'],
      ['Owner', 5, 'Ann Lee'],
      ['Page', 1, 'https://example.com/'],
      ['Parts', 6, 'a'],
      ['Parts', 6, 'b'],
      ['Reason', 2, 'Long\ntext'],
      ['Severity', 5, 'High'],
      ['Size', 3, 25_000],
    ]);
  });

  it('gives parents as far as the service has them, and relations', () => {
    const parents = of('issue').flatMap(({ id, parentIssueId }) =>
      parentIssueId ? [[id, parentIssueId]] : [],
    );
    expect(parents).toEqual([
      [5, 4],
      [29, 28],
    ]);
    const related = of('relatedIssue').map(
      ({ firstIssueId, secondIssueId }) => `${firstIssueId} ${secondIssueId}`,
    );
    expect(related).toEqual(expect.arrayContaining(['5 8', '9 10', '8 12', '40 44']));
    expect(lossesOf(pulled).get('Parents that are not imported')?.examples).toEqual(['MY_APP-11']);
    expect(lossesOf(pulled).get('Kinds of relations')?.examples[0]).toBe('MY_APP-16 blocks MY_APP-20');
  });

  it('gives versions, those of other projects too, and categories', () => {
    expect(
      of('version').map(({ projectId, name, archived, releaseDueDate }) => [
        projectId,
        name,
        archived,
        releaseDueDate,
      ]),
    ).toEqual([
      [1, '1.0', true, '2024-06-30'],
      [1, '2.0', false, null],
      [2, '1.0', true, '2024-06-30'],
    ]);
    expect(of('category').map(({ id, name }) => [id, name])).toEqual([[1, 'Server']]);
    expect(of('issueCategory')).toHaveLength(PUBLIC.filter((id) => projectOf(id) === APP).length);
  });

  it('gives users, groups and members', () => {
    const users = of('user').map(({ id, userId, name, roleType, mailAddress, active }) => [
      id,
      userId,
      name,
      roleType,
      mailAddress,
      active,
    ]);
    expect(users).toEqual([
      [1, 'root', 'Redmine Admin', 1, 'root@example.com', true],
      [2, 'ann', 'Ann Lee', 2, 'ann@example.com', true],
      [3, 'bob', 'Bob Ray', 2, 'bob@example.com', false],
      [5, 'redmine-5', 'Cleo', 2, '', true],
      [expect.any(Number), 'unknown-user', 'Unknown user', 2, '', false],
    ]);
    expect(of('teamMember').map(({ teamId, userId }) => [teamId, userId])).toEqual([
      [10, 2],
      [10, 5],
    ]);
    const members = of('projectMember').map((member) => [
      member.projectId,
      member.userId,
      member.projectAdministrator,
      member.direct,
    ]);
    expect(members).toEqual([
      [1, 1, true, true],
      [1, 2, false, false],
      [1, 5, false, false],
      [2, 2, true, true],
    ]);
    const watched = of('watching').map(({ userId, issueId }) => [userId, issueId]);
    expect(watched.sort(([, one], [, other]) => one - other)).toEqual(
      PUBLIC.filter((id) => id % 7 === 0).map((id) => [2, id]),
    );
  });

  it('gives wiki pages with their histories', () => {
    const pages = of('wiki').map(({ id, name, content, version, createdUserId, updatedUserId }) => [
      ...[id, name, content, version, createdUserId, updatedUserId],
    ]);
    expect(pages.map(([, ...rest]) => rest)).toEqual([
      ['Home', '# Start\n\nthe guide ([[Guide]])', 3, 3, 2],
      ['User guide', 'See MY_APP-1 and [[User guide/Install]]', 2, 3, 2],
      ['User guide/Install', '![picture.png](picture.png)', 1, 3, 3],
    ]);
    const versions = of('wikiVersion').filter(({ wikiId }) => wikiId === pages[0]?.[0]);
    expect(versions.map(({ version, content, createdUserId }) => [version, content, createdUserId])).toEqual([
      [1, '# Start', 3],
      [2, '# Start\n\n[[Guide]]', 2],
      [3, '# Start\n\nthe guide ([[Guide]])', 2],
    ]);
  });

  it('names what it does not give', () => {
    const losses = lossesOf(pulled);
    expect(losses.get('Time entries, except their sum for each issue')?.examples).toEqual(['60 of my-app']);
    expect(losses.get('News')?.examples).toEqual(['2 of my-app']);
    expect(losses.get('Files of the module Files')?.examples).toEqual(['1 of my-app']);
    expect(losses.get('Forums')?.examples).toEqual(['my-app']);
    expect(losses.get('Assignees that are groups')?.examples[0]).toBe('MY_APP-5: Developers');
    expect(losses.get('Names of priorities')?.examples).toContain('Urgent has become High');
    expect(losses.get('Names of statuses')?.examples).toContain('Rejected has become Closed');
  });

  it('leaves the texts of a Redmine with Markdown as they are', async () => {
    await pull('markdown', { textFormat: 'markdown' });
    const [issue] = of('issue', await recordsOf(folder.file('markdown.pms')));
    expect(issue.description).toBe(issueLine(1).description);
  });

  it('gives what a member sees: no login names, and texts as values of custom fields', async () => {
    const found = await pull('member', { keys: [MEMBER_KEY] });
    await checkArchive(folder.file('member.pms'), await recordKinds());
    const seen = await recordsOf(folder.file('member.pms'));
    expect(of('user', seen).map(({ userId, name }) => [userId, name])).toEqual([
      ['root', 'Redmine Admin'],
      ['redmine-2', 'Ann Lee'],
      ['redmine-3', 'Bob Ray'],
      ['redmine-5', 'Cleo'],
      ['unknown-user', 'Unknown user'],
    ]);
    expect(of('customField', seen).every(({ typeId, name }) => typeId === 2 || name === 'Done ratio')).toBe(
      true,
    );
    expect([...lossesOf(found).keys()]).toEqual(
      expect.arrayContaining([
        'Login names and mail addresses of users, which only administrators may see',
        'Types of custom fields, which only administrators may see: all values are texts',
        'Groups that the key may not see',
      ]),
    );
  });

  it('goes on after an abort with the same bytes, and asks for no answer twice', async () => {
    await pull('once');
    const requests = redmine.requests.length;
    redmine.requests = [];
    mkdirSync(folder.file('cut-spool'));
    copyFileSync(folder.file('once-spool/source.json'), folder.file('cut-spool/source.json'));
    for (let part = 0; part < 4; part++) {
      const aborted = new AbortController();
      let left = Math.ceil(requests / 5);
      const onRequest = (): void => {
        if (--left === 0) aborted.abort();
      };
      await expect(pull('cut', { onRequest, signal: aborted.signal })).rejects.toThrow();
    }
    await pull('cut');
    expect(redmine.requests.length).toBeLessThanOrEqual(requests + 4 * AT_ONCE);
    expect(readFileSync(folder.file('cut.pms')).equals(readFileSync(folder.file('once.pms')))).toBe(true);
  });

  it.each([429, 503])('waits as long as an answer %i asks for', async (status) => {
    redmine.refusals = { status, count: 1 };
    const waits: number[] = [];
    await pull(`waiting-${status}`, { onWait: (milliseconds) => waits.push(milliseconds) });
    expect(waits.length).toBeGreaterThan(0);
  });

  it('counts what there is, without reading it', async () => {
    const plan = await planSource(redmine.address, {
      environment,
      spool: folder.file('plan'),
      keys: [ADMIN_KEY],
    });
    expect(plan.projects).toEqual([
      { key: 'MY_APP', name: 'The app', issues: 40, wikis: 3, documents: 0 },
      { key: 'OLD_TOOLS', name: 'Old tools', issues: 20, wikis: 0, documents: 0 },
    ]);
    expect(plan.users).toBe(3);
    expect(redmine.requests.length).toBeLessThan(15);
  });

  it.each([
    ['another key', { keys: ['c'] }, /does not accept the key/],
    ['a project that is not there', { projects: ['none'] }, /There is no project none/],
    ['a key that is not one', { projectKeys: new Map([['my-app', 'my']]) }, /my-app:my has no valid key/],
    ['no key', { keys: [] }, /A key of the source is needed/],
  ])('refuses %s', async (_what, options, sentence) => {
    await expect(pullWith({}, options)).rejects.toThrow(sentence);
  });

  it.each<[string, Record<string, object | number>, RegExp]>([
    ['no REST API', { '/users/current.json': 403 }, /has no REST API for this key/],
    ['hidden issues', { '/issues.json': 403 }, /^The key may not see the issues of my-app\.$/],
    [
      'issues that do not say whether they are private',
      { '/issues.json': { issues: [{ ...issueLine(1), is_private: undefined }], total_count: 1 } },
      /is not as the API describes: issues.0.is_private/,
    ],
    [
      'notes that do not say whether they are private',
      {
        '/issues/1.json': {
          issue: { ...wholeIssue(1), journals: [{ ...wholeIssue(1).journals[0], private_notes: null }] },
        },
      },
      /issue.journals.0.private_notes/,
    ],
    [
      'another issue than the one asked for',
      { '/issues/1.json': { issue: { ...wholeIssue(2) } } },
      /is about issue 2/,
    ],
    [
      'the same page again',
      { '/projects.json': { projects: PROJECTS, total_count: 1000 } },
      /\/projects.json answers with the same page again/,
    ],
    [
      'more than it was asked for',
      { '/projects.json': { projects: Array.from({ length: 101 }, () => PROJECTS[0]), total_count: 101 } },
      /more than 100 elements/,
    ],
    [
      'a wrong identifier',
      { '/projects.json': { projects: [{ ...PROJECTS[0], identifier: '../x' }], total_count: 1 } },
      /identifier/,
    ],
    [
      'a page with endless versions',
      {
        '/projects/1/wiki/Wiki.json': {
          wiki_page: {
            title: 'Wiki',
            text: '',
            version: 2 ** 40,
            created_on: timeAt(0),
            updated_on: timeAt(0),
          },
        },
      },
      /versions of the wiki page Wiki do not end/,
    ],
    [
      'an id that is no number',
      { '/issues/1.json': { issue: { ...wholeIssue(1), status: { id: '__proto__', name: 'x' } } } },
      /issue.status.id/,
    ],
  ])('is refused with one sentence for %s', async (_case, answers, sentence) => {
    const error = (await pullWith(answers).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(sentence);
    expect(error.message.split('\n')).toHaveLength(1);
  });

  it('has no issues of projects without the module for them', async () => {
    const projects = PROJECTS.map((project) => ({ ...project, enabled_modules: [] }));
    await pullWith({ '/projects.json': { projects, total_count: 2 }, '/issues.json': 403 });
    expect(of('issue', await recordsOf(folder.file(`other-${number}.pms`)))).toEqual([]);
  });

  it('takes names for nothing but names', async () => {
    const found = await pullWith({
      '/issue_statuses.json': { issue_statuses: [{ id: 1, name: '__proto__', is_closed: false }] },
      '/projects/1/versions.json': { versions: [{ id: 1, name: 'constructor', project: { id: APP } }] },
      '/issues/1.json': {
        issue: {
          ...wholeIssue(1),
          ...{ subject: '__proto__', description: '{{__proto__}} [[constructor]] <a href="javascript:x">' },
          ...{ estimated_hours: 1e300, done_ratio: -5, start_date: '2024-99-99', watchers: [] },
          journals: [
            {
              id: 11,
              notes: '',
              private_notes: false,
              created_on: timeAt(1),
              details: [{ property: '__proto__', name: 'constructor' }],
            },
          ],
        },
      },
    });
    expect(found.losses.length).toBeGreaterThan(0);
    const seen = await recordsOf(folder.file(`other-${number}.pms`));
    expect(of('issue', seen)[0]).toMatchObject({
      summary: '__proto__',
      estimatedHours: null,
      startDate: null,
    });
    expect(of('issue', seen)[0].description).toContain('\\<a href=');
  });
});
