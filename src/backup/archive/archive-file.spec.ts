import { readdirSync } from 'node:fs';
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
});
