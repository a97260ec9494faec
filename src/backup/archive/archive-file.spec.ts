import { randomUUID } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { BackupError } from '../backup.error';
import { writeArchive } from './archive-file';

describe(writeArchive.name, () => {
  const folder = new TemporaryFolder();

  afterAll(() => folder.remove());

  it('keeps the file of another run to the same name that completes first', async () => {
    const path = folder.file('backup.tar.gz');
    const slow = async function* () {
      yield Buffer.from('slow');
      await writeArchive(path, Readable.from([Buffer.from('fast')]));
      yield Buffer.from('er');
    };
    await expect(writeArchive(path, slow())).rejects.toThrow(BackupError);
    expect(gunzipSync(await readFile(path)).toString()).toBe('fast');
    expect(readdirSync(folder.path)).toEqual(['backup.tar.gz']);
  });

  it('removes what killed runs to the same name left', async () => {
    const path = folder.file('killed.tar.gz');
    const partialOf = (name: string): string => `${name}.${randomUUID()}.partial`;
    const [old, recent, other] = [partialOf(path), partialOf(path), partialOf(`${path}.other`)];
    for (const name of [old, recent, other]) writeFileSync(name, '');
    for (const name of [old, other]) utimesSync(name, new Date(), new Date(Date.now() - 2 * 60 * 60_000));
    await writeArchive(path, Readable.from([Buffer.from('whole')]));
    const left = readdirSync(folder.path).filter((name) => name.startsWith('killed'));
    expect(left.map((name) => folder.file(name)).sort()).toEqual([path, recent, other].sort());
  });
});
