import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'csv-parse/sync';
import MarkdownIt from 'markdown-it';
import { parse as parseYaml } from 'yaml';
import { openStorage } from '../../src/attachments/open-storage';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { exportFolder, FOLDER_FORMATS, type FolderFormat } from '../../src/exports/export-folder';
import { foldedName } from '../../src/exports/safe-name';
import { Child } from '../support/child';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { Commands } from '../support/pms';
import { addSharedFile } from '../support/shared-files';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { type ProjectFixture, World } from '../support/world';

const TIMEOUT_MS = 120_000;
const FORMULA = '=HYPERLINK("https://example.com")';
const MD = '.md';
/** Names that some file system does not allow, or does not tell apart. */
const PAGES = [
  ...['Home', 'HOME', 'home', 'A/B', 'A/b', 'a/B/C', 'CON', `nul/aux${MD}`, 'x. /y ', '../../../etc/passwd'],
  ...['a:b*c?"<d>|e', '.hidden', 'é'.repeat(120), `${'deep/'.repeat(40)}page`, `A${MD}`, 'A.files/x'],
];
const FILES = ['../../evil.txt', 'a.png', 'A.PNG', 'CON.txt', '=x.csv', `${'long'.repeat(40)}.tar.gz`];

/** Cells by their columns. */
type Row = Record<string, string>;

