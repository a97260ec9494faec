import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import { openStorage } from '../../src/attachments/open-storage';
import { readArchive, writeArchive } from '../../src/backup/archive/archive-file';
import { tarEnd, tarEntry } from '../../src/backup/archive/tar';
import { createBackup } from '../../src/backup/create-backup';
import { type BackupSchema } from '../../src/backup/format';
import { restoreBackup } from '../../src/backup/restore-backup';
import { entryText } from '../../src/backup/verify-backup';
import { readEnvironment } from '../../src/config/environment';
import { createDataSource } from '../../src/database/connections/data-source';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { type Finding } from '../../src/doctor/finding';
import { Applications } from '../support/applications';
import { Child } from '../support/child';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { isEmbedded, itOnServer } from '../support/engines';
import { type CommandResult, Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { type Environment } from '../support/world';

const TIMEOUT_MS = 120_000;
/** Rows of the first schema that later migrations affect. */
const OLD_ROWS = [
  "INSERT INTO `user` (id, user_id, name, role_type, lang, mail_address, last_login_time, created, vendor_id, vendor_name, vendor_unique_id) VALUES (7, 'u', 'U', 1, 'en', 'u@example.com', 1, 1, 1, 'v', 'v1')",
  "INSERT INTO project (id, project_key, name, created) VALUES (3, 'P', 'Project', 1)",
  'INSERT INTO comment_thread (id, project_id) VALUES (5, 3)',
];

describe('pms backup and pms restore', () => {
  const applications = new Applications();
  const commands = new Commands();
  const folder = new TemporaryFolder();
  const databases: LastingTestDatabase[] = [];
  let backup: string;

  beforeAll(async () => {
    await applications.setUp();
    const app = await applications.create({ DEMO_DATA: 'true' });
    await app.get(FirstStartService).run();
    backup = folder.file('backup.tar.gz');
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await applications.tearDown();
    for (const { drop } of databases) await drop();
    folder.remove();
  });

  const pms = (words: string, settings: Environment = {}): Promise<CommandResult> =>
    commands.run(words.split(' '), { ...applications.settings, BACKUP_PASSPHRASE: '', ...settings });

  /** Returns the settings of a service without any data. */
  const newPlace = async (): Promise<Environment> => {
    const database = await createLastingTestDatabase();
    databases.push(database);
    return {
      ...applications.settings,
      DATABASE_URL: database.url,
      STORAGE_URL: `file:${folder.file(randomBytes(6).toString('hex'))}`,
    };
  };

  const runsOn = (settings: Environment, words: string): Promise<CommandResult> => pms(words, settings);
  const failure = (line: string): object => ({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining(line) as unknown,
  });

  it('backs up beside a running service and restores elsewhere', async () => {
    const made = await pms(`backup ${backup}`);
    expect(made).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('It is not encrypted and contains') as unknown,
    });
    expect(made.stdout).toMatch(
      /^\S+backup\.tar\.gz \([\d.]+ KiB\): \d+ rows of \d+ tables, 5 files \(140 bytes\), 0 git repositories \(0 bytes\)\n$/,
    );
    expect(await pms(`backup ${backup}`)).toEqual(failure('already exists: choose another name'));
    const checked = await pms(`restore --check ${backup}`);
    expect(checked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('is intact') as unknown });
    expect(await pms(`restore ${backup}`)).toEqual(failure('a backup can only be restored into an empty'));
    const place = await newPlace();
    const restored = await runsOn(place, `restore ${backup} --hold-deliveries`);
    expect(restored).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Restored the backup of .* 5 files, 0 git repositories\.\n$/) as unknown,
    });
    expect(restored.stderr).toContain('Every webhook is disabled');
    const again = await runsOn(place, `backup ${folder.file('again.tar.gz')} --without-key --json`);
    expect(JSON.parse(again.stdout)).toMatchObject({
      files: 5,
      lostFiles: [],
      hasKey: false,
      isEncrypted: false,
    });
  });

  it('encrypts a backup with a passphrase and requires it to read the backup', async () => {
    const path = folder.file('encrypted.backup');
    const file = folder.file('passphrase');
    writeFileSync(file, 'a secret\nnot this\n');
    const { exitCode, stderr } = await pms(`backup ${path} --passphrase-file ${file}`);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('It is encrypted') as unknown,
    });
    expect(await pms(`restore --check ${path}`)).toEqual(
      failure('is encrypted: use --passphrase or --passphrase-file.'),
    );
    const wrong = await pms(`restore --check ${path}`, { BACKUP_PASSPHRASE: 'another' });
    expect(wrong).toEqual(failure('The passphrase is wrong'));
    const right = await pms(`restore --check ${path}`, { BACKUP_PASSPHRASE: 'a secret' });
    expect(right.exitCode).toBe(0);
    expect(await pms(`backup ${folder.file('x')} --passphrase`)).toEqual(failure('There is no terminal'));
    expect(await pms(`restore --check ${file}`)).toEqual(failure('is not a backup of this service'));
  });

  it.each(['rows', 'check'])(
    'blocks the database after a restore killed at its %s, until a restore completes',
    async (step) => {
      const place = await newPlace();
      const child = new Child('restore-and-die', JSON.stringify(place), backup, step);
      expect(await child.restOfLines()).toEqual([]);
      const { stdout } = await runsOn(place, 'doctor');
      expect(stdout).toMatch(/^problem {2}\w+: A restore into .* has not finished/m);
      await expect(applications.create(place)).rejects.toThrow(/^A restore into .* has not finished/);
      for (const words of [
        'serve',
        'user list',
        'migrate',
        `backup ${folder.file('none.tar.gz')}`,
        `project export DEMO ${folder.file('none.zip')}`,
      ]) {
        expect(await runsOn(place, words)).toEqual(failure('has not finished'));
      }
      if (isEmbedded) expect(existsSync((place.DATABASE_URL as string).slice('sqlite:'.length))).toBe(false);
      // The lease of the killed process must expire first.
      let restored = await runsOn(place, `restore ${backup}`);
      for (const end = Date.now() + 30_000; restored.exitCode !== 0 && Date.now() < end;) {
        expect(restored.stderr).toContain('Another process is migrating this database or restoring into it');
        restored = await runsOn(place, `restore ${backup}`);
      }
      expect(restored.exitCode).toBe(0);
      const examined = await runsOn(place, 'doctor --json');
      const findings = JSON.parse(examined.stdout) as Finding[];
      expect(findings.filter(({ level }) => level === 'problem')).toEqual([]);
      expect(findings).toContainEqual({
        check: 'rows of files',
        level: 'ok',
        message: 'Every file has a row.',
      });
    },
    TIMEOUT_MS,
  );

  itOnServer('empties the database after a failed restore', async () => {
    const place = await newPlace();
    const path = folder.file('broken.tar.gz');
    await rewrite(path, (name, text) =>
      name === 'schema.json' ? text.replace('"name": "issue"', '"name": "gone"') : text,
    );
    const { exitCode, stderr } = await runsOn(place, `restore ${path}`);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('The backup is damaged') as unknown,
    });
    expect((await runsOn(place, `restore ${backup}`)).exitCode).toBe(0);
  });

  /** Writes the backup again with changed texts. */
  async function rewrite(path: string, change: (name: string, text: string) => string): Promise<void> {
    await writeArchive(
      path,
      (async function* () {
        for await (const entry of readArchive(backup)) {
          yield* tarEntry(entry.path, Buffer.from(change(entry.path, await entryText(entry))), new Date());
        }
        yield tarEnd();
      })(),
    );
  }

  it('refuses a backup of a newer version before anything is written', async () => {
    const path = folder.file('newer.tar.gz');
    await rewrite(path, (name, text) => {
      if (name !== 'schema.json') return text;
      const schema = JSON.parse(text) as BackupSchema;
      return JSON.stringify({ ...schema, migrations: [...schema.migrations, 'Later9999'] });
    });
    const place = await newPlace();
    expect(await runsOn(place, `restore ${path}`)).toEqual(
      failure('which is newer: restore it with that version'),
    );
    expect((await runsOn(place, `restore ${backup}`)).exitCode).toBe(0);
  });

  it('restores and migrates a backup of an older version', async () => {
    const old = await newPlace();
    const dataSource = createDataSource(readEnvironment(old), []);
    await dataSource.initialize();
    const later = dataSource.migrations.splice(1).length;
    await dataSource.runMigrations();
    for (const sql of OLD_ROWS) await dataSource.query(sql);
    await dataSource.destroy();
    const path = folder.file('older.tar.gz');
    const environment = readEnvironment(old);
    await createBackup({ environment, storage: openStorage(environment), path });
    const target = readEnvironment(await newPlace());
    const summary = await restoreBackup({ environment: target, storage: openStorage(target), path });
    expect(summary).toMatchObject({ rows: OLD_ROWS.length, migrations: later });
    const app = await applications.create({ DATABASE_URL: target.DATABASE_URL });
    const rows = await app.get(DataSource).query('SELECT project_key AS projectKey FROM project');
    expect(rows).toEqual([{ projectKey: 'P' }]);
    await app.close();
  });
});

