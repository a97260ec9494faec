import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import { isThorough, runs } from '../../test/support/thoroughness';
import { openStorage } from '../attachments/open-storage';
import { type Environment, readEnvironment } from '../config/environment';
import { writeArchive } from './archive/archive-file';
import { tarEnd, tarEntry } from './archive/tar';
import { BackupError, DamagedBackupError } from './backup.error';
import { expectedTables, MIGRATION_NAMES } from './data/expected-tables';
import {
  type BackupManifest,
  type BackupSchema,
  fileEntry,
  fileLine,
  FORMAT,
  rowsEntry,
  type TableContents,
} from './format';
import { restoreBackup } from './restore-backup';
import { verifyBackup } from './verify-backup';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Number of archives that are restored, of those that are accepted. */
const MAX_RESTORES = isThorough ? 100 : 2;

const userRow = (id: number, fields: object = {}): Record<string, unknown> => ({
  created: 1,
  id,
  lang: 'en',
  last_login_time: 1,
  mail_address: 'u@example.com',
  name: '😀',
  role_type: 1,
  user_id: `u${id}`,
  vendor_id: '1',
  vendor_name: 'v',
  vendor_unique_id: 'v1',
  ...fields,
});
const toLines = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const CONTENT = 'the bytes of a file';
const FILE = {
  id: 7,
  storageKey: '01234567-89ab-cdef-0123-456789abcdef',
  size: CONTENT.length,
  sha256: sha256(CONTENT),
};
const ATTACHMENT = {
  attached: true,
  created: 1,
  created_user_id: 1,
  id: 7,
  name: 'a.txt',
  size: CONTENT.length,
  storage_key: FILE.storageKey,
  stored: true,
};
const ROWS = [toLines(userRow(1), userRow(2)), toLines(userRow(3))] as const;
const HEAD = { format: FORMAT, version: '1.2.3', created: '2026-01-01T00:00:00.000Z', engine: 'SQLite' };

