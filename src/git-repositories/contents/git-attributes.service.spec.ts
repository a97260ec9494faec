import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitStore } from '../../git/git-store';
import { GitAttributesService } from './git-attributes.service';
import { type GitReaderService } from './git-reader.service';

const HASH = '1'.repeat(40);
const CONTENT = '* text\n';

/** Returns a service that reads a commit with `.gitattributes` at some paths. */
function serviceFor(paths: readonly string[]): GitAttributesService {
  const reader = {
    async *fields() {
      for (const path of paths)
        yield await Promise.resolve({ text: `100644 blob ${HASH} ${CONTENT.length}\t${path}`, isCut: false });
    },
    async *chunks(_reading: unknown, _args: unknown, { input }: { input: string }) {
      const count = input.split('\n').length - 1;
      const one = `${HASH} blob ${CONTENT.length}\n${CONTENT}\n`;
      yield await Promise.resolve(Buffer.from(one.repeat(count)));
    },
  } as unknown as GitReaderService;
  const store = { makeTemporary: () => mkdtemp(join(tmpdir(), 'project-management-attributes-')) };
  return new GitAttributesService(reader, store as unknown as GitStore);
}

/** Returns the paths of all files and folders that git gets. */
const writtenOf = (paths: readonly string[]): Promise<string[]> =>
  serviceFor(paths).withFiles({ repositoryId: 1, userId: 1 }, HASH, async (folder) =>
    folder === undefined ? [] : (await readdir(folder, { recursive: true })).sort(),
  );

describe('the working tree with .gitattributes', () => {
  it('contains the files of all folders', async () => {
    expect(await writtenOf(['.gitattributes', 'a/b/.gitattributes'])).toEqual([
      '.gitattributes',
      'a',
      'a/b',
      'a/b/.gitattributes',
    ]);
  });

  it('stays small when many names point at the same chain of folders', async () => {
    const chain = 'a/'.repeat(400);
    const paths = Array.from({ length: 200 }, (_, index) => `${index}/${chain}.gitattributes`);
    const written = await writtenOf([...paths, '.gitattributes']);
    expect(written).toContain('.gitattributes');
    expect(written.length).toBeLessThanOrEqual(5000);
  });

  it('leaves out files whose paths a file system cannot store', async () => {
    const paths = [
      `${'a/'.repeat(1900)}.gitattributes`,
      `${'n'.repeat(256)}/.gitattributes`,
      `${'ü'.repeat(128)}/.gitattributes`,
      '.gitattributes',
      '.gitattributes/.gitattributes',
    ];
    expect(await writtenOf(paths)).toEqual(['.gitattributes']);
    expect(await writtenOf([...paths].reverse())).toEqual([
      '.gitattributes',
      '.gitattributes/.gitattributes',
    ]);
  });
});
