import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpAdapterHost } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DataSource } from 'typeorm';
import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { openStorage } from '../../src/attachments/open-storage';
import { readEnvironment } from '../../src/config/environment';
import { migrations } from '../../src/database/migrations';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { isEncryptionKey } from '../../src/encryption/encryption-keys';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { SampleProjectsService } from '../../src/first-start/sample-projects.service';
import { type ServiceAdapter } from '../../src/http/server/service-adapter';
import { type ExportLine } from '../../src/project-export/project-export.service';
import { type UserAccount } from '../../src/users/user-accounts.service';
import { ApiClient } from '../support/api';
import { Applications } from '../support/applications';
import { makeCertificate, storeCertificate } from '../support/certificates';
import { itOnEmbedded, itOnServer } from '../support/engines';
import { Child } from '../support/child';
import { type CommandResult, Commands } from '../support/pms';
import { withoutUses } from '../support/without-uses';
import { type Environment } from '../support/world';

const ADMIN_KEY = 'key-of-the-administrator-0123456789';
/** More than an export reads at once. */
const ISSUES = 52;
const COMMENTS = 22;

describe('the program pms', () => {
  const applications = new Applications();
  const commands = new Commands();
  let folder: string;
  let client: ApiClient;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pms-commands-'));
    await applications.setUp();
    await start();
    await applications.close();
  });
  afterEach(() => applications.close());
  afterAll(async () => {
    await commands.stop();
    await applications.tearDown();
    await rm(folder, { recursive: true, force: true });
  });

  const pms = (words: string, settings: Environment = {}): Promise<CommandResult> =>
    commands.run(words.split(' '), { PORT: '0', ...applications.settings, ...settings });

  /** Starts a service on the database, which `client` calls as the administrator. */
  async function start(): Promise<NestExpressApplication> {
    const app = await applications.create({ ADMIN_API_KEY: ADMIN_KEY, DEMO_DATA: 'true' });
    await app.get(FirstStartService).run();
    await app.listen(0, '127.0.0.1');
    origin = `${await app.getUrl()}/api/v2`;
    client = new ApiClient(origin, ADMIN_KEY);
    return app;
  }

  const withKey = async (key: string): Promise<number> => {
    const { status } = await new ApiClient(origin, key).get('/users/myself');
    return status;
  };

  /** The result of a failed command: one line on the standard error, and no output. */
  const failure = (line: RegExp): object => ({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^${line.source}\\n$`)) as unknown,
  });

  const done = { exitCode: 0 };

  it('prints its version and commands, and exits with 2 for wrong usage', async () => {
    const { version } = JSON.parse(await readFile(join(__dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    const [shown, help, unknown, incomplete, bare] = await Promise.all(
      ['--version', '--help', 'launch', 'user add robin', 'key'].map((words) => pms(words)),
    );
    expect(shown).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    for (const name of ['serve', 'user', 'key', 'migrate', 'rotate-encryption', 'project']) {
      expect(help?.stdout).toMatch(new RegExp(`^  ${name} +[a-z]`, 'm'));
    }
    expect(unknown).toEqual({ exitCode: 2, stdout: '', stderr: "error: unknown command 'launch'\n" });
    expect(incomplete).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--mail') as unknown });
    expect(bare).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('revoke') as unknown });
  });

  it('exits with the code of the command and prints only its result', async () => {
    const run = async (words: string): Promise<unknown> => {
      const child = new Child('run-pms', JSON.stringify(applications.settings), ...words.split(' '));
      return { lines: await child.restOfLines(), outcome: await child.outcome() };
    };
    const [listed, refused, misused] = await Promise.all(
      ['user list', 'user disable nobody', 'user remove admin'].map(run),
    );
    expect(listed).toMatchObject({
      outcome: [0, null],
      lines: [expect.stringMatching(/^ID +User/), expect.anything(), expect.anything()],
    });
    expect(refused).toEqual({ outcome: [1, null], lines: [] });
    expect(misused).toEqual({ outcome: [2, null], lines: [] });
  });

  it('names invalid settings and a missing database, and creates none', async () => {
    const missing = `sqlite:${join(folder, 'missing', 'service.db')}`;
    expect(await pms('user list', { DATABASE_URL: missing })).toEqual(
      failure(/There is no database .*DATABASE_URL.*/),
    );
    expect(await readdir(folder)).toEqual([]);
    expect(await pms('user list', { PORT: 'http' })).toEqual(failure(/Bad setting: PORT .*/));
  });

  it('adds a working key, lists keys without their text, and revokes one', async () => {
    const added = await pms('key add admin --name Lost');
    expect(added).toMatchObject({ ...done, stdout: expect.stringMatching(/^pms_\w{49}\n$/) as unknown });
    const id = Number(/Key (\d+) of the user admin/.exec(added.stderr)?.[1]);
    const listed = await pms('key list admin --json');
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ id, name: 'Lost', lastUsed: null }),
    );
    expect(listed.stdout).not.toContain('pms_');
    await start();
    expect(await withKey(added.stdout.trim())).toBe(200);
    await applications.close();
    expect(await pms(`key revoke admin ${id}`)).toEqual({
      exitCode: 0,
      stdout: `Revoked the key ${id} of the user admin.\n`,
      stderr: '',
    });
    await start();
    expect(await withKey(added.stdout.trim())).toBe(401);
  });

  it('adds a key with limits, and lists them', async () => {
    const added = await pms(
      'key add admin --name Laptop --scopes read,write:issues --projects DEMO --agent Claude --expires 2040-01-31T00:00:00Z',
    );
    expect(added).toMatchObject({ ...done, stdout: expect.stringMatching(/^pms_\w{49}\n$/) as unknown });
    const { stdout } = await pms('key list admin');
    expect(stdout).toMatch(/Laptop +read,write:issues +DEMO +Claude +\S+ +2040-01-31T00:00:00Z +never/);
    expect(stdout).toMatch(/First key +unlimited +all +\S+ +never/);
    expect(await pms('key add admin --scopes everything')).toEqual(failure(/scopes must be .*/));
    expect(await pms('key add admin --expires tomorrow')).toEqual(failure(/expires must be .*/));
    expect(await pms('key add admin --projects NOWHERE')).toEqual(failure(/There is no project "NOWHERE"\./));
    await start();
    expect(await withKey(added.stdout.trim())).toBe(200);
  });

  it('refuses to disable the last Administrator or revoke their last key', async () => {
    const { stdout } = await pms('key list admin --json');
    const [{ id } = { id: 0 }] = JSON.parse(stdout) as { id: number }[];
    expect(await pms(`key revoke admin ${id}`)).toEqual(
      failure(/The last API key without limits of the last Administrator .*/),
    );
    expect(await pms('user disable admin')).toEqual(
      failure(
        /The last Administrator with an API key without limits cannot be removed, disabled or given another role\./,
      ),
    );
    expect(await pms('user disable nobody')).toEqual(failure(/There is no user "nobody"\..*/));
    await start();
    expect(await withKey(ADMIN_KEY)).toBe(200);
  });

  it('adds, disables and enables a user', async () => {
    const added = await pms('user add robin --mail robin@example.com --role reporter --json');
    expect(added).toMatchObject(done);
    const [robin] = JSON.parse(added.stdout) as [UserAccount];
    expect(robin).toMatchObject({
      userId: 'robin',
      name: 'robin',
      roleType: 3,
      disabled: false,
      lastUsed: null,
    });
    expect((await pms('user list')).stdout).toMatch(/^\d+ +robin +.* {2}never$/m);
    const key = (await pms('key add robin')).stdout.trim();
    expect(await pms('user add robin --mail a@example.com')).toEqual(
      failure(/Another user has this userId\./),
    );
    expect(await pms('user add sam --mail nowhere')).toEqual(failure(/mailAddress must be a mail address.*/));
    expect(await pms('user disable robin')).toEqual({
      exitCode: 0,
      stdout: 'Disabled robin: their sessions have ended, and their API keys no longer work.\n',
      stderr: '',
    });
    expect((await pms('user list')).stdout).toMatch(
      /^\d+ +robin +robin +reporter +disabled +robin@example\.com/m,
    );
    await start();
    expect(await withKey(key)).toBe(401);
    const { body: entries } = await client.get<AuditLogEntryDto[]>('/space/auditLog');
    expect(entries.slice(0, 3).map(({ action, actorName }) => [action, actorName])).toEqual([
      ['user.disable', 'command line'],
      ['apiKey.add', 'command line'],
      ['user.add', 'command line'],
    ]);
    expect((await client.get<object[]>('/users')).body).toContainEqual(
      expect.objectContaining({ id: robin.id, userId: 'robin' }),
    );
    await applications.close();
    expect(await pms('user enable robin')).toMatchObject(done);
    await start();
    expect(await withKey(key)).toBe(200);
    await applications.close();
    const { stdout: users } = await pms('user list --json');
    const used = (JSON.parse(users) as UserAccount[]).find(({ userId }) => userId === 'robin');
    expect(used?.lastUsed).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('prints a link with which a user sets a password, once', async () => {
    expect(await pms('user add lou --mail lou@example.com')).toMatchObject(done);
    expect(await pms('user login-link nobody')).toEqual(failure(/There is no user "nobody"\..*/));
    expect((await pms('user login-link lou --without-second-factor')).exitCode).toBe(0);
    const { exitCode, stdout } = await pms('user login-link lou');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^http:\S+\/password\/[\w-]{43}\n$/) as unknown,
    });
    await start();
    const submit = async (): Promise<string> => {
      const answer = await fetch(new URL(new URL(stdout).pathname, origin), {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ newPassword: 'correct horse battery staple' }),
        redirect: 'manual',
      });
      return `${answer.status} ${answer.headers.get('location')}`;
    };
    expect(await submit()).toBe('303 /account');
    expect(await submit()).toBe('404 null');
    const { body: entries } = await client.get<AuditLogEntryDto[]>('/space/auditLog?count=4');
    expect(entries.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['session.add', 'lou'],
      ['user.update', 'lou'],
      ['passwordLink.add', 'command line'],
      ['passwordLink.add', 'command line'],
    ]);
    const [ofSecond, ofFirst] = entries.slice(2).map(({ changes }) => changes);
    expect(ofSecond).toEqual([]);
    expect(ofFirst).toEqual([{ field: 'withoutSecondFactor', from: null, to: 'true' }]);
  });

  itOnServer('disables a user in a running service once its cached key expires', async () => {
    expect(await pms('user add alex --mail alex@example.com')).toMatchObject(done);
    const key = (await pms('key add alex')).stdout.trim();
    await start();
    expect(await withKey(key)).toBe(200);
    expect(await pms('user disable alex')).toMatchObject(done);
    while ((await withKey(key)) === 200) await sleep(100);
    expect(await withKey(key)).toBe(401);
    expect(await pms('user enable alex')).toMatchObject(done);
    expect(await withKey(key)).toBe(200);
  });

  itOnEmbedded('reads beside a service without a command socket and refuses to write', async () => {
    await start();
    const reads = ['user list', 'key list admin', 'migrate --check', 'project export DEMO'];
    for (const { exitCode } of await Promise.all(reads.map((words) => pms(words)))) expect(exitCode).toBe(0);
    const keys = async (): Promise<number[]> =>
      (await client.get<{ id: number }[]>('/users/1/apiKeys')).body.map(({ id }) => id);
    const before = await keys();
    const writes = ['user add kim --mail kim@example.com', 'key add admin', 'migrate', 'rotate-encryption'];
    for (const result of await Promise.all(writes.map((words) => pms(words)))) {
      expect(result).toEqual(failure(/.* is in use by a running service: stop the service, .*/));
    }
    const { body } = await client.get<{ userId: string }[]>('/users');
    expect(body.map(({ userId }) => userId)).not.toContain('kim');
    expect(await keys()).toEqual(before);
  });

  it('names missing migrations and refuses the schema of another version', async () => {
    const app = await start();
    const newest = new (migrations.at(-1) as (typeof migrations)[number])().name as string;
    await app.get(DataSource).query('DELETE FROM migrations WHERE name = ?', [newest]);
    expect(await pms('migrate --check')).toEqual({
      exitCode: 1,
      stdout: `${newest}\n`,
      stderr: 'Missing: 1 migration. Run pms migrate.\n',
    });
    const listed = await pms('migrate --check --json');
    expect({ ...listed, stdout: JSON.parse(listed.stdout) as unknown }).toEqual({
      exitCode: 1,
      stdout: [newest],
      stderr: 'Missing: 1 migration. Run pms migrate.\n',
    });
    expect(await pms('user list')).toEqual(failure(/The database lacks 1 migration .*pms migrate.*/));
    await app.get(DataSource).query('INSERT INTO migrations (timestamp, name) VALUES (1, ?)', [newest]);
    expect(await pms('migrate --check')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await pms('migrate --check --json')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  itOnEmbedded('migrates an empty database without creating a space', async () => {
    const file = join(folder, 'empty.db');
    await writeFile(file, '');
    const settings = { DATABASE_URL: `sqlite:${file}` };
    const { exitCode, stdout } = await pms('migrate', settings);
    expect(exitCode).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(migrations.length);
    expect(await pms('migrate', settings)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await pms('user list', settings)).toEqual(
      failure(/The database is empty: start the service once\./),
    );
  });

  it('encrypts secrets again with a new key and reports their number', async () => {
    const { stdout } = await pms('rotate-encryption --generate');
    expect(isEncryptionKey(stdout)).toBe(true);
    const [old, next] = [applications.settings.ENCRYPTION_KEY as string, stdout.trim()];
    const other = randomBytes(32).toString('base64');
    expect(await pms('rotate-encryption', { ENCRYPTION_KEY: other })).toEqual(
      failure(/Bad setting: 1 secret of a webhook is encrypted with the key [0-9a-f]{8}, .*/),
    );
    const both = { ENCRYPTION_KEY: `${next},${old}` };
    expect(JSON.parse((await pms('rotate-encryption --json', both)).stdout)).toMatchObject({
      reencrypted: 1,
    });
    const again = await pms('rotate-encryption', { ENCRYPTION_KEY: next });
    expect(again.stdout).toMatch(/^Secrets re-encrypted with the key [0-9a-f]{8}: 0\n$/);
    expect(await pms('rotate-encryption', { ENCRYPTION_KEY: `${old},${next}` })).toMatchObject(done);
  });

  describe('pms project export', () => {
    let file: string;

    beforeAll(async () => {
      file = join(folder, 'demo.jsonl');
      const app = await start();
      await addIssues(app);
      for (let number = 1; number < COMMENTS; number++) {
        await client.post('/issues/DEMO-1/comments', { content: `Comment ${number}` });
      }
      await applications.close();
    });

    /** Adds issues to the project of the first start, which has one. */
    async function addIssues(app: NestExpressApplication): Promise<void> {
      const { body: issue } = await client.get('/issues/DEMO-1');
      const ticket = { summary: 'Another', description: '', createdUserId: issue.createdUser.id };
      const places = { projectId: issue.projectId, issueTypeId: issue.issueType.id, statusId: 1 };
      const samples = app.get(SampleProjectsService, { strict: false });
      await app.get(TransactionsService).run(async (manager) => {
        for (let number = 1; number < ISSUES; number++) await samples.addIssue(manager, places, ticket);
      });
    }

    it('writes everything that the API shows of the project to a private file', async () => {
      const { exitCode, stdout } = await pms(`project export DEMO ${file}`);
      expect(exitCode).toBe(0);
      const lines = (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ExportLine);
      expect(stdout).toBe(`Wrote ${lines.length} lines to ${file}.\n`);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const counts = new Map<string, number>();
      for (const { type } of lines) counts.set(type, (counts.get(type) ?? 0) + 1);
      expect(Object.fromEntries(counts)).toEqual({
        export: 1,
        project: 1,
        member: 2,
        team: 1,
        issueType: 4,
        status: 5,
        category: 1,
        version: 1,
        issue: ISSUES,
        issueComment: COMMENTS,
        wiki: 1,
        sharedFile: 2,
        document: 1,
        documentComment: 1,
        repository: 1,
        pullRequest: 1,
        pullRequestComment: 1,
        webhook: 1,
        end: 1,
      });
      expect(lines.at(-1)?.type).toBe('end');
      const first = (type: string): unknown => lines.find((line) => line.type === type)?.data;
      await start();
      for (const [type, path] of [
        ['project', '/projects/DEMO'],
        ['issue', '/issues/DEMO-1'],
        ['issueComment', '/issues/DEMO-1/comments/1'],
        ['wiki', '/wikis/1'],
        ['document', '/documents/019a8f2f6c0070008000000000000001'],
        ['pullRequest', '/projects/DEMO/git/repositories/demo/pullRequests/1'],
      ] as const) {
        expect(withoutUses((await client.get(path)).body)).toMatchObject(withoutUses(first(type)) as object);
      }
      const text = await readFile(file, 'utf8');
      expect(text).not.toContain('whsec_');
      expect(text).not.toContain('password');
    });

    it('keeps an existing file and leaves no file after a failure', async () => {
      await writeFile(join(folder, 'mine'), 'mine');
      expect(await pms(`project export DEMO ${join(folder, 'mine')}`)).toEqual(
        failure(/.*mine already exists: .*/),
      );
      expect(await readFile(join(folder, 'mine'), 'utf8')).toBe('mine');
      expect(await pms(`project export NOPE ${join(folder, 'none.jsonl')}`)).toEqual(
        failure(/No such project\./),
      );
      expect((await readdir(folder)).filter((name) => name.startsWith('none'))).toEqual([]);
    });
  });

  describe('pms health', () => {
    it('succeeds while the service is ready and fails once it stops', async () => {
      const app = await start();
      const settings = { PORT: new URL(origin).port };
      expect(await pms('health', { ...settings, HOST: '0.0.0.0' })).toEqual({
        exitCode: 0,
        stdout: 'The service is ready.\n',
        stderr: '',
      });
      app.get(HttpAdapterHost<ServiceAdapter>).httpAdapter.connections.announceStop();
      expect(await pms('health', settings)).toEqual(failure(/.* answered \/health\/ready with 503\./));
      expect(await pms('health --live', settings)).toMatchObject(done);
      await applications.close();
      expect(await pms('health --live', settings)).toEqual(failure(/.* does not answer: .*ECONNREFUSED.*/));
      expect(await pms('health')).toEqual(failure(/PORT=0 .*/));
      expect(await pms('health --wait soon', settings)).toMatchObject({ exitCode: 2 });
    });

    it('waits for a service with a certificate of its own', async () => {
      const certificate = await makeCertificate();
      const files = await storeCertificate(folder, certificate);
      const statuses = [503, 503, 200];
      const server = createServer({ cert: certificate.cert, key: certificate.key }, (_request, response) => {
        response.writeHead(statuses.shift() ?? 500).end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const PORT = String((server.address() as AddressInfo).port);
      expect(await pms('health --wait 20', { PORT, ...files })).toMatchObject(done);
      expect(statuses).toEqual([]);
      server.close();
    });
  });

  it('moves files to another storage and removes the originals with --remove', async () => {
    const place = await mkdtemp(join(folder, 'files-'));
    const [here, there] = [`file:${join(place, 'here')}`, `file:${join(place, 'there')}`];
    const storage = openStorage(readEnvironment({ STORAGE_URL: here }));
    await storage.prepare(false);
    const keys = [storage.newKey(), storage.newKey()];
    for (const key of keys) await storage.write(key, Readable.from([key]));

    const settings = { STORAGE_URL: here };
    expect(await pms(`storage move ${here}`, settings)).toEqual(failure(/The files are already in .*\./));
    const detour = `file:${relative(process.cwd(), join(place, 'here'))}`;
    expect(await pms(`storage move ${detour} --remove`, settings)).toEqual(
      failure(/The files are already in .*\./),
    );
    const left: string[] = [];
    for await (const { key } of storage.list()) left.push(key);
    expect(left.toSorted()).toEqual(keys.toSorted());
    expect(await pms('storage move s3://key:secret@files', settings)).toEqual(
      failure(/The target URL must be file:PATH, or s3:[^@]*/),
    );
    const copied = await pms(`storage move ${there} --json`, settings);
    expect(JSON.parse(copied.stdout)).toEqual({ copied: 2, copiedBytes: 72, present: 0, removed: 0 });
    expect(copied.stderr).toContain(`STORAGE_URL=${there}`);
    const removed = await pms(`storage move ${there} --remove --json`, settings);
    expect(JSON.parse(removed.stdout)).toEqual({ copied: 0, copiedBytes: 0, present: 2, removed: 2 });
    const target = openStorage(readEnvironment({ STORAGE_URL: there }));
    for (const key of keys) expect(await text(await target.read(key))).toBe(key);

    const bucket = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const STORAGE_URL = 's3://files?endpoint=http://127.0.0.1:1';
    expect(await pms(`storage move ${there}`, { ...bucket, STORAGE_URL })).toEqual(
      failure(/The storage cannot be used: S3 did not answer \(ECONNREFUSED\)\. Check STORAGE_URL\./),
    );
  });
});