describe('the verification of a backup archive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'project-management-test-'));
  let number = 0;
  let schema: BackupSchema;
  let manifest: BackupManifest;
  let entries: [path: string, content: string][];

  beforeAll(async () => {
    const tables = [...(await expectedTables(1)).values()].map(({ name, key, columns }) => ({
      name,
      key,
      columns,
    }));
    schema = { migrations: MIGRATION_NAMES.slice(0, 1), tables };
    const contents = (text: string): TableContents => ({
      rows: text.split('\n').length - 1,
      sha256: sha256(text),
      lastId: 9,
    });
    manifest = {
      tables: {
        ...Object.fromEntries(tables.map(({ name }) => [name, contents('')])),
        user: contents(ROWS.join('')),
        attachment: contents(toLines(ATTACHMENT)),
      },
      files: { count: 1, bytes: CONTENT.length, sha256: sha256(fileLine(FILE)), superfluous: [], lost: [] },
    };
    entries = [
      ['backup.json', JSON.stringify(HEAD)],
      ['encryption.key', `${Buffer.alloc(32).toString('base64')}\n`],
      [fileEntry(FILE.id, FILE.storageKey), CONTENT],
      ['schema.json', JSON.stringify(schema)],
      [rowsEntry('user', 1), ROWS[0]],
      [rowsEntry('user', 2), ROWS[1]],
      [rowsEntry('attachment', 1), toLines(ATTACHMENT)],
      ['manifest.json', JSON.stringify(manifest)],
    ];
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = async (entries: readonly (readonly [string, string])[]): Promise<string> => {
    const path = join(folder, `${++number}.tar.gz`);
    await writeArchive(
      path,
      (function* () {
        for (const [name, content] of entries) yield* tarEntry(name, Buffer.from(content), new Date(0));
        yield tarEnd();
      })() as unknown as AsyncIterable<Buffer>,
    );
    return path;
  };

  const without = (index: number): typeof entries => entries.filter((_, position) => position !== index);
  const replaced = (path: string, content: string): (readonly [string, string])[] =>
    entries.map((entry) => (entry[0] === path ? [path, content] : entry));
  /** The backup with other rows of a table, as if it had been written with them. */
  const withRows = (table: string, rows: string): (readonly [string, string])[] => {
    const contents = { rows: rows.split('\n').length - 1, sha256: sha256(rows) };
    return [
      ...entries.filter(([path]) => path !== 'manifest.json' && !path.startsWith(`tables/${table}/`)),
      [rowsEntry(table, 1), rows],
      ['manifest.json', JSON.stringify({ ...manifest, tables: { ...manifest.tables, [table]: contents } })],
    ];
  };

  it('returns the head, keys, migrations, tables and manifest', async () => {
    const backup = await verifyBackup(await write(entries));
    expect(backup).toEqual({
      head: HEAD,
      keys: [Buffer.alloc(32)],
      migrations: schema.migrations,
      tables: await expectedTables(1).then(
        (tables) => expect.objectContaining({ size: tables.size }) as unknown,
      ),
      manifest,
    });
  });

  it('refuses an archive without one of its entries, except the encryption key', async () => {
    for (const [index, [path]] of entries.entries()) {
      const verified = verifyBackup(await write(without(index)));
      if (path === 'encryption.key') expect((await verified).keys).toEqual([]);
      else await expect(verified).rejects.toThrow(DamagedBackupError);
    }
  });

  it('refuses changed, reordered or additional entries', async () => {
    const [head, key, file, tables, first, second, other, end] = entries;
    const damaged = [
      replaced(rowsEntry('user', 1), ROWS[0].replace('"u2"', '"u9"')),
      replaced(fileEntry(FILE.id, FILE.storageKey), CONTENT.replace('file', 'FILE')),
      replaced('encryption.key', 'no key'),
      replaced('schema.json', '{'),
      replaced('manifest.json', JSON.stringify({ ...manifest, tables: {} })),
      [head, key, file, tables, second, first, other, end],
      [head, key, file, first, second, other, tables, end],
      [head, key, file, tables, tables, first, second, other, end],
      [...entries, ['more.json', '{}']],
      [...entries.slice(0, 2), ['../../etc/passwd', 'x'], ...entries.slice(2)],
      [...entries.slice(0, 7), [rowsEntry('other', 1), '{}\n'], end],
    ] as (readonly [string, string])[][];
    for (const entries of damaged) {
      await expect(verifyBackup(await write(entries))).rejects.toThrow(DamagedBackupError);
    }
  });

  it('refuses a newer format and names the version that made the backup', async () => {
    const path = await write(replaced('backup.json', JSON.stringify({ ...HEAD, format: FORMAT + 1 })));
    await expect(verifyBackup(path)).rejects.toThrow('The backup was made by version 1.2.3');
  });

  it('refuses a truncated archive and one whose content has a changed byte', async () => {
    const bytes = readFileSync(await write(entries));
    const path = join(folder, 'changed');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (position, bits) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(position) ^ bits, position);
        writeFileSync(path, changed);
        const found = await verifyBackup(path).catch((error: unknown) => error);
        // The gzip header contains a time and an operating system, which are irrelevant.
        if (!(found instanceof BackupError)) expect(found).toMatchObject({ manifest, head: HEAD });
        writeFileSync(path, bytes.subarray(0, position));
        await expect(verifyBackup(path)).rejects.toThrow(BackupError);
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  it.each<[what: string, table: string, rows: string, reason: string]>([
    ['a role of 99', 'user', toLines(userRow(1, { role_type: 99 })), 'row 1 of user has no valid role_type'],
    [
      'a string instead of a number',
      'user',
      toLines(userRow(1), userRow(2, { created: '1' })),
      'row 2 of user has no valid created',
    ],
    [
      'a number above 2^53',
      'user',
      toLines(userRow(1, { created: 2 ** 60 })),
      'row 1 of user has no valid created',
    ],
    ['an id of null', 'user', toLines(userRow(1, { id: null })), 'row 1 of user has no valid id'],
    [
      'a string that is too long',
      'user',
      toLines(userRow(1, { name: 'n'.repeat(256) })),
      'row 1 of user has no valid name',
    ],
    ['a lone surrogate', 'user', toLines(userRow(1, { name: '\ud800' })), 'row 1 of user has no valid name'],
    [
      'an object instead of a string',
      'user',
      toLines(userRow(1, { name: {} })),
      'row 1 of user has no valid name',
    ],
    ['an unknown column', 'user', toLines(userRow(1, { other: 1 })), 'row 1 of user cannot be read'],
    ['no columns', 'user', '{}\n', 'row 1 of user cannot be read'],
    ['null instead of an object', 'user', 'null\n', 'row 1 of user cannot be read'],
    ['invalid JSON', 'user', '{"id":\n', 'row 1 of user cannot be read'],
    [
      'a path as storage key',
      'attachment',
      toLines({ ...ATTACHMENT, storage_key: '../../../../etc/passwd' }),
      'row 1 of attachment has no valid storage_key',
    ],
    [
      'a number instead of a boolean',
      'attachment',
      toLines({ ...ATTACHMENT, stored: 1 }),
      'row 1 of attachment has no valid stored',
    ],
  ])('refuses a row with %s', async (_what, table, rows, reason) => {
    await expect(verifyBackup(await write(withRows(table, rows)))).rejects.toThrow(reason);
  });

  it.each<[entry: string, what: string, change: () => unknown]>([
    ['backup.json', 'control characters in its version', () => ({ ...HEAD, version: '1\u001b[2J' })],
    ['backup.json', 'control characters in its time', () => ({ ...HEAD, created: '2026\r' })],
    ['backup.json', 'a string as format', () => ({ ...HEAD, format: '1' })],
    ['backup.json', 'null instead of an object', () => null],
    ['schema.json', 'no tables', () => ({ migrations: schema.migrations })],
    ['schema.json', 'an object instead of a list of tables', () => ({ ...schema, tables: {} })],
    ['schema.json', 'no migrations', () => ({ ...schema, migrations: [] })],
    [
      'schema.json',
      'a migration twice',
      () => ({ ...schema, migrations: [...schema.migrations, ...schema.migrations] }),
    ],
    [
      'schema.json',
      'a migration without those before it',
      () => ({ ...schema, migrations: MIGRATION_NAMES.slice(1, 2) }),
    ],
    ['schema.json', 'a missing table', () => ({ ...schema, tables: schema.tables.slice(1) })],
    ['schema.json', 'a table twice', () => ({ ...schema, tables: [...schema.tables, ...schema.tables] })],
    [
      'schema.json',
      'SQL in a key',
      () => ({
        ...schema,
        tables: schema.tables.map((table) => ({ ...table, key: ['id`; DROP TABLE user; --'] })),
      }),
    ],
    [
      'schema.json',
      'another kind of column',
      () => ({
        ...schema,
        tables: schema.tables.map((table) => ({
          ...table,
          columns: table.columns.map(({ name }) => ({ name, kind: 'text' })),
        })),
      }),
    ],
    [
      'manifest.json',
      'a last id above the safe integers',
      () => ({
        ...manifest,
        tables: { ...manifest.tables, user: { ...manifest.tables.user, lastId: 1e308 } },
      }),
    ],
    ['manifest.json', 'a list instead of an object of tables', () => ({ ...manifest, tables: [] })],
    [
      'manifest.json',
      'a table named __proto__',
      () => ({ ...manifest, tables: { ...manifest.tables, ['__proto__']: manifest.tables.user } }),
    ],
    ['manifest.json', 'no files', () => ({ tables: manifest.tables })],
    [
      'manifest.json',
      'repositories of an invalid shape',
      () => ({ ...manifest, repositories: { count: '1' } }),
    ],
  ])('refuses a %s with %s', async (entry, _what, change) => {
    await expect(verifyBackup(await write(replaced(entry, JSON.stringify(change()))))).rejects.toThrow(
      DamagedBackupError,
    );
  });

  it('refuses to restore a duplicate row and leaves no files', async () => {
    const place = mkdtempSync(join(folder, 'place-'));
    const environment = environmentIn(place);
    const path = await write(withRows('user', toLines(userRow(1), userRow(1))));
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const restoring = restoreBackup({ environment, storage: openStorage(environment), path });
    await expect(restoring).rejects.toThrow(
      /^Rows of user could not be restored: UNIQUE constraint failed: user\.id\.$/,
    );
    // Other services of this process may log warnings, too.
    const lines = (warn.mock.calls as unknown[][]).flat().map(String);
    warn.mockRestore();
    expect(lines.filter((line) => line.includes('embedded database'))).toEqual([]);
    const left = readdirSync(place, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => statSync(join(place, name)).isFile() && !name.endsWith('.lock'))).toEqual(
      [],
    );
  });

  const environmentIn = (place: string): Environment =>
    readEnvironment({
      DATABASE_URL: `sqlite:${place}/service.db`,
      STORAGE_URL: `file:${place}/files`,
      GIT_ROOT: `${place}/git`,
    });

  it('refuses a manipulated archive in one line, or restores it inside its folder', async () => {
    let restores = 0;
    await fc.assert(
      fc.asyncProperty(mutation(entries.length), async (mutate) => {
        const changed = mutate(entries.map(([path, content]) => [path, content]));
        const path = join(folder, 'mutated');
        writeFileSync(
          path,
          gzipSync(
            Buffer.concat(changed.flatMap(([name, content]) => toBlocks(name, content)).concat(tarEnd())),
            { level: 1 },
          ),
        );
        const found = await verifyBackup(path).catch((error: unknown) => error);
        if (found instanceof Error) expectRefusal(found);
        else if (++restores <= MAX_RESTORES) await restoreInside(path);
      }),
      { numRuns: runs(10_000) },
    );
    expect(restores).toBeGreaterThan(0);
  });

  function expectRefusal(error: Error): void {
    if (!(error instanceof BackupError)) throw error;
    expect(error.message).toMatch(/^[^\p{Cc}]{1,500}$/u);
  }

  /** Restores an archive into a folder of its own, and checks that nothing else has been written. */
  async function restoreInside(path: string): Promise<void> {
    const place = mkdtempSync(join(folder, 'place-'));
    const inside = join(place, 'inside');
    const environment = environmentIn(inside);
    const storage = openStorage(environment);
    await restoreBackup({ environment, storage, path }).catch(expectRefusal);
    expect(readdirSync(place)).toEqual(['inside']);
    for (const file of readdirSync(join(inside, 'files'), { recursive: true, encoding: 'utf8' })) {
      expect(file).toMatch(/^(partial|[\da-f]{2}(\/[\da-f-]{36})?)$/);
    }
    rmSync(place, { recursive: true });
  }

  it('refuses a file that is missing or not a backup', async () => {
    const path = join(folder, 'other');
    for (const content of ['', 'text', '{"format":1}']) {
      writeFileSync(path, content);
      await expect(verifyBackup(path)).rejects.toThrow('is not a backup of this service');
    }
    await expect(verifyBackup(join(folder, 'missing'))).rejects.toThrow('cannot be read');
  });
});

/** What a stranger may put in the place of a value. */
const HOSTILE = [
  null,
  true,
  -1,
  0,
  1.5,
  99,
  1e308,
  2 ** 53,
  '',
  '1',
  '../../../etc/passwd',
  '`; DROP TABLE user; --',
  '\u001b[2J',
  '\ud800',
  'x'.repeat(70_000),
  [],
  {},
  [[]],
  { id: 1 },
  '__proto__',
] as const;
const HOSTILE_PATHS = [
  '../../etc/passwd',
  '/etc/passwd',
  'files/7/..',
  'files/0/x',
  'tables/user/000009.jsonl',
  'repositories/1/repository.json',
  'backup.json',
  '',
];

type Archive = [path: string, content: string][];

/** Arbitrary changes to the entries of an archive. Digests follow, so that what is behind them is reached. */
function mutation(count: number): fc.Arbitrary<(archive: Archive) => Archive> {
  const index = fc.nat(count - 1);
  const value = fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue());
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(index, fc.nat(), value).map(
        ([at, place, other]) =>
          (archive: Archive) =>
            withDigests(changeAt(archive, at, (text) => replaceValue(text, place, other))),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(index, fc.nat(), fc.string({ unit: anyCharacter, maxLength: 3 })).map(
        ([at, place, text]) =>
          (archive: Archive) =>
            withDigests(
              changeAt(
                archive,
                at,
                (content) =>
                  content.slice(0, place % (content.length + 1)) +
                  text +
                  content.slice((place % (content.length + 1)) + 1),
              ),
            ),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(index, fc.oneof(fc.constantFrom(...HOSTILE_PATHS), fc.string({ maxLength: 90 })))
        .map(
          ([at, path]) =>
            (archive: Archive) =>
              archive.map(
                ([name, content], position) => [position === at ? path : name, content] as [string, string],
              ),
        ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(index, index).map(
        ([from, to]) =>
          (archive: Archive) =>
            withDigests(moved(archive, from, to)),
      ),
    },
    {
      weight: 1,
      arbitrary: index.map(
        (at) => (archive: Archive) => withDigests([...archive.slice(0, at), ...archive.slice(at + 1)]),
      ),
    },
    {
      weight: 1,
      arbitrary: index.map((at) => (archive: Archive) => [
        ...archive.slice(0, at),
        ...archive.slice(at, at + 1),
        ...archive.slice(at),
      ]),
    },
  );
}

const changeAt = (archive: Archive, at: number, change: (text: string) => string): Archive =>
  archive.map(([path, content], position) => [path, position === at ? change(content) : content]);

function moved(archive: Archive, from: number, to: number): Archive {
  const others = archive.filter((_, position) => position !== from);
  return [...others.slice(0, to), archive[from] as Archive[number], ...others.slice(to)];
}

/** Replaces one value in a text of JSON lines, or one of its keys. */
function replaceValue(text: string, place: number, other: unknown): string {
  const lines = text.split('\n');
  const at = place % lines.length;
  try {
    const root: unknown = JSON.parse(lines[at] as string);
    const places: { holder: Record<string, unknown>; key: string }[] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, child] of Object.entries(node)) {
        places.push({ holder: node as Record<string, unknown>, key });
        visit(child);
      }
    };
    visit(root);
    const chosen = places[place % (places.length + 1)];
    if (!chosen) return text.replace(lines[at] as string, () => JSON.stringify(other));
    if (typeof other === 'string' && place % 7 === 0) chosen.holder[other] = chosen.holder[chosen.key];
    else chosen.holder[chosen.key] = other;
    lines[at] = JSON.stringify(root);
    return lines.join('\n');
  } catch {
    return text;
  }
}

