import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitStore } from '../../git/git-store';
import { GitAttributesService } from './git-attributes.service';
import { type GitReaderService } from './git-reader.service';

const HASH = '1'.repeat(40);
const CONTENT = '* text\n';
const MIB = 1024 * 1024;

interface AttributeFile {
  path: string;
  content?: string;
  /** Whether git does not have its object, always or only when its content is read. */
  missing?: 'always' | 'later';
}

/** Returns a service that reads a commit with some `.gitattributes` files, each of which has its number as its hash. */
function serviceFor(files: readonly AttributeFile[]): GitAttributesService {
  const hashOf = (index: number): string => String(index).padStart(40, '0');
  /** Returns the output of `git cat-file --batch` or, without contents, of `--batch-check`. */
  const printed = (hashes: string, withContents: boolean): string =>
    hashes
      .trim()
      .split('\n')
      .map((hash) => {
        const { content = CONTENT, missing } = files[Number(hash)] as AttributeFile;
        if (missing === 'always' || (missing && withContents)) return `${hash} missing\n`;
        return `${hash} blob ${content.length}\n${withContents ? `${content}\n` : ''}`;
      })
      .join('');
  const reader = {
    async *fields() {
      for (const [index, { path }] of files.entries())
        yield await Promise.resolve({ text: `100644 blob ${hashOf(index)}\t${path}`, isCut: false });
    },
    text: (_reading: unknown, _args: unknown, { input }: { input: string }) =>
      Promise.resolve(printed(input, false).trim()),
    async *chunks(_reading: unknown, _args: unknown, { input }: { input: string }) {
      yield await Promise.resolve(Buffer.from(printed(input, true)));
    },
  } as unknown as GitReaderService;
  const store = { makeTemporary: () => mkdtemp(join(tmpdir(), 'project-management-attributes-')) };
  return new GitAttributesService(reader, store as unknown as GitStore);
}

/** Runs work with the folder that git gets. */
const withFiles = <Result>(
  files: readonly AttributeFile[],
  work: (folder: string) => Promise<Result>,
): Promise<Result> =>
  serviceFor(files).withFiles({ repositoryId: 1, userId: 1 }, HASH, (folder) => work(folder as string));

/** Returns the paths of all files and folders that git gets. */
const writtenOf = (paths: readonly string[]): Promise<string[]> =>
  withFiles(
    paths.map((path) => ({ path })),
    async (folder) => (await readdir(folder, { recursive: true })).sort(),
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

  it('has at most 5,000 entries however many deep folders contain .gitattributes', async () => {
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

  it.each(['always', 'later'] as const)('leaves out a file whose object is missing (%s)', async (missing) => {
    const files = [
      { path: 'a/.gitattributes', content: '* text\n' },
      { path: 'b/.gitattributes', missing },
      { path: 'c/.gitattributes', content: '* -text\n' },
    ];
    const contents = await withFiles(files, (folder) =>
      Promise.all(files.map(({ path }) => readFile(join(folder, path), 'utf8').catch(() => undefined))),
    );
    expect(contents).toEqual(['* text\n', undefined, '* -text\n']);
  });

  it('leaves out files that would exceed the total size limit of 4 MiB', async () => {
    const files = [
      { path: 'a/.gitattributes', content: '#'.repeat(3 * MIB) },
      { path: 'b/.gitattributes', content: '#'.repeat(MIB + 1) },
      { path: 'c/.gitattributes', content: '#'.repeat(MIB) },
      { path: 'd/.gitattributes', content: '#' },
    ];
    expect(await withFiles(files, (folder) => readdir(folder))).toEqual(['a', 'c']);
  });
});
