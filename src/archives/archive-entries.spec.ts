import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchive } from '../backup/archive/archive-file';
import { tarEnd } from '../backup/archive/tar';
import { headOf, jsonEntry, newContents } from './archive-entries';
import { ARCHIVE_ENTRIES } from './archive-format';
import { type ArchivePart, readProjectArchive } from './read-archive';
import { recordKinds } from './record-kinds';

const OF_NOTHING = createHash('sha256').digest('hex');

describe('jsonEntry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-entries-'));

  afterAll(() => rmSync(folder, { recursive: true }));

  const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => 1_000_000 + index);

  it('writes long lists that can be read again', async () => {
    const kinds = await recordKinds();
    const contents = newContents();
    for (const { name } of kinds) contents.records[name] = { count: 0, sha256: OF_NOTHING };
    contents.files = { count: 0, bytes: 0, sha256: OF_NOTHING, lost: ids(60_000) };
    contents.repositories.sha256 = OF_NOTHING;
    async function* entries(): AsyncGenerator<Buffer> {
      await Promise.resolve();
      yield* jsonEntry(ARCHIVE_ENTRIES.head, headOf(undefined));
      yield* jsonEntry(ARCHIVE_ENTRIES.contents, contents);
      yield tarEnd();
    }
    const path = join(folder, 'one.pms');
    await writeArchive(path, entries());
    const parts: ArchivePart[] = [];
    for await (const part of readProjectArchive(path, kinds)) parts.push(part);
    expect(parts.at(-1)).toEqual({ type: 'contents', contents });
  });

  it.each([
    ['1 MiB', ids(90_000)],
    ['100,000 values', Array<number>(110_000).fill(0)],
  ])('refuses more than %s, and names the entry', (_limit, lost) => {
    expect(() => jsonEntry(ARCHIVE_ENTRIES.contents, { lost })).toThrow(
      "The archive's contents.json is too large",
    );
  });
});
