import { randomBytes } from 'node:crypto';
import { ApiClient } from '../../support/api';
import { createLastingTestDatabase, type LastingTestDatabase } from '../../support/database';
import { Commands } from '../../support/pms';
import { TemporaryFolder } from '../../support/sqlite';
import { applyTemplate } from '../../support/template';
import { World } from '../../support/world';
import { ADMIN_KEY, FakeRedmine } from './fake-redmine';
import { APP, fileContent, isPrivate, ISSUES, projectOf, SECRET, timeAt } from './redmine-data';

const TIMEOUT_MS = 600_000;
const IDS = Array.from({ length: ISSUES }, (_value, index) => index + 1);
const PUBLIC = IDS.filter((id) => !isPrivate(id));

describe('an empty space into which a Redmine has been imported', () => {
  const folder = new TemporaryFolder();
  const redmine = new FakeRedmine();
  const commands = new Commands();
  let database: LastingTestDatabase;
  let world: World;
  let api: ApiClient;
  let notes: string;

  beforeAll(async () => {
    await redmine.open();
    database = await createLastingTestDatabase();
    await applyTemplate(database.url);
    const settings = {
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${folder.file('files')}`,
      IMPORT_ROOT: folder.file('imports'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    // The first start adds the administrator.
    const first = await World.start(settings);
    const { key } = first.admin;
    await first.stop();
    const projects = ['my-app:APP', 'old_tools'];
    const words = [
      'import',
      redmine.address,
      '--key',
      ADMIN_KEY,
      '--keep-accounts',
      '--project',
      ...projects,
    ];
    const result = await commands.run(words, settings);
    notes = result.stderr;
    expect([result.exitCode, notes.split('\n').slice(-4)]).toEqual([0, expect.anything()]);
    world = await World.start(settings);
    api = new ApiClient(world.server.baseUrl, key);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await world.stop();
    await database.drop();
    redmine.close();
    folder.remove();
  });

  const get = async (path: string): Promise<any> => (await api.get(path)).body;
  const keyOf = (id: number): string => `${projectOf(id) === APP ? 'APP' : 'OLD_TOOLS'}-${id}`;

  it('has all issues but the private ones, with their numbers, times and authors', async () => {
    const issues: any[] = await get('/issues?count=100&sort=created&order=asc');
    expect(issues.map(({ issueKey, created, updated }) => [issueKey, created, updated])).toEqual(
      PUBLIC.map((id) => [keyOf(id), timeAt(id), timeAt(id + 2)]),
    );
    expect(issues.slice(0, 4).map(({ createdUser }) => createdUser.name)).toEqual([
      ...['Ann Lee', 'Bob Ray', 'Unknown user', 'Redmine Admin'],
    ]);
    expect((await api.get('/issues/APP-7')).status).toBe(404);
  });

  it('shows texts as Markdown, and the values of custom fields', async () => {
    const issue = await get('/issues/APP-2');
    expect(issue).toMatchObject({
      ...{ summary: 'Issue 2', status: { id: 3 }, priority: { id: 2 }, issueType: { name: 'Bug' } },
      ...{ assignee: { name: 'Ann Lee' }, category: [{ name: 'Server' }], milestone: [{ name: '1.0' }] },
      ...{
        startDate: '2024-02-03T00:00:00Z',
        dueDate: '2024-03-04T00:00:00Z',
        estimatedHours: 1.5,
        actualHours: 0.5,
      },
      description: '## Issue 2\n\nSee OLD_TOOLS-3 and **bold** \\<b>raw\\</b> in [[Guide]].',
    });
    const values = new Map(issue.customFields.map(({ name, value }: any) => [name, value]));
    expect([values.get('Done ratio'), values.get('Size'), values.get('Severity')]).toEqual([
      20,
      2.5,
      expect.objectContaining({ name: 'High' }),
    ]);
    expect((await get('/issues/APP-5')).resolution).toEqual({ id: 1, name: "Won't fix" });
  });

  it('shows public notes with their changes, and no private one', async () => {
    for (const id of PUBLIC) {
      const comments: any[] = await get(`/issues/${keyOf(id)}/comments?count=100&order=asc`);
      expect([id, comments.map((comment) => [comment.id, comment.created])]).toEqual([
        id,
        [
          [10 * id + 1, timeAt(id + 1)],
          [10 * id + 2, timeAt(id + 2)],
        ],
      ]);
      expect(JSON.stringify(comments)).not.toContain(SECRET);
      expect(comments[0].changeLog[0]).toMatchObject({
        field: 'status',
        originalValue: 'New',
        newValue: 'In Progress',
      });
    }
  });

  it('has the files, related issues and parents', async () => {
    const issue = await get('/issues/APP-4');
    const [file] = issue.attachments;
    expect([file.id, file.name, file.createdUser.name]).toEqual([1004, 'file 4.txt', 'Ann Lee']);
    const { bytes } = await api.download(`/issues/APP-4/attachments/${file.id}`);
    expect(bytes.toString()).toBe(fileContent(1004));
    expect((await get('/issues/APP-5')).parentIssueId).toBe(issue.id);
    const related: any[] = await get('/issues/APP-16/relatedIssues');
    expect(related.map(({ issueKey }) => issueKey)).toEqual(['APP-20']);
  });

  it('has the wiki with its history', async () => {
    const pages: any[] = await get('/wikis?projectIdOrKey=APP');
    expect(pages.map(({ name }) => name).sort()).toEqual(['Home', 'User guide', 'User guide/Install']);
    const { id } = pages.find(({ name }) => name === 'Home');
    const versions: any[] = await get(`/wikis/${id}/history?order=asc`);
    expect(versions.map(({ version, content, created }) => [version, content, created])).toEqual([
      [1, '# Start', timeAt(1)],
      [2, '# Start\n\n[[Guide]]', timeAt(2)],
      [3, '# Start\n\nthe guide ([[Guide]])', timeAt(3)],
    ]);
  });

  it('has the members, and the closed project as an archived one', async () => {
    const users: any[] = await get('/projects/APP/users');
    expect(users.map(({ name }) => name).sort()).toEqual(['Ann Lee', 'Cleo', 'Redmine Admin']);
    expect((await get('/projects/APP/teams')).map(({ name }: any) => name)).toEqual(['Developers']);
    expect((await get('/projects/OLD_TOOLS')).archived).toBe(true);
  });

  it('numbers new issues behind the last', async () => {
    const project = await get('/projects/APP');
    const [{ id: issueTypeId }] = await get('/projects/APP/issueTypes');
    const { body, status } = await api.post('/issues', {
      ...{ projectId: project.id, summary: 'New', issueTypeId, priorityId: 3 },
    });
    expect([status, body.issueKey]).toEqual([
      201,
      `APP-${PUBLIC.findLast((id) => projectOf(id) === APP)! + 1}`,
    ]);
  });

  it('names what is missing', () => {
    for (const loss of ['Private issues (6): #7', 'Private notes (10)', 'Time entries', 'Forums']) {
      expect(notes).toContain(`\n- ${loss}`);
    }
  });

  it('has nothing private anywhere', async () => {
    for (const path of ['/space/activities?count=100', `/issues?keyword=${SECRET}&count=100`]) {
      expect([path, JSON.stringify(await get(path)).includes(SECRET)]).toEqual([path, false]);
    }
  });
});
