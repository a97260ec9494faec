import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITED_MEMORY } from '../../src/git/git-program';
import { type ChangedFileDto } from '../../src/git-repositories/contents/dto/changed-file.dto';
import { type ComparisonDto } from '../../src/git-repositories/contents/dto/comparison.dto';
import { type ApiResponse } from '../support/api';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { gitIn, type ImportedFile, importCommits } from '../support/git-history';
import { ServedGit } from '../support/served-git';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MAIN = 'refs/heads/main';
const FEATURE = 'refs/heads/feature';
/** More than 1 MiB of text. */
const LINES = Array.from({ length: 40_000 }, (_, index) => `${index} is a line of a large file of text\n`);
const LARGE = LINES.join('');
const LATIN1 = Buffer.from('caf\xe9\n', 'latin1');
const SHIFT_JIS = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a]);

describeWithGit('a repository with real-world contents', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let member: Person;
  let folder: GitFolder;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    folder = await GitFolder.make();
  });
  afterEach(() => folder.remove());

  const repository = (): string => `/projects/${project.key}/git/repositories/${project.repositoryName}`;
  const get = <Body>(path: string): Promise<ApiResponse<Body>> => member.api.get<Body>(repository() + path);
  const typeOf = async (path: string): Promise<string | null> =>
    (await get(path)).headers.get('content-type');

  /** Adds a commit to both branches, then one to each; and a pull request of the two. */
  async function diverge(
    base: readonly ImportedFile[],
    ours: readonly ImportedFile[],
    theirs: readonly ImportedFile[],
  ): Promise<{ path: string; number: number; hashes: string[] }> {
    const hashes = await importCommits(tested.world, project.repositoryId, [
      { ref: MAIN, files: base },
      { ref: FEATURE, parents: [':1'], message: 'Change it', files: theirs },
      ...(ours.length === 0 ? [] : [{ ref: MAIN, files: ours }]),
    ]);
    const { status, body } = await member.api.post<{ number: number }>(`${repository()}/pullRequests`, {
      summary: 'Change',
      description: '',
      base: 'main',
      branch: 'feature',
    });
    expect(status).toBe(200);
    return { path: `/pullRequests/${body.number}`, number: body.number, hashes };
  }

  describe('when merging with .gitattributes', () => {
    const text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
    const merge = async (path: string): Promise<ApiResponse<{ errors: { message: string }[] }>> =>
      member.api.patch(repository() + path, { statusId: 3 });

    it('applies merge=union from the .gitattributes of a folder', async () => {
      const { path } = await diverge(
        [
          { path: 'docs/.gitattributes', content: 'log merge=union\n' },
          { path: 'docs/log', content: 'one\n' },
        ],
        [{ path: 'docs/log', content: 'one\nours\n' }],
        [{ path: 'docs/log', content: 'one\ntheirs\n' }],
      );
      expect((await merge(path)).status).toBe(200);
      const merged = await gitIn(tested.world, project.repositoryId, ['show', 'main:docs/log']);
      expect(merged).toBe('one\nours\ntheirs');
    });

    it('returns 409 for changes on both branches to a file with -merge', async () => {
      const { path } = await diverge(
        [
          { path: '.gitattributes', content: '*.lock -merge\n' },
          { path: 'a.lock', content: text },
        ],
        [{ path: 'a.lock', content: text.replace('one', 'ONE') }],
        [{ path: 'a.lock', content: text.replace('seven', 'SEVEN') }],
      );
      const { status, body } = await merge(path);
      expect(status).toBe(409);
      expect(body.errors[0]?.message).toMatch(/conflict in a file: "a\.lock"/);
    });

    it('merges despite invalid, linked and misplaced .gitattributes', async () => {
      const { path } = await diverge(
        [
          { path: '.gitattributes', content: `${'a'.repeat(3000)} merge=union\n* merge=nobody filter=x\n` },
          { path: 'link/.gitattributes', content: '/etc/passwd', mode: '120000' },
          { path: 'folder/.gitattributes/.gitattributes', content: 'x merge=union\n' },
          { path: Buffer.from([0x61, 0xff, 0x2f, ...Buffer.from('.gitattributes')]), content: '* -merge\n' },
          { path: 'a', content: text },
        ],
        [{ path: 'a', content: text.replace('one', 'ONE') }],
        [{ path: 'a', content: text.replace('seven', 'SEVEN') }],
      );
      expect((await merge(path)).status).toBe(200);
    });
  });

  describe('with large text files', () => {
    it('returns the changed lines in comparisons, and in files and diffs of pull requests', async () => {
      const changed = LINES.with(20_000, 'Another line\n').join('');
      const { path } = await diverge([{ path: 'a', content: LARGE }], [], [{ path: 'a', content: changed }]);
      const patch = /^@@ -19998,7 \+19998,7 @@[^]*\n\+Another line\n/;
      const { body: files } = await get<ChangedFileDto[]>(`${path}/files`);
      expect(files).toMatchObject([{ additions: 1, deletions: 1, isTruncated: false }]);
      expect(files[0]?.patch).toMatch(patch);
      const { body: comparison } = await get<ComparisonDto>('/compare?base=main&head=feature');
      expect(comparison.files[0]?.patch).toMatch(patch);
      const { text, headers } = await get(`${path}.diff`);
      expect(text).toMatch(/\n@@ -19998,7 \+19998,7 @@[^]*\n\+Another line\n/);
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    });

    it('truncates a patch above 100 KiB', async () => {
      const { path } = await diverge([{ path: 'a', content: '' }], [], [{ path: 'a', content: LARGE }]);
      const { body } = await get<ChangedFileDto[]>(`${path}/files`);
      expect(body).toMatchObject([{ additions: 40_000, deletions: 0, isTruncated: true }]);
      expect(body[0]?.patch?.length).toBeLessThanOrEqual(100 * 1024);
    });

    it('shows files as binary when their lines need too much memory', async () => {
      const { path } = await diverge(
        [
          { path: 'a', content: '1\n' },
          { path: 'b', content: 'a\n'.repeat(750_000) },
        ],
        [],
        [
          { path: 'a', content: '2\n' },
          { path: 'b', content: 'b\n'.repeat(750_000) },
        ],
      );
      const limit = vi.spyOn(LIMITED_MEMORY, 'GIT_ALLOC_LIMIT', 'get').mockReturnValue('4m');
      try {
        const diff = await get(`${path}.diff`);
        expect([diff.status, diff.text]).toEqual([
          200,
          expect.stringMatching(/^diff --git a\/a b\/a\n[^]*\+2\n[^]*\nBinary files a\/b and b\/b differ\n$/),
        ]);
        const patch = await get(`${path}.patch`);
        expect([patch.status, patch.text]).toEqual([
          200,
          expect.stringMatching(/^From [^]*\+2\n[^]*\nGIT binary patch\n/),
        ]);
        // A patch contains binary files, so that git has to read them.
        limit.mockReturnValue('1m');
        const refused = await get(`${path}.patch`);
        expect([refused.status, refused.body]).toEqual([400, errorShape(7)]);
      } finally {
        limit.mockRestore();
      }
    });

    it('returns a patch with text and binary files that git applies', async () => {
      const changed = LINES.with(20_000, 'Another line\n').join('');
      const binary = Buffer.from([0, 1, 2, 255, 0, 10]);
      const { path, hashes } = await diverge(
        [{ path: 'a', content: LARGE }],
        [],
        [
          { path: 'a', content: changed },
          { path: 'b', content: binary },
          { path: 'c', content: LATIN1 },
        ],
      );
      const { bytes } = await member.api.download(`${repository()}${path}.patch`);
      await writeFile(join(folder.path, 'patch'), bytes);
      const clone = await new ServedGit(tested.world, project).clone(folder, member);
      await clone.git('am', '--quiet', '../patch');
      expect(await clone.git('diff', '--stat', 'HEAD', hashes[1] as string)).toBe('');
    });
  });

  describe('with files in different encodings', () => {
    const files: ImportedFile[] = [
      { path: '.gitattributes', content: 'sjis encoding=Shift_JIS\nodd encoding=nothing\n' },
      { path: 'ascii', content: 'a\n' },
      { path: 'utf8', content: `${'é'.repeat(100_000)}\n` },
      { path: 'latin1', content: LATIN1 },
      { path: 'late', content: Buffer.concat([Buffer.from('a\n'.repeat(100_000)), LATIN1]) },
      { path: 'cut', content: Buffer.from([0x61, 0xc3]) },
      { path: 'sjis', content: SHIFT_JIS },
      { path: 'odd', content: LATIN1 },
    ];

    it('names the charset of a file only if it is known', async () => {
      await importCommits(tested.world, project.repositoryId, [{ ref: MAIN, files }]);
      for (const [path, type] of [
        ['ascii', 'text/plain; charset=utf-8'],
        ['utf8', 'text/plain; charset=utf-8'],
        ['latin1', 'text/plain'],
        ['late', 'text/plain'],
        ['cut', 'text/plain'],
        ['sjis', 'text/plain; charset=shift_jis'],
        ['odd', 'text/plain'],
      ])
        expect([path, await typeOf(`/files?path=${path}`)]).toEqual([path, type]);
    });

    it('decodes each patch by the encoding of its file', async () => {
      const { path } = await diverge([{ path: 'ascii', content: '' }], [], files);
      const { body } = await get<ChangedFileDto[]>(`${path}/files`);
      const patches = Object.fromEntries(body.map((file) => [file.path, file.patch]));
      expect(patches.sjis).toBe('@@ -0,0 +1 @@\n+日本\n');
      expect(patches.latin1).toBe('@@ -0,0 +1 @@\n+caf\ufffd\n');
      expect(patches.ascii).toBe('@@ -0,0 +1 @@\n+a\n');
      expect(await typeOf(`${path}.diff`)).toBe('text/plain');
      expect(await typeOf(`${path}.patch`)).toBe('text/plain');
    });
  });

  it('lets clients fetch, but not push, the heads of pull requests', async () => {
    const { number, hashes } = await diverge(
      [{ path: 'a', content: '1\n' }],
      [],
      [{ path: 'a', content: '2\n' }],
    );
    const clone = await new ServedGit(tested.world, project).clone(folder, member);
    for (const version of ['0', '2']) {
      const protocol = ['-c', `protocol.version=${version}`];
      await clone.git(...protocol, 'fetch', '--quiet', 'origin', `pull/${number}/head`);
      expect(await clone.git('rev-parse', 'FETCH_HEAD')).toBe(hashes[1]);
    }
    const { stderr } = await clone.try('push', 'origin', `HEAD:refs/pull/${number}/head`);
    expect(stderr).toMatch(/remote: Skipped refs\/pull/);
    expect(await clone.git('ls-remote', 'origin', `refs/pull/${number}/head`)).toMatch(hashes[1] as string);
  });
});
