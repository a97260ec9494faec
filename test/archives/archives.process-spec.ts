import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020';
import { createArchive } from '../../src/archives/create-archive';
import { checkArchive } from '../../src/archives/check-records';
import { recordKinds } from '../../src/archives/record-kinds';
import { openStorage } from '../../src/attachments/open-storage';
import { readArchive } from '../../src/backup/archive/archive-file';
import { createBackup } from '../../src/backup/create-backup';
import { restoreBackup } from '../../src/backup/restore-backup';
import { type Environment, readEnvironment } from '../../src/config/environment';
import { GitStore } from '../../src/git/git-store';
import { idsIn } from '../support/archives';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { FUZZ_ENVIRONMENT, populate } from '../support/fuzz/population';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { aPicture } from '../support/pictures';
import { Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';
import { World } from '../support/world';

const TIMEOUT_MS = 120_000;

type Row = Readonly<Record<string, unknown>>;

describe('an archive of projects', () => {
  const folder = new TemporaryFolder();
  const commands = new Commands();
  const databases: LastingTestDatabase[] = [];
  let world: World;
  let environment: Environment;
  let settings: Record<string, string>;
  let projectKey: string;

  beforeAll(async () => {
    settings = settingsOf(await newDatabase(), 'files');
    environment = readEnvironment(settings);
    world = await World.start({ ...FUZZ_ENVIRONMENT, ...settings });
    await world.stopDeliveries();
    const target = { baseUrl: world.server.baseUrl, adminKey: world.admin.key };
    await populate(target, 0);
    await populate(target, 1);
    await addTheRest();
    await world.whenIdle();
    const { body } = await world.admin.api.get<{ projectKey: string }[]>('/projects');
    projectKey = body[0]!.projectKey;
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await world.stop();
    for (const { drop } of databases) await drop();
    folder.remove();
  });

  /** Adds what the population lacks. */
  async function addTheRest(): Promise<void> {
    const project = await world.addProject();
    const { api } = world.admin;
    const add = async (path: string, body: object): Promise<number> =>
      (await api.post<{ id: number }>(path, body)).body.id;
    const settingsPath = `/projects/${project.key}`;
    const version = await add(`${settingsPath}/versions`, { name: '1.0' });
    await add(`${settingsPath}/customFields`, {
      typeId: 1,
      name: 'Text',
      applicableIssueTypes: [project.issueTypeId],
    });
    const issueId = await add('/issues', {
      projectId: project.id,
      summary: 'With everything',
      issueTypeId: project.issueTypeId,
      priorityId: 3,
      description: 'long '.repeat(1000),
      categoryId: [await add(`${settingsPath}/categories`, { name: 'Category' })],
      versionId: [version],
      milestoneId: [version],
    });
    await api.post(`/issues/${issueId}/relatedIssues`, { targetIssueId: project.issueId });
    await api.post('/wikis', { projectId: project.id, name: '[tag] Page', content: 'Text' });
    await api.put(`${settingsPath}/image`, pictureForm());
  }

  function pictureForm(): FormData {
    const form = new FormData();
    form.set('file', new Blob([aPicture('png', 64, 64)]), 'icon.png');
    return form;
  }

  async function newDatabase(): Promise<string> {
    const database = await createLastingTestDatabase();
    databases.push(database);
    await applyTemplate(database.url);
    return database.url;
  }

  const settingsOf = (databaseUrl: string, files: string): Record<string, string> => ({
    DATABASE_URL: databaseUrl,
    STORAGE_URL: `file:${folder.file(files)}`,
    GIT_ROOT: folder.file(`${files}-git`),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });

  const newPath = (): string => folder.file(`${randomBytes(6).toString('hex')}.pms`);

  async function archive(of: Environment = environment, projects?: string[]): Promise<string> {
    const path = newPath();
    await createArchive({ environment: of, storage: openStorage(of), path, projects });
    return path;
  }

  /** Returns the contents of the entries of an archive, by their names, in their order. */
  async function entriesOf(path: string): Promise<Map<string, Buffer>> {
    const entries = new Map<string, Buffer>();
    for await (const { path: name, content } of readArchive(path)) {
      const parts: Buffer[] = [];
      for await (const part of content()) parts.push(part);
      entries.set(name, Buffer.concat(parts));
    }
    return entries;
  }

  /** Returns the records of an archive by their kinds. */
  async function recordsOf(path: string): Promise<Map<string, Row[]>> {
    const records = new Map<string, Row[]>();
    for (const [name, content] of await entriesOf(path)) {
      const kind = /^records\/(\w+)\//.exec(name)?.[1];
      if (kind === undefined) continue;
      const rows = content
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Row);
      records.set(kind, [...(records.get(kind) ?? []), ...rows]);
    }
    return records;
  }

  it('begins with its format and ends with its contents', async () => {
    const entries = await entriesOf(await archive());
    const names = [...entries.keys()];
    expect(JSON.parse(entries.get(names[0]!)!.toString())).toEqual({ type: 'project-archive', format: 1 });
    const contents = JSON.parse(entries.get(names.at(-1)!)!.toString()) as {
      records: Record<string, { count: number }>;
    };
    const records = await recordsOf(await archive());
    for (const [kind, { count }] of Object.entries(contents.records)) {
      expect([kind, records.get(kind)?.length ?? 0]).toEqual([kind, count]);
    }
    // Only keys of agents write as agents, and only pushes add what commits say about issues.
    const empty = Object.entries(contents.records).flatMap(([kind, { count }]) =>
      count === 0 ? [kind] : [],
    );
    expect(empty).toEqual(['agent', 'issueCommit']);
  });

  it(
    'is the same, byte for byte, as another of the same data, also on another installation',
    async () => {
      const path = await archive();
      const bytes = readFileSync(path);
      expect(readFileSync(await archive()).equals(bytes)).toBe(true);
      const backup = folder.file(`${randomBytes(6).toString('hex')}.tar.gz`);
      await createBackup({ environment, storage: openStorage(environment), path: backup });
      const database = await createLastingTestDatabase();
      databases.push(database);
      const elsewhere = readEnvironment(settingsOf(database.url, randomBytes(6).toString('hex')));
      await restoreBackup({ environment: elsewhere, storage: openStorage(elsewhere), path: backup });
      expect(readFileSync(await archive(elsewhere)).equals(bytes)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it('has every record that another refers to', async () => {
    for (const projects of [undefined, [projectKey]]) {
      const { contents } = await checkArchive(await archive(environment, projects), await recordKinds());
      expect(contents.files.lost).toEqual([]);
    }
  });

  it('follows the schema', async () => {
    const schema = JSON.parse(readFileSync('docs/format.schema.json', 'utf8')) as {
      $defs: Record<string, object>;
    };
    const ajv = new Ajv2020({ strict: false });
    for (const [kind, rows] of await recordsOf(await archive())) {
      const validate = ajv.compile(schema.$defs[kind]!);
      for (const row of rows) expect([kind, validate(row), validate.errors]).toEqual([kind, true, null]);
    }
  });

  it('passes the check of a reader, and names all ids in its records', async () => {
    const kinds = await recordKinds();
    const path = await archive();
    const { contents, ids } = await checkArchive(path, kinds);
    expect(ids.get('issue')?.size).toBe(contents.records.issue!.count);
    const records = await recordsOf(path);
    const lost: string[] = [];
    for (const kind of kinds) {
      for (const record of records.get(kind.name) ?? []) {
        for (const { kind: target, id } of await idsIn(kind, record))
          if (typeof id === 'number' && !ids.get(target)?.has(id)) lost.push(`${target} ${id}`);
      }
    }
    // Activities outlive what they are about, and texts may mention anyone.
    expect(lost.filter((id) => /^(?:project|issueType|issueStatus|customField) /.test(id))).toEqual([]);
  });

  it('leaves out what is being removed, and what refers to it', async () => {
    const { api } = world.admin;
    const project = await world.addProject();
    const path = `/issues/${project.issueId}`;
    const { body: comment } = await api.post<{ id: number }>(`${path}/comments`, {
      content: 'To be removed',
    });
    await api.post('/stars', { commentId: comment.id });
    await api.post('/stars', { issueId: project.issueId });
    const [row] = await world.dataSource.query<{ threadId: number }[]>(
      'SELECT thread_id AS threadId FROM issue WHERE id = ?',
      [project.issueId],
    );
    const starsOf = async (): Promise<Row[]> =>
      (await recordsOf(await archive(environment, [project.key]))).get('star') ?? [];
    expect(await starsOf()).toHaveLength(2);
    await world.dataSource.query('INSERT INTO removed_thread (thread_id) VALUES (?)', [row!.threadId]);
    await world.dataSource.query('DELETE FROM issue WHERE id = ?', [project.issueId]);
    const records = await recordsOf(await archive(environment, [project.key]));
    expect([records.get('star'), records.get('comment')]).toEqual([undefined, undefined]);
    const threads = records.get('commentThread') ?? [];
    expect(threads.map(({ id }) => id)).not.toContain(row!.threadId);
    await checkArchive(await archive(environment, [project.key]), await recordKinds());
    await world.dataSource.query('DELETE FROM comment_thread WHERE id = ?', [row!.threadId]);
  });

  it('has the agents that have written, and only actions of commits that are done', async () => {
    const project = await world.addProject();
    const { api } = world.admin;
    const { body: comment } = await api.post<{ id: number }>(`/issues/${project.issueId}/comments`, {
      content: 'By an agent',
    });
    const { dataSource } = world;
    await dataSource.query(
      "INSERT INTO agent (key_id, name, key_name) VALUES (7000, 'Bot', 'Key'), (7001, 'Silent', 'Key')",
    );
    await dataSource.query('UPDATE comment SET agent_key_id = 7000 WHERE id = ?', [comment.id]);
    const commit =
      'INSERT INTO issue_commit (issue_id, hash, action, user_id, comment, pending_since) VALUES (?, ?, 0, 1, ?, ?)';
    await dataSource.query(commit, [project.issueId, 'done', '', null]);
    await dataSource.query(commit, [project.issueId, 'pending', 'To be added', Date.now()]);
    const path = await archive(environment, [project.key]);
    const records = await recordsOf(path);
    expect(records.get('agent')).toEqual([{ keyId: 7000, keyName: 'Key', name: 'Bot' }]);
    expect(records.get('issueCommit')).toEqual([
      {
        action: 0,
        agentKeyId: null,
        hash: 'done',
        id: expect.any(Number) as number,
        issueId: project.issueId,
        userId: 1,
      },
    ]);
    await checkArchive(path, await recordKinds());
    await dataSource.query('DELETE FROM issue_commit');
  });

  it('has mail addresses only in users, and of addresses of webhooks only the origin', async () => {
    const project = await world.addProject();
    const { body } = await world.admin.api.post<{ id: number }>(`/projects/${project.id}/webhooks`, {
      name: 'Secret',
      hookUrl: 'https://hooks.example.com/path-secret?token=query-secret',
      allEvent: true,
    });
    const entries = await entriesOf(await archive());
    const others = [...entries].filter(([name]) => !name.startsWith('records/user/'));
    const text = others.map(([, content]) => content.toString()).join('\n');
    expect(text).not.toMatch(/path-secret|query-secret/);
    expect(text).not.toMatch(/"mailAddress":"[^"]/);
    const records = await recordsOf(await archive());
    expect(records.get('webhook')?.find(({ id }) => id === body.id)?.hookUrl).toBe(
      'https://hooks.example.com',
    );
    expect(records.get('webhookHealth')?.find(({ webhookId }) => webhookId === body.id)).toEqual({
      webhookId: body.id,
      enabled: true,
    });
  });

  it('needs a database with all migrations of this version', async () => {
    const [last] = await world.dataSource.query<{ id: number; timestamp: number; name: string }[]>(
      'SELECT id, timestamp, name FROM migrations ORDER BY id DESC LIMIT 1',
    );
    const { id, timestamp, name } = last!;
    await world.dataSource.query('DELETE FROM migrations WHERE id = ?', [id]);
    await expect(archive()).rejects.toThrow(
      'The database lacks 1 migration of this version: run pms migrate',
    );
    const insert = 'INSERT INTO migrations (id, timestamp, name) VALUES (?, ?, ?)';
    await world.dataSource.query(insert, [id, timestamp, 'Later1999999999999']);
    await expect(archive()).rejects.toThrow('A newer version has migrated the database');
    await world.dataSource.query('DELETE FROM migrations WHERE id = ?', [id]);
    await world.dataSource.query(insert, [id, timestamp, name]);
    await archive();
  });

  it('refuses to be written with a record that it could not be read with', async () => {
    const { api } = world.admin;
    const project = await world.addProject();
    const page = { projectId: project.id, name: 'Long', content: 'x' };
    const { body: wiki } = await api.post<{ id: number }>('/wikis', page);
    const update = 'UPDATE wiki SET content = ? WHERE id = ?';
    await world.dataSource.query(update, ['x'.repeat(7 * 1024 * 1024), wiki.id]);
    await expect(archive(environment, [project.key])).rejects.toThrow(
      `The record wiki with the id ${wiki.id} is too large for an archive.`,
    );
    await world.dataSource.query(update, ['x', wiki.id]);
    await archive(environment, [project.key]);
  });

  it('contains the files', async () => {
    const path = await archive();
    const entries = await entriesOf(path);
    const attachments = (await recordsOf(path)).get('attachment') ?? [];
    expect(attachments.length).toBeGreaterThan(0);
    for (const { id, size } of attachments) {
      expect(entries.get(`files/${String(id)}`)?.length).toBe(size);
      expect(entries.get(`files/${String(id)}`)).toEqual(await storedContent(id as number));
    }
  });

  async function storedContent(id: number): Promise<Buffer> {
    const [row] = await world.dataSource.query<{ storageKey: string }[]>(
      'SELECT storage_key AS storageKey FROM attachment WHERE id = ?',
      [id],
    );
    return buffer(await openStorage(environment).read(row!.storageKey));
  }

  it('contains only the chosen projects, their people and their teams', async () => {
    const all = await recordsOf(await archive());
    const some = await recordsOf(await archive(environment, [projectKey]));
    expect(some.get('project')).toEqual([expect.objectContaining({ projectKey })]);
    expect(all.get('project')!.length).toBeGreaterThan(1);
    expect(some.get('user')!.length).toBeLessThan(all.get('user')!.length);
    const [{ id }] = some.get('project') as [{ id: number }];
    for (const kind of ['issue', 'wiki', 'document', 'activity', 'webhook', 'gitRepository', 'projectTeam']) {
      expect([kind, some.get(kind)!.every(({ projectId }) => projectId === id)]).toEqual([kind, true]);
    }
  });

  it('contains no secret, and only its owner may read it', async () => {
    const path = await archive();
    const text = [...(await entriesOf(path)).values()].join('\n');
    for (const [table, column] of [
      ['user', 'password_hash'],
      ['webhook', 'secret'],
      ['api_key', 'key_hash'],
      ['attachment', 'storage_key'],
    ] as const) {
      const rows = await world.dataSource.query<Record<string, string | null>[]>(
        `SELECT ${column} AS value FROM \`${table}\` WHERE ${column} IS NOT NULL`,
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter(({ value }) => text.includes(value!))).toEqual([]);
    }
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('names a file whose content is lost', async () => {
    const attachment = await world.addUpload(world.admin, 'lost');
    await world.admin.api.post(`/issues`, {
      ...(await anIssueOf(projectKey)),
      attachmentId: [attachment],
    });
    const [row] = await world.dataSource.query<{ storageKey: string }[]>(
      'SELECT storage_key AS storageKey FROM attachment WHERE id = ?',
      [attachment],
    );
    const key = row!.storageKey;
    const stored = [
      `${folder.file('files')}/${key}`,
      `${folder.file('files')}/${key.slice(0, 2)}/${key}`,
    ].find((file) => existsSync(file));
    rmSync(stored!);
    const path = newPath();
    const { exitCode, stderr } = await commands.run(['export', path], settings);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`lacks the contents of file ${attachment}:`),
    ]);
    const { contents } = await checkArchive(path, await recordKinds());
    expect(contents.files.lost).toEqual([attachment]);
    await world.dataSource.query('DELETE FROM issue_attachment WHERE attachment_id = ?', [attachment]);
  });

  async function anIssueOf(key: string): Promise<object> {
    const { body: project } = await world.admin.api.get<{ id: number }>(`/projects/${key}`);
    const { body: types } = await world.admin.api.get<{ id: number }[]>(`/projects/${key}/issueTypes`);
    return { projectId: project.id, summary: 'An issue', issueTypeId: types[0]!.id, priorityId: 3 };
  }

  describe('pms export', () => {
    const pms = (...words: string[]) => commands.run(words, settings);

    it('writes the projects beside the running service', async () => {
      const path = newPath();
      const result = await pms('export', path, '--project', projectKey);
      expect(result).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('1 project, ') as unknown,
      });
      expect(result.stderr).toContain('It is not encrypted');
      expect((await recordsOf(path)).get('project')).toHaveLength(1);
    });

    it('refuses a file that exists and a project that does not, and leaves nothing behind', async () => {
      const path = await archive();
      expect(await pms('export', path)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('already exists') as unknown,
      });
      const other = newPath();
      expect(await pms('export', other, '--project', 'NONE')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('There is no project NONE.') as unknown,
      });
      expect([existsSync(other), existsSync(`${other}.partial`)]).toEqual([false, false]);
    });
  });
});