/** Adapts the manifest to the rows and files, as far as it can still be read. */
function withDigests(archive: Archive): Archive {
  const contents = new Map<string, string>();
  for (const [path, content] of archive) {
    const [, table] = /^tables\/(\w+)\//.exec(path) ?? [];
    if (table !== undefined) contents.set(table, (contents.get(table) ?? '') + content);
  }
  const files = archive.flatMap(([path, content]) => {
    const [, id, storageKey] = /^files\/(\d+)\/(.+)$/.exec(path) ?? [];
    return storageKey === undefined
      ? []
      : [fileLine({ id: Number(id), storageKey, size: Buffer.byteLength(content), sha256: sha256(content) })];
  });
  return archive.map(([path, content]) => {
    if (path !== 'manifest.json') return [path, content];
    try {
      const manifest = JSON.parse(content) as BackupManifest;
      for (const [table, text] of contents)
        Object.assign(manifest.tables[table] ?? {}, {
          rows: text.split('\n').length - 1,
          sha256: sha256(text),
        });
      Object.assign(manifest.files, { count: files.length, sha256: sha256(files.join('')) });
      return [path, JSON.stringify(manifest)];
    } catch {
      return [path, content];
    }
  });
}

/** Returns an entry of an archive, with a name that the service would not write. */
function toBlocks(path: string, content: string): Buffer[] {
  const bytes = Buffer.from(content);
  const [block = Buffer.alloc(0), ...rest] = [...tarEntry('x', bytes, new Date(0))];
  const header = Buffer.from(block);
  header.fill(0, 0, 100).write(path, 0, 100);
  header.fill(' ', 148, 156);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return [header, ...rest];
}
