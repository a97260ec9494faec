import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openStorage } from '../../src/attachments/open-storage';
import { readEnvironment } from '../../src/config/environment';
import { createDataSource } from '../../src/database/connections/data-source';
import { type RepairResult } from '../../src/doctor/repairs/run-repairs';
import { type Finding } from '../../src/doctor/finding';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { NOBODY } from '../../src/git/git-pools';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { ApiClient } from '../support/api';
import { Applications } from '../support/applications';
import { Child } from '../support/child';
import { isEmbedded, itOnEmbedded } from '../support/engines';
import { describeWithGit, WITH_GIT } from '../support/git';
import { type CommandResult, Commands } from '../support/pms';
import { type Environment } from '../support/world';

const ADMIN_KEY = 'key-of-the-administrator-0123456789';
/** A time long ago, in seconds since 1970. */
const LONG_AGO = 1_600_000_000;

describe('pms doctor --fix', () => {
  const applications = new Applications();
  const commands = new Commands();
  let settings: Environment;
  let storageFolder: string;
  let gitRoot: string;
  let service: Child | undefined;
  let api: ApiClient;

  beforeEach(async () => {
    await applications.setUp();
    settings = { PORT: '0', ADMIN_API_KEY: ADMIN_KEY, ...applications.settings, DEMO_DATA: 'true' };
    storageFolder = (settings.STORAGE_URL as string).slice('file:'.length);
    gitRoot = settings.GIT_ROOT as string;
    const app = await applications.create({ ADMIN_API_KEY: ADMIN_KEY, DEMO_DATA: 'true' });
    await app.get(FirstStartService).run();
    await applications.close();
  });
  afterEach(async () => {
    await service?.kill();
    service = undefined;
    await applications.tearDown();
  });
  afterAll(() => commands.stop());

  const pms = (...words: string[]): Promise<CommandResult> => commands.run(words, settings);

  async function start(): Promise<void> {
    service = new Child('run-service', JSON.stringify(settings));
    for (;;) {
      const line = await service.nextLine();
      if (line === undefined) throw new Error('The service did not start.');
      const address = /^ *Service +(http:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      api = new ApiClient(address, ADMIN_KEY);
      return;
    }
  }

  /** Runs statements without checks of references, while no service has the embedded database open. */
  async function onDatabase<T = unknown>(...statements: string[]): Promise<T[]> {
    const dataSource = await createDataSource(readEnvironment(settings), []).initialize();
    const queryRunner = dataSource.createQueryRunner();
    let rows: T[] = [];
    try {
      await queryRunner.query(isEmbedded ? 'PRAGMA foreign_keys = OFF' : 'SET foreign_key_checks = 0');
      for (const sql of statements) rows = (await queryRunner.query(sql)) as T[];
      await queryRunner.query(isEmbedded ? 'PRAGMA foreign_keys = ON' : 'SET foreign_key_checks = 1');
    } finally {
      await queryRunner.release();
      await dataSource.destroy();
    }
    return rows;
  }

  const fix = async (...options: string[]): Promise<RepairResult[]> =>
    JSON.parse((await pms('doctor', '--fix', '--json', ...options)).stdout) as RepairResult[];

  /** Returns what `pms doctor` complains about, apart from what it cannot repair here. */
  async function complaints(): Promise<string[]> {
    const { stdout } = await pms('doctor', '--json');
    return (JSON.parse(stdout) as Finding[])
      .filter(({ level, check }) => level !== 'ok' && !['durability', 'git', 'permissions'].includes(check))
      .map(({ check, message }) => `${check}: ${message}`);
  }

  /** Makes a file or a folder look old. */
  const age = (path: string): Promise<void> => utimes(path, LONG_AGO, LONG_AGO);

  async function addOrphanFile(): Promise<string> {
    const storage = openStorage(readEnvironment(settings));
    const key = storage.newKey();
    await storage.write(key, Readable.from(['content']));
    return key;
  }

  const pathOf = (key: string): string => join(storageFolder, key.slice(0, 2), key);
  const databaseFile = (): string => (settings.DATABASE_URL as string).slice('sqlite:'.length);
  const repositoryFolder = (id: number): string =>
    join(gitRoot, 'repositories', String(id % 100).padStart(2, '0'), `${id}.git`);

  async function addGitFolder(id: number): Promise<string> {
    const folder = repositoryFolder(id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'config'), '');
    return folder;
  }

  /** Plants one fault of each kind. @returns what the dry run has to say, by check */
  async function plantFaults(): Promise<[check: string, fault: RegExp][]> {
    await onDatabase(
      "UPDATE project_counter SET used = used + 3 WHERE name = 'status'",
      "UPDATE project_counter SET last_number = 0 WHERE name = 'issue'",
      "UPDATE issue_type SET display_order = 41 WHERE name = 'Other'",
      "DELETE FROM project_counter WHERE name = 'wiki'",
      'UPDATE project_member SET team_count = 7 WHERE user_id = 2',
      'INSERT INTO `user` (id, user_id, name, role_type, lang, mail_address, last_login_time, created, vendor_id, vendor_name, vendor_unique_id)' +
        " VALUES (31, 'kim', 'Kim', 2, 'en', 'kim@example.com', 1, 1, 'v31', 'Kim', 'kim')," +
        " (32, 'lou', 'Lou', 2, 'en', 'lou@example.com', 1, 1, 'v32', 'Lou', 'lou')",
      'INSERT INTO team_member (team_id, user_id) SELECT MIN(id), 31 FROM team',
      'INSERT INTO project_member (project_id, user_id, project_administrator, created, direct, team_count)' +
        ' SELECT id, 32, 0, 1, 0, 0 FROM project',
      'INSERT INTO issue_category (issue_id, category_id) VALUES (987654, 987654)',
      'UPDATE issue SET parent_issue_id = 987654',
      'UPDATE space SET used_bytes = used_bytes + 1000',
    );
    await age(pathOf(await addOrphanFile()));
    const incomplete = join(storageFolder, 'partial', randomUUID());
    await writeFile(incomplete, 'cont');
    await age(incomplete);
    await age(await addGitFolder(987));
    await mkdir(join(gitRoot, 'restore'));
    await age(join(gitRoot, 'restore'));
    if (isEmbedded) {
      for (const part of ['', '-wal', '.lock']) await writeFile(`${databaseFile()}.restore${part}`, 'part');
    }
    return [
      ...(isEmbedded
        ? [
            ['restore', /A restore that began before this database was created was killed/] as [
              string,
              RegExp,
            ],
          ]
        : []),
      ['restore', /restore: to be removed\.$/],
      [
        'references',
        /^1 row of issue without their issue \(parent_issue_id\): the reference is to be cleared\.$/,
      ],
      ['references', /^1 row of issue_category without their category \(category_id\): to be deleted\.$/],
      ['references', /^1 row of issue_category without their issue \(issue_id\): to be deleted\.$/],
      ['memberships', /^The membership of the user 2 in DEMO counts 7 teams, but there are 1\.$/],
      ['memberships', /^The user 32 is a member of DEMO only through teams, but in none: to be removed\.$/],
      ['memberships', /^The user 31 is not a member of DEMO, but their team is: to be added\.$/],
      ['counters', /^issue of DEMO would assign 1 next, but 1 exists\.$/],
      ['counters', /^issueType of DEMO would assign 5 next, but 42 exists\.$/],
      ['counters', /^status of DEMO counts 8, and there are 5\.$/],
      ['counters', /^wiki of DEMO counts 0, and there are 1\.$/],
      ['rows of files', /^The file [\w-]+ \(7 bytes\) has no row: to be removed\.$/],
      ['rows of files', /^The file [\w-]+ \(4 bytes\) has no row: to be removed\.$/],
      ['git orphans', /^The folder of the git repository 987 has no row: /],
      ['used storage', /bytes are counted; there are [\d,]+\.$/],
    ];
  }

  const matching = (faults: readonly [string, RegExp][], state: string): unknown[] =>
    faults.map(([check, fault]): unknown =>
      expect.objectContaining({ check, fault: expect.stringMatching(fault) as unknown, state }),
    );

  it('lists faults without changes in a dry run, and then repairs each of them', async () => {
    expect(await complaints()).toEqual([]);
    const faults = await plantFaults();
    const before = await complaints();
    const planned = await fix('--dry-run');
    expect(planned.filter(({ state }) => state !== 'note')).toHaveLength(faults.length);
    expect(planned).toContainEqual({
      check: 'rows of files',
      fault: expect.stringMatching(/^Run --fix only if this is the database that you will keep: /) as unknown,
      state: 'note',
    });
    for (const fault of matching(faults, 'found')) expect(planned).toContainEqual(fault);
    expect(await complaints()).toEqual(before);
    const mended = await fix();
    // A row with two missing parents is gone with the first.
    const gone = mended.filter(({ state }) => state === 'gone');
    expect(gone.map(({ check }) => check)).toEqual(['references']);
    expect(mended.filter(({ state }) => state === 'mended')).toHaveLength(faults.length - 1);
    expect(await complaints()).toEqual([]);
    expect(await pms('doctor', '--fix')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Found no faults.\n',
    });
    expect(existsSync(`${databaseFile()}.restore.lock`)).toBe(false);
    expect(await readdir(join(gitRoot, 'orphans'))).toHaveLength(1);
    expect(await readdir(join(storageFolder, 'partial'))).toEqual([]);
    await start();
    const { body: issue } = await api.get('/issues/DEMO-1');
    expect(issue.parentIssueId).toBeNull();
    const fields = { projectId: issue.projectId, issueTypeId: issue.issueType.id, priorityId: 3 };
    const added = await api.post('/issues', { ...fields, summary: 'The next' });
    expect(added.body).toMatchObject({ issueKey: 'DEMO-2' });
    const { body: members } = await api.get<{ userId: string }[]>('/projects/DEMO/users');
    expect(members.map(({ userId }) => userId)).toEqual(expect.arrayContaining(['admin', 'dana', 'kim']));
    expect(members.map(({ userId }) => userId)).not.toContain('lou');
  });

  it('prints a line for each fault', async () => {
    await onDatabase("UPDATE project_counter SET used = used + 3 WHERE name = 'status'");
    expect(await pms('doctor', '--dry-run')).toEqual({
      exitCode: 0,
      stdout: 'to do   counters: status of DEMO counts 8, and there are 5.\n',
      stderr:
        '1 fault to repair. Run pms doctor --fix, which also repairs faults that follow from a repair.\n',
    });
    expect(await pms('doctor', '--fix')).toEqual({
      exitCode: 0,
      stdout: 'fixed   counters: status of DEMO counts 8, and there are 5.\n',
      stderr: 'Done: 1 fault.\n',
    });
  });

  it('repairs beside a running service that writes', async () => {
    const faults = await plantFaults();
    await start();
    const { body: issue } = await api.get('/issues/DEMO-1');
    const fields = { projectId: issue.projectId, issueTypeId: issue.issueType.id, priorityId: 3 };
    // With the planted counter, a new issue would get the number of an existing one.
    const counters = faults.filter(([check]) => check === 'counters');
    const planned = await fix('--dry-run');
    for (const fault of matching(counters, 'found')) expect(planned).toContainEqual(fault);
    let isMending = true;
    const write = async (): Promise<number[]> => {
      const statuses: number[] = [];
      while (isMending) {
        statuses.push(
          (await api.post('/wikis', { projectId: issue.projectId, name: randomUUID(), content: '' })).status,
        );
      }
      return statuses;
    };
    const writers = [write(), write()];
    const mended = await fix();
    isMending = false;
    const statuses = (await Promise.all(writers)).flat();
    expect([...new Set(statuses)]).toEqual([201]);
    expect(mended.filter(({ state }) => state === 'left')).toEqual([]);
    expect(await complaints()).toEqual([]);
    expect((await api.post('/issues', { ...fields, summary: 'The next' })).body.issueKey).toBe('DEMO-2');
  });

  it('leaves recent files and rows with content of their own', async () => {
    const key = await addOrphanFile();
    await addGitFolder(987);
    await mkdir(join(gitRoot, 'restore'));
    await onDatabase('UPDATE comment SET created_user_id = 987654');
    const { exitCode, stdout, stderr } = await pms('doctor', '--fix', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '2 faults left.\n' });
    expect(JSON.parse(stdout)).toEqual([
      {
        check: 'references',
        fault: expect.stringMatching(
          /^\d+ rows? of comment without their user \(created_user_id\)\.$/,
        ) as unknown,
        state: 'left',
        reason: 'The rows have content of their own: restore a backup.',
      },
      expect.objectContaining({
        check: 'git orphans',
        state: 'left',
        reason: 'It has changed within the last ten minutes: try again later.',
      }),
    ]);
    expect(existsSync(pathOf(key))).toBe(true);
    expect(existsSync(repositoryFolder(987))).toBe(true);
    expect(existsSync(join(gitRoot, 'restore'))).toBe(true);
  });

  it.each(['project', 'comment_thread'])('deletes nothing when the rows of %s are lost', async (parent) => {
    const tables = [
      'issue',
      'wiki',
      'document',
      'comment_thread',
      'comment',
      'project_member',
      'git_repository',
    ];
    const counts = tables.map((table) => `(SELECT COUNT(*) FROM ${table}) AS ${table}`).join(', ');
    await onDatabase(`DELETE FROM ${parent}`);
    const before = await onDatabase(`SELECT ${counts}`);
    const results = (await fix()).filter(({ check }) => check === 'references');
    expect(results.length).toBeGreaterThan(0);
    expect([...new Set(results.map(({ state }) => state))]).toEqual(['left']);
    expect(await onDatabase(`SELECT ${counts}`)).toEqual(before);
  });

  it('removes no file when most lack a row or a row names a foreign file', async () => {
    const [{ key }] = (await onDatabase<{ key: string }>(
      'SELECT MIN(storage_key) AS `key` FROM attachment',
    )) as [{ key: string }];
    const orphan = await addOrphanFile();
    await age(pathOf(orphan));
    await onDatabase(`UPDATE attachment SET storage_key = '../${key}' WHERE storage_key = '${key}'`);
    await age(pathOf(key));
    expect(await fix()).toEqual([
      expect.objectContaining({
        check: 'rows of files',
        state: 'left',
        fault: expect.stringMatching(/^A row refers to /) as unknown,
      }),
    ]);
    await onDatabase(`UPDATE attachment SET storage_key = '${key}' WHERE storage_key = '../${key}'`);
    for (let count = 0; count < 10; count++) await age(pathOf(await addOrphanFile()));
    expect(await fix()).toEqual([
      expect.objectContaining({
        check: 'rows of files',
        state: 'left',
        fault: expect.stringMatching(
          /^11 files without a row, and only 5 with one: is this the database/,
        ) as unknown,
      }),
    ]);
    expect(existsSync(pathOf(orphan)) && existsSync(pathOf(key))).toBe(true);
  });

  it('moves the leftover file of an installation without files to the orphans', async () => {
    const orphan = await addOrphanFile();
    await age(pathOf(orphan));
    await onDatabase(
      'DELETE FROM issue_attachment',
      'DELETE FROM wiki_attachment',
      'DELETE FROM document_attachment',
      'DELETE FROM attachment',
    );
    const rows = (await fix()).filter(({ check, state }) => check === 'rows of files' && state !== 'note');
    expect(rows.map(({ state }) => state)).toEqual(['mended']);
    expect(existsSync(pathOf(orphan))).toBe(false);
    const kept = join(storageFolder, 'orphans', orphan);
    expect(await readFile(kept, 'utf8')).toBe('content');
    expect(Date.now() - (await stat(kept)).mtimeMs).toBeLessThan(3_600_000);
  });

  it('checks each fault again before it repairs it', async () => {
    await onDatabase("UPDATE project_counter SET used = used + 3 WHERE name = 'status'");
    const [{ id }] = (await onDatabase<{ id: number }>('SELECT id FROM project')) as [{ id: number }];
    const subjects = JSON.stringify([
      { projectId: id, name: 'status' },
      { projectId: 987654, name: 'status' },
    ]);
    expect(await pms('mend', 'counters', subjects)).toMatchObject({
      exitCode: 0,
      stdout: '{"state":"mended"}\n{"state":"gone"}\n',
    });
    for (const [check, subject] of [
      ['counters', [{ projectId: id, name: 'status' }]],
      ['memberships', [{ projectId: id, userId: 2 }]],
      ['memberships', [{ projectId: id, userId: 987654 }]],
      ['used storage', [null]],
      ['rows of files', [randomUUID()]],
      ['git orphans', [987654]],
      ['restore', ['repositories']],
      ['references', [{ table: 'issue_category', column: 'issue_id', rows: [[1, 1]] }]],
      ['references', [{ table: 'no_table', column: 'x', rows: [[1]] }]],
    ] as const) {
      expect(await pms('mend', check, JSON.stringify(subject))).toMatchObject({
        exitCode: 0,
        stdout: '{"state":"gone"}\n',
      });
    }
    expect(await complaints()).toEqual([]);
  });

  describeWithGit('with a git repository', () => {
    it('points a damaged ref at the last recorded commit', async () => {
      settings = { ...settings, ...WITH_GIT };
      const environment = readEnvironment(settings);
      const git = new GitProgram(environment);
      const [{ id }] = (await onDatabase<{ id: number }>('SELECT id FROM git_repository')) as [
        { id: number },
      ];
      const folder = await new GitStore(environment, git).open(id);
      const options = { repository: folder, userId: NOBODY };
      const tree = await git.text(['mktree'], options);
      const hash = await git.text(['commit-tree', tree, '-m', 'First'], {
        ...options,
        config: { 'user.name': 'Kim', 'user.email': 'kim@example.com' },
      });
      const ref = join(folder, 'refs/heads/main');
      await writeFile(ref, '');
      await onDatabase(
        `INSERT INTO git_ref (repository_id, name, hash) VALUES (${id}, 'refs/heads/main', '${hash}')`,
      );
      const fault = `refs/heads/main of the git repository ${id} is damaged: to be set to ${hash}.`;
      expect(await fix('--dry-run')).toEqual([{ check: 'git refs', fault, state: 'found' }]);
      expect(await fix()).toEqual([{ check: 'git refs', fault, state: 'mended' }]);
      expect(await readFile(ref, 'utf8')).toBe(`${hash}\n`);
      expect(await complaints()).toEqual([]);
    });
  });

  itOnEmbedded('refuses to run until a killed restore is completed', async () => {
    const draft = `${databaseFile()}.missing`;
    await writeFile(`${draft}.restore`, 'part');
    settings = { ...settings, DATABASE_URL: `sqlite:${draft}` };
    expect(await pms('doctor', '--fix')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^A restore into .* has not finished: /) as unknown,
    });
    expect(existsSync(`${draft}.restore`)).toBe(true);
  });
});