describeWithGit('an archive of git repositories', () => {
  const folder = new TemporaryFolder();
  let database: LastingTestDatabase;
  let world: World;
  let work: GitFolder;
  let environment: Environment;

  beforeAll(async () => {
    work = await GitFolder.make();
    database = await createLastingTestDatabase();
    await applyTemplate(database.url);
    const settings = {
      ...WITH_GIT,
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${folder.file('files')}`,
      GIT_ROOT: folder.file('git'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    environment = readEnvironment(settings);
    world = await World.start(settings);
    await world.stopDeliveries();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await world.stop();
    await database.drop();
    folder.remove();
    await work.remove();
  });

  /** Adds a repository with a commit to a new project. */
  async function addRepository(): Promise<{ projectKey: string; id: number; commit: string }> {
    const project = await world.addProject();
    const path = `/projects/${project.id}/git/repositories`;
    const { body } = await world.admin.api.post<{ id: number }>(path, { name: 'web' });
    await world.whenIdle();
    const bare = world.service(GitStore).folderOf(body.id);
    await work.git('clone', '--quiet', bare, `${body.id}`);
    const clone = work.in(`${body.id}`);
    writeFileSync(`${clone.path}/file`, 'content');
    await clone.git('add', '.');
    await clone.git('commit', '--quiet', '-m', 'A commit');
    await clone.git('push', '--quiet', 'origin', 'HEAD:main');
    const commit = (await clone.git('rev-parse', 'HEAD')).trim();
    return { projectKey: project.key, id: body.id, commit };
  }

  it('contains the bundle of each repository of the chosen projects, which git can clone', async () => {
    const { projectKey, id, commit } = await addRepository();
    const other = await addRepository();
    const path = folder.file('some.pms');
    const storage = openStorage(environment);
    const { repositories } = await createArchive({ environment, storage, path, projects: [projectKey] });
    // The first repository of each project is empty, and has no bundle.
    expect(repositories).toMatchObject({ count: 2, lost: [] });
    const bundles = new Map<string, Buffer[]>();
    for await (const { path: name, content } of readArchive(path)) {
      const repository = /^repositories\/(\d+)\/\d+\.bundle$/.exec(name)?.[1];
      if (repository === undefined) continue;
      const parts = bundles.get(repository) ?? [];
      for await (const part of content()) parts.push(part);
      bundles.set(repository, parts);
    }
    expect([...bundles.keys()]).toEqual([String(id)]);
    expect(bundles.has(String(other.id))).toBe(false);
    writeFileSync(`${work.path}/web.bundle`, Buffer.concat(bundles.get(String(id))!));
    await work.git('clone', '--quiet', 'web.bundle', 'copy');
    expect((await work.in('copy').git('rev-parse', 'HEAD')).trim()).toBe(commit);
  });

  it('leaves the repositories out on demand', async () => {
    await addRepository();
    const path = folder.file('without.pms');
    const storage = openStorage(environment);
    const { repositories } = await createArchive({ environment, storage, path, isWithoutRepositories: true });
    expect(repositories).toMatchObject({ count: 0, isLeftOut: true });
  });
});