/** The check for settings that servers for tests do without. */
const GIVEN_UP = 'durability';

describe('pms doctor', () => {
  const applications = new Applications();
  const commands = new Commands();
  let settings: Environment;
  let dataSource: DataSource;

  beforeAll(async () => {
    await applications.setUp();
    const app = await applications.create({ DEMO_DATA: 'true' });
    await app.get(FirstStartService).run();
    dataSource = app.get(DataSource);
    settings = { ...applications.settings, GIT_PATH: 'git' };
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await applications.tearDown();
  });

  /** Returns the findings that are not ok, one line each. */
  const complaints = async (others: Environment = {}): Promise<{ exitCode: number; lines: string[] }> => {
    const { exitCode, stdout } = await commands.run(['doctor', '--json'], {
      DATABASE_POOL_SIZE: '',
      ...settings,
      ...others,
    });
    const findings = JSON.parse(stdout) as Finding[];
    const lines = findings
      .filter(({ level, check }) => level !== 'ok' && check !== GIVEN_UP)
      .map(({ level, check, message }) => `${level} ${check}: ${message}`);
    return { exitCode, lines };
  };

  /** Runs a statement, collects the findings, and runs another statement to undo it. */
  const during = async (sql: string, undo: string) => {
    const queryRunner = dataSource.createQueryRunner();
    const unchecked = isEmbedded
      ? ['PRAGMA foreign_keys = OFF', 'PRAGMA foreign_keys = ON']
      : ['SET foreign_key_checks = 0', 'SET foreign_key_checks = 1'];
    try {
      await queryRunner.query(unchecked[0] as string);
      await queryRunner.query(sql);
      const found = await complaints();
      await queryRunner.query(undo);
      await queryRunner.query(unchecked[1] as string);
      return found;
    } finally {
      await queryRunner.release();
    }
  };

  it('finds nothing wrong with a running service and prints a line per check', async () => {
    if (isEmbedded) chmodSync(databaseFile(), 0o600);
    expect(await complaints()).toEqual({ exitCode: 0, lines: [] });
    const { stdout, exitCode } = await commands.run(['doctor'], settings);
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.includes(GIVEN_UP));
    for (const line of lines) expect(line).toMatch(/^ok {7}[\w ]+: /);
  });

  const databaseFile = (): string => (settings.DATABASE_URL as string).slice('sqlite:'.length);

  it('reports rows without files and files without rows', async () => {
    const storage = openStorage(readEnvironment(settings));
    const [row] = await dataSource.query<[{ id: number; storageKey: string }]>(
      'SELECT id, storage_key AS storageKey FROM attachment ORDER BY id LIMIT 1',
    );
    const content = await storage.read(row.storageKey);
    const bytes = await content.toArray();
    await storage.remove(row.storageKey);
    const other = storage.newKey();
    await storage.write(other, Readable.from(['content']));
    expect(await complaints()).toEqual({
      exitCode: 1,
      lines: [
        `problem files of rows: 1 file of 5 missing or truncated, such as those of the attachments ${row.id}.`,
        'warning rows of files: 1 file (7 bytes) without a row.',
      ],
    });
    await storage.remove(other);
    await storage.write(row.storageKey, Readable.from(bytes));
    expect(await complaints()).toEqual({ exitCode: 0, lines: [] });
  });

  it('reports attachments whose storage key is a foreign path', async () => {
    const [row] = await dataSource.query<[{ id: number; storageKey: string }]>(
      'SELECT id, storage_key AS storageKey FROM attachment ORDER BY id LIMIT 1',
    );
    const setKey = (key: string): string =>
      `UPDATE attachment SET storage_key = '${key}' WHERE id = ${row.id}`;
    expect(await during(setKey('../../../../etc/passwd'), setKey(row.storageKey))).toEqual({
      exitCode: 1,
      lines: [
        `problem files of rows: Storage keys that the service did not create, such as those of the attachments ${row.id}.`,
        expect.stringMatching(/^warning rows of files: 1 file /),
      ],
    });
  });

  it('reports wrong counters, memberships, references, secrets and failing webhooks', async () => {
    const counters = await during(
      "UPDATE project_counter SET used = used + 1 WHERE name = 'issue'",
      "UPDATE project_counter SET used = used - 1 WHERE name = 'issue'",
    );
    expect(counters).toEqual({ exitCode: 1, lines: ['problem counters: issue in 1 project'] });
    const memberships = await during(
      'UPDATE project_member SET team_count = team_count + 1',
      'UPDATE project_member SET team_count = team_count - 1',
    );
    expect(memberships).toEqual({
      exitCode: 1,
      lines: ['problem memberships: 2 memberships by teams do not match the teams.'],
    });
    const references = await during(
      'INSERT INTO issue_category (issue_id, category_id) VALUES (987654, 987654)',
      'DELETE FROM issue_category WHERE issue_id = 987654',
    );
    expect(references.exitCode).toBe(1);
    expect(references.lines.join()).toContain(
      'problem references: 1 row of issue_category without their category',
    );
    const secrets = await complaints({ ENCRYPTION_KEY: randomBytes(32).toString('base64') });
    expect(secrets.exitCode).toBe(1);
    expect(secrets.lines.join()).toContain('problem secrets: 1 secret of webhooks cannot be decrypted');
    const webhooks = await during(
      "UPDATE webhook_health SET enabled = 0, failures = 2, failing_since = 1700000000000, reason = 'The receiver answered\t410.'",
      "UPDATE webhook_health SET enabled = 1, failures = 0, failing_since = NULL, reason = ''",
    );
    expect(webhooks).toEqual({
      exitCode: 0,
      lines: [
        'warning webhooks: Of 1 webhook, 0 fail and 1 are disabled.',
        expect.stringMatching(
          /^warning webhook \d+: ".*" of [A-Z0-9]+ is disabled, failing since 2023-11-14T22:13:20Z\. The receiver answered\ufffd410\./,
        ),
      ],
    });
    const failing = await during(
      "UPDATE webhook_health SET failures = 5, failing_since = 1700000000000, paused_until = 1700000060000, reason = 'The receiver answered 500.'",
      "UPDATE webhook_health SET failures = 0, failing_since = NULL, paused_until = 0, reason = ''",
    );
    expect(failing.lines).toEqual([
      'warning webhooks: Of 1 webhook, 1 fail and 0 are disabled.',
      expect.stringContaining(
        'fails (5 failures in a row), paused until 2023-11-14T22:14:20Z, failing since 2023-11-14T22:13:20Z. The receiver answered 500.',
      ),
    ]);
  });

  it('reports invalid settings and an unreachable database or storage', async () => {
    const bad = await complaints({ DATABASE_POOL_SIZE: 'many' });
    expect(bad).toMatchObject({
      exitCode: 1,
      lines: [expect.stringContaining('problem settings: DATABASE_POOL_SIZE')],
    });
    const missing = await complaints({ DATABASE_URL: 'mariadb://root@127.0.0.1:1/none' });
    expect(missing).toMatchObject({
      exitCode: 1,
      lines: [expect.stringContaining('problem database: The database cannot be reached')],
    });
    const elsewhere = await complaints({ STORAGE_URL: 'file:/proc/none' });
    expect(elsewhere.lines.join()).toContain('problem files folder: /proc/none does not exist.');
  });
});
