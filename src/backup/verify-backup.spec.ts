import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeArchive } from './archive/archive-file';
import { tarEnd, tarEntry } from './archive/tar';
import { BackupError, DamagedBackupError } from './backup.error';
import { type BackupManifest, fileEntry, fileLine, FORMAT, rowsEntry } from './format';
import { verifyBackup } from './verify-backup';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const ROWS = ['{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n', '{"id":3,"name":"😀"}\n'];
const CONTENT = 'the bytes of a file';
const FILE = { id: 7, storageKey: 'key-of-the-file', size: CONTENT.length, sha256: sha256(CONTENT) };
const HEAD = { format: FORMAT, version: '1.2.3', created: '2026-01-01T00:00:00.000Z', engine: 'SQLite' };
const TABLE = { name: 'thing', key: ['id'], columns: [{ name: 'id', kind: 'integer' }] };
const MANIFEST: BackupManifest = {
  tables: { thing: { rows: 3, sha256: sha256(ROWS.join('')), lastId: 9 } },
  files: { count: 1, bytes: CONTENT.length, sha256: sha256(fileLine(FILE)), superfluous: [], lost: [] },
};
const ENTRIES: [path: string, content: string][] = [
  ['backup.json', JSON.stringify(HEAD)],
  ['encryption.key', `${Buffer.alloc(32).toString('base64')}\n`],
  [fileEntry(FILE.id, FILE.storageKey), CONTENT],
  ['schema.json', JSON.stringify({ migrations: ['First1'], tables: [TABLE] })],
  [rowsEntry('thing', 1), ROWS[0] as string],
  [rowsEntry('thing', 2), ROWS[1] as string],
  ['manifest.json', JSON.stringify(MANIFEST)],
];

describe('a backup that is verified', () => {
  const folder = mkdtempSync(join(tmpdir(), 'project-management-test-'));
  let number = 0;
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

  const without = (index: number): typeof ENTRIES => ENTRIES.filter((_, position) => position !== index);
  const replaced = (path: string, content: string): (readonly [string, string])[] =>
    ENTRIES.map((entry) => (entry[0] === path ? [path, content] : entry));

  it('says what is in it', async () => {
    const backup = await verifyBackup(await write(ENTRIES));
    expect(backup).toEqual({
      head: HEAD,
      keys: [Buffer.alloc(32)],
      schema: { migrations: ['First1'], tables: [TABLE] },
      manifest: MANIFEST,
    });
  });

  it('is refused without any of its entries, except the key, which may have been left out', async () => {
    for (const [index, [path]] of ENTRIES.entries()) {
      const verified = verifyBackup(await write(without(index)));
      if (path === 'encryption.key') expect((await verified).keys).toEqual([]);
      else await expect(verified).rejects.toThrow(DamagedBackupError);
    }
  });

  it('is refused with another content, order, or more than was written', async () => {
    const [head, key, file, schema, first, second, manifest] = ENTRIES;
    const damaged = [
      replaced(rowsEntry('thing', 1), (ROWS[0] as string).replace('"b"', '"c"')),
      replaced(fileEntry(FILE.id, FILE.storageKey), CONTENT.replace('file', 'FILE')),
      replaced('encryption.key', 'no key'),
      replaced('schema.json', '{'),
      replaced('manifest.json', JSON.stringify({ ...MANIFEST, tables: {} })),
      [head, key, file, schema, second, first, manifest],
      [...ENTRIES, ['more.json', '{}']],
      [...ENTRIES.slice(0, 2), ['../../etc/passwd', 'x'], ...ENTRIES.slice(2)],
      [...ENTRIES.slice(0, 6), [rowsEntry('other', 1), '{}\n'], manifest],
    ] as (readonly [string, string])[][];
    for (const entries of damaged) {
      await expect(verifyBackup(await write(entries))).rejects.toThrow(DamagedBackupError);
    }
  });

  it('is refused when its format is newer, with the version that can read it', async () => {
    const path = await write(replaced('backup.json', JSON.stringify({ ...HEAD, format: FORMAT + 1 })));
    await expect(verifyBackup(path)).rejects.toThrow('The backup was made by version 1.2.3');
  });

  it('is refused, or the same, after any byte of its file has changed, and refused when it ends early', async () => {
    const bytes = readFileSync(await write(ENTRIES));
    const path = join(folder, 'changed');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (position, bits) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(position) ^ bits, position);
        writeFileSync(path, changed);
        const found = await verifyBackup(path).catch((error: unknown) => error);
        // The gzip header contains a time and an operating system, which are irrelevant.
        if (!(found instanceof BackupError)) expect(found).toMatchObject({ manifest: MANIFEST, head: HEAD });
        writeFileSync(path, bytes.subarray(0, position));
        await expect(verifyBackup(path)).rejects.toThrow(BackupError);
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  it('is told from other files', async () => {
    const path = join(folder, 'other');
    for (const content of ['', 'text', '{"format":1}']) {
      writeFileSync(path, content);
      await expect(verifyBackup(path)).rejects.toThrow('is not a backup of this service');
    }
    await expect(verifyBackup(join(folder, 'missing'))).rejects.toThrow('cannot be read');
  });
});