describe('an export to a folder', () => {
  const folder = new TemporaryFolder();
  const commands = new Commands();
  let database: LastingTestDatabase;
  let settings: Record<string, string>;
  let environment: Environment;
  let world: World;
  let project: ProjectFixture;

  beforeAll(async () => {
    database = await createLastingTestDatabase();
    await applyTemplate(database.url);
    settings = {
      ...FUZZ_ENVIRONMENT,
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${folder.file('files')}`,
      GIT_ROOT: folder.file('git'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    environment = readEnvironment(settings);
    world = await World.start(settings);
    await world.stopDeliveries();
    await populate({ baseUrl: world.server.baseUrl, adminKey: world.admin.key }, 0);
    project = await world.addProject();
    await addDifficultNames();
    await world.whenIdle();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await world.stop();
    await database.drop();
    folder.remove();
  });

  async function addDifficultNames(): Promise<void> {
    const { admin } = world;
    const add = async (path: string, body: object): Promise<{ id: number }> => {
      const { status, body: added } = await admin.api.post<{ id: number }>(path, body);
      expect([path, status]).toEqual([path, 201]);
      return added;
    };
    const files: number[] = [];
    for (const name of FILES) files.push(await world.addUpload(admin, `content of ${name}`, name));
    const { id } = await add('/issues', {
      projectId: project.id,
      ...{ summary: FORMULA, issueTypeId: project.issueTypeId, priorityId: 3, attachmentId: files },
      description: 'A picture: ![image][a.png]\n\n"quoted", and\r\nlines',
    });
    await add(`/issues/${id}/comments`, { content: '-1 for this' });
    for (const name of PAGES) await add('/wikis', { projectId: project.id, name, content: `Page ${name}` });
    for (const name of ['x', 'X', 'CON']) await addSharedFile(admin, project, { folder: `${name}/y`, name });
    const parent = await add('/documents', {
      projectId: project.id,
      title: 'Same',
      content: '# Above\n\n- **a**',
    });
    for (const title of ['Same', 'same', '.'])
      await add('/documents', { projectId: project.id, title, content: 'Below', parentId: parent.id });
  }

  const newPath = (): string => folder.file(randomBytes(6).toString('hex'));

  async function exported(format: FolderFormat, more: { isRaw?: boolean; projects?: string[] } = {}) {
    const path = newPath();
    const storage = openStorage(environment);
    const summary = await exportFolder({ environment, storage, path, format, ...more });
    return { path, summary };
  }

  /** Returns the paths of all files below a folder. */
  function filesIn(path: string): string[] {
    return readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  }

  const tableOf = (path: string, name: string): Row[] =>
    parse(readFileSync(join(path, name)), { columns: true, record_delimiter: '\r\n' });

  it.each(FOLDER_FORMATS)('has the same bytes for the same data, as %s', async (format) => {
    const contentsOf = (path: string): [string, string][] =>
      filesIn(path).map((file) => [relative(path, file), readFileSync(file, 'base64')]);
    const [one, other] = [await exported(format), await exported(format)];
    expect(contentsOf(one.path)).toEqual(contentsOf(other.path));
    expect(contentsOf(one.path)).toHaveLength(one.summary.files);
    expect(one.summary).toMatchObject({ projects: 3, lost: [] });
  });

  it.each(FOLDER_FORMATS)('has names that every file system takes, as %s', async (format) => {
    const { path } = await exported(format);
    const paths = readdirSync(path, { recursive: true }) as string[];
    expect(paths.length).toBeGreaterThan(20);
    expect(new Set(paths.map(foldedName)).size).toBe(paths.length);
    for (const name of new Set(paths.flatMap((one) => one.split('/')))) {
      expect(name).toMatch(/^[^.\-<>:"/\\|?*\p{Cc}][^<>:"/\\|?*\p{Cc}]*(?<![. ])$/u);
      expect(name).not.toMatch(/^(?:con|nul|aux)(?:$|\.)/i);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(90);
    }
    for (const file of filesIn(path)) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    }
  });

  it.each(FOLDER_FORMATS)('has the contents of all files, as %s', async (format) => {
    const { path } = await exported(format);
    const contents = new Set(filesIn(path).map((file) => readFileSync(file, 'utf8')));
    for (const name of FILES) expect([name, contents.has(`content of ${name}`)]).toEqual([name, true]);
  });

  it('has tables with the fields of the API', async () => {
    const { path } = await exported('csv');
    const issues = tableOf(path, `${project.key}/issues.csv`);
    const { body: expected } = await world.admin.api.get<any[]>(
      `/issues?projectId[]=${project.id}&count=100&sort=created&order=asc`,
    );
    expect(issues.map(({ issueKey }) => issueKey).sort()).toEqual(
      expected.map(({ issueKey }) => issueKey).sort(),
    );
    for (const issue of expected) {
      expect(issues.find(({ id }) => id === String(issue.id))).toMatchObject({
        issueType: issue.issueType.name,
        status: issue.status.name,
        priority: issue.priority.name,
        description: issue.description,
        createdUser: issue.createdUser.userId,
        created: issue.created,
      });
    }
    const { body: documents } = await world.admin.api.get<any[]>(
      `/documents?projectId[]=${project.id}&count=100&offset=0`,
    );
    expect(
      tableOf(path, `${project.key}/documents.csv`)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(documents.map(({ id }) => id).sort());
    expect(tableOf(path, `${project.key}/wikis.csv`)).toHaveLength(
      (await world.admin.api.get<unknown[]>(`/wikis?projectIdOrKey=${project.key}`)).body.length,
    );
    const [fuzz] = tableOf(path, 'FUZZA0/issues.csv');
    const [text, boxes] = tableOf(path, 'FUZZA0/customFields.csv');
    expect(fuzz).toMatchObject({
      [`customField_${text!.id}`]: 'Text 1',
      [`customField_${boxes!.id}`]: 'A',
      [`customField_${boxes!.id}_otherValue`]: 'Other',
    });
    expect(boxes!.items).toBe('A\nB');
    const comments = tableOf(path, 'FUZZA0/comments.csv');
    expect(new Set(comments.map(({ type }) => type))).toEqual(new Set(['issue', 'pullRequest', 'document']));
    expect(
      comments.filter(({ of, content }) => of === 'FUZZA0-1' && content?.startsWith('Comment of')),
    ).toHaveLength(1);
    expect(tableOf(path, 'users.csv').map(({ userId }) => userId)).toContain('fuzz-0-NormalUser');
  });

  it('has documents in the order of their tree', async () => {
    // Each is added before the others, except for one.
    for (let number = 1; number <= 12; number++) {
      const { status } = await world.admin.api.post('/documents', {
        ...{ projectId: project.id, title: `Document ${number}`, content: '', addLast: number === 6 },
      });
      expect(status).toBe(201);
    }
    const { body: tree } = await world.admin.api.get(`/documents/tree?projectIdOrKey=${project.key}`);
    const titlesOf = (nodes: any[]): string[] =>
      nodes.flatMap(({ name, children }) => [name, ...titlesOf(children)]);
    const titles = titlesOf(tree.activeTree.children);
    expect(titles).toHaveLength(16);
    const { path } = await exported('csv', { projects: [project.key] });
    expect(tableOf(path, `${project.key}/documents.csv`).map(({ title }) => title)).toEqual(titles);
  });

  it('has paths to the files in its tables', async () => {
    const { path } = await exported('csv');
    for (const key of ['FUZZA0', project.key]) {
      const listed = [...tableOf(path, `${key}/attachments.csv`), ...tableOf(path, `${key}/sharedFiles.csv`)];
      const files = listed.filter(({ type }) => type !== 'directory');
      expect(files.length).toBeGreaterThan(2);
      for (const { path: file = '', size } of files)
        expect([file, statSync(join(path, key, file)).size]).toEqual([file, Number(size)]);
    }
  });

  it('prefixes texts that a spreadsheet would execute, unless they are wanted as they are', async () => {
    const summaryOf = async (isRaw: boolean): Promise<string[]> => {
      const { path } = await exported('csv', { isRaw, projects: [project.key] });
      const { summary = '' } = tableOf(path, `${project.key}/issues.csv`).find((row) =>
        row.summary?.includes('HYPER'),
      )!;
      const { content = '' } = tableOf(path, `${project.key}/comments.csv`).find((row) =>
        row.content?.includes('for this'),
      )!;
      return [summary, content];
    };
    expect(await summaryOf(false)).toEqual([`'${FORMULA}`, "'-1 for this"]);
    expect(await summaryOf(true)).toEqual([FORMULA, '-1 for this']);
  });

  it('has Markdown whose links lead to files, and an index of everything', async () => {
    const { path } = await exported('markdown');
    const markdown = new MarkdownIt();
    const linked = new Set<string>();
    let pictures = 0;
    const pages = filesIn(path).filter(
      (file) => file.endsWith('.md') && /^(?:---|# Projects)\n/.test(readFileSync(file, 'utf8')),
    );
    for (const page of pages) {
      const [, body = readFileSync(page, 'utf8')] =
        /^---\n[\s\S]*?\n---\n([\s\S]*)$/.exec(readFileSync(page, 'utf8')) ?? [];
      const tokens = markdown.parse(body, {}).flatMap(({ children }) => children ?? []);
      for (const token of tokens) {
        const address = String(token.attrGet(token.type === 'image' ? 'src' : 'href') ?? 'https:');
        if (/^https?:/.test(address)) continue;
        const target = join(dirname(page), decodeURIComponent(address));
        expect([page, address, existsSync(target), relative(path, target).startsWith('..')]).toEqual([
          ...[page, address, true, false],
        ]);
        if (token.type === 'image') pictures++;
        linked.add(target);
      }
    }
    expect(pictures).toBeGreaterThan(0);
    // Nothing is there that nothing leads to, except the index of all projects.
    expect(filesIn(path).filter((file) => !linked.has(file))).toEqual([join(path, `index${MD}`)]);
  });

  it('has front matter that YAML reads, and the texts of documents as Markdown', async () => {
    const { path } = await exported('markdown');
    const issue = readFileSync(join(path, project.key, 'issues', `${project.key}-2.md`), 'utf8');
    const [, yaml = ''] = /^---\n([\s\S]*?)\n---\n/.exec(issue) ?? [];
    expect(parseYaml(yaml)).toMatchObject({
      issueKey: `${project.key}-2`,
      summary: FORMULA,
      priority: 'Normal',
      createdUser: 'admin',
      textFormattingRule: 'markdown',
    });
    expect(issue).toContain('\n## Comments\n');
    expect(issue).toContain('-1 for this');
    const document = readFileSync(join(path, project.key, 'documents', `Same${MD}`), 'utf8');
    expect(document).toContain('\n# Above\n\n- **a**\n');
    expect(readdirSync(join(path, project.key, 'documents', 'Same'))).toHaveLength(3);
  });

  it('names a file whose content is lost', async () => {
    const attachment = await world.addUpload(world.admin, 'is lost', 'lost.txt');
    const { body: issue } = await world.admin.api.post<{ id: number }>('/issues', {
      ...{ projectId: project.id, summary: 'Lost', issueTypeId: project.issueTypeId, priorityId: 3 },
      attachmentId: [attachment],
    });
    const [row] = await world.dataSource.query<[{ storageKey: string }]>(
      'SELECT storage_key AS storageKey FROM attachment WHERE id = ?',
      [attachment],
    );
    await openStorage(environment).remove(row.storageKey);
    for (const format of FOLDER_FORMATS) expect((await exported(format)).summary.lost).toEqual([attachment]);
    const path = newPath();
    const { exitCode, stderr } = await commands.run(['export', path, '--to', 'markdown'], settings);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`lacks the contents of file ${attachment}:`),
    ]);
    await world.admin.api.delete(`/issues/${issue.id}`);
    await world.whenIdle();
  });

  it('refuses what exists, and leaves nothing of an export that fails', async () => {
    const { path } = await exported('csv');
    const before = filesIn(path);
    const pms = (...words: string[]) => commands.run(['export', ...words], settings);
    expect(await pms(path, '--to', 'csv')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('already exists') as unknown,
    });
    expect(filesIn(path)).toEqual(before);
    const other = newPath();
    mkdirSync(`${other}.partial`);
    writeFileSync(`${other}.partial/notes.txt`, 'mine');
    expect((await pms(other, '--to', 'csv')).stderr).toContain('was not left by an export');
    expect(readFileSync(`${other}.partial/notes.txt`, 'utf8')).toBe('mine');
    const third = newPath();
    expect((await pms(third, '--to', 'csv', '--project', 'NONE')).stderr).toContain(
      'There is no project NONE.',
    );
    expect([existsSync(third), existsSync(`${third}.partial`)]).toEqual([false, false]);
    expect((await pms(third, '--to', 'pdf')).exitCode).toBe(2);
    expect((await pms(third, '--raw-cells')).stderr).toContain('--raw-cells needs --to csv.');
  });

  it('leaves nothing when it is aborted at any time', async () => {
    const path = newPath();
    const storage = openStorage(environment);
    const abortAt = async (step: number): Promise<void> => {
      const abort = new AbortController();
      let done = 0;
      const exporting = exportFolder({
        ...{ environment, storage, path, format: 'markdown', signal: abort.signal },
        onProgress: () => {
          if (++done === step) abort.abort();
        },
      });
      await expect(exporting).rejects.toThrow('aborted');
      expect([step, existsSync(path), existsSync(`${path}.partial`)]).toEqual([step, false, false]);
    };
    let steps = 0;
    const onProgress = (): void => void steps++;
    await exportFolder({ environment, storage, path: newPath(), format: 'markdown', onProgress });
    for (const part of [0.1, 0.6, 0.8, 1]) await abortAt(Math.ceil(part * steps));
  });

  it(
    'is whole or absent after a kill at any time, and the next one removes what is left',
    async () => {
      const path = newPath();
      let interrupted = 0;
      for (let delay = 500; !existsSync(path); delay *= 1.4) {
        const child = new Child('run-pms', JSON.stringify(settings), 'export', path, '--to', 'markdown');
        const timer = setTimeout(() => child.signal('SIGKILL'), delay);
        await child.outcome();
        clearTimeout(timer);
        if (!existsSync(path)) interrupted++;
      }
      expect(interrupted).toBeGreaterThan(0);
      const { path: expected } = await exported('markdown');
      expect(filesIn(path).map((file) => relative(path, file))).toEqual(
        filesIn(expected).map((file) => relative(expected, file)),
      );
      // A process that was killed after its last step has left this.
      mkdirSync(`${path}.partial/content`, { recursive: true });
      expect((await commands.run(['export', path, '--to', 'csv'], settings)).stderr).toContain(
        'already exists',
      );
      expect(existsSync(`${path}.partial`)).toBe(false);
    },
    TIMEOUT_MS,
  );

  it(
    'is an archive without leftovers after kills',
    async () => {
      const path = folder.file('killed.pms');
      for (let delay = 500; !existsSync(path); delay *= 1.4) {
        const child = new Child('run-pms', JSON.stringify(settings), 'export', path);
        const timer = setTimeout(() => child.signal('SIGKILL'), delay);
        await child.outcome();
        clearTimeout(timer);
      }
      const namesOf = (): string[] =>
        readdirSync(folder.path).filter((name) => name.startsWith('killed.pms'));
      // Those of a run that may still be at work are kept.
      for (const name of namesOf()) utimesSync(folder.file(name), 0, 0);
      expect((await commands.run(['export', path], settings)).stderr).toContain('already exists');
      expect(namesOf()).toEqual(['killed.pms']);
    },
    TIMEOUT_MS,
  );
});
