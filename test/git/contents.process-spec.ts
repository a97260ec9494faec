import { type GitChild, GitProgram, LIMITED_MEMORY } from '../../src/git/git-program';
import { type BranchDto } from '../../src/git-repositories/contents/dto/branch.dto';
import { type ChangedFileDto } from '../../src/git-repositories/contents/dto/changed-file.dto';
import { type CommitDto, type CommitWithFilesDto } from '../../src/git-repositories/contents/dto/commit.dto';
import { type ComparisonDto } from '../../src/git-repositories/contents/dto/comparison.dto';
import { type TagDto } from '../../src/git-repositories/contents/dto/tag.dto';
import { type TreeEntryDto } from '../../src/git-repositories/contents/dto/tree-entry.dto';
import { PushesService } from '../../src/git-repositories/pushes/pushes.service';
import { type ApiResponse, type Download } from '../support/api';
import { describeWithGit, WITH_GIT } from '../support/git';
import { COMMIT_TIME, gitIn, importCommits } from '../support/git-history';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MAIN = 'refs/heads/main';
const BYTES = Buffer.from([1, 0, 2, 0xff]);
const NO_COMMIT = '1234567890123456789012345678901234567890';

describeWithGit('the content API of git repositories', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const at = (path: string, query: Record<string, string | number> = {}): string => {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return `/projects/${project.key}/git/repositories/${project.repositoryName}/${path}?${parameters.toString()}`;
  };

  const get = <Body>(path: string, query?: Record<string, string | number>): Promise<ApiResponse<Body>> =>
    member.api.get<Body>(at(path, query));

  const download = (query: Record<string, string>, headers?: Record<string, string>): Promise<Download> =>
    member.api.download(at('files', query), headers);

  const fill = (...commits: Parameters<typeof importCommits>[2][number][]): Promise<string[]> =>
    importCommits(tested.world, project.repositoryId, commits);

  const git = (...args: string[]): Promise<string> => gitIn(tested.world, project.repositoryId, args);

  /** Returns all pages of a list, following the link of each page to the next. */
  async function allPages<Item>(path: string, count: number): Promise<Item[]> {
    const items: Item[] = [];
    const base = tested.world.server.baseUrl;
    let next: string | undefined = at(path, { count });
    while (next !== undefined) {
      const answer: ApiResponse<Item[]> = await member.api.get<Item[]>(next);
      expect(answer.status).toBe(200);
      expect(answer.body.length).toBeLessThanOrEqual(count);
      items.push(...answer.body);
      next = /<(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.slice(base.length);
    }
    return items;
  }

  describe('with an empty repository', () => {
    it('returns empty lists, and 404 for every named ref, path and commit', async () => {
      for (const path of ['branches', 'tags', 'commits', 'tree']) {
        const { status, body } = await get(path);
        expect([path, status, body]).toEqual([path, 200, []]);
      }
      expect((await get('commits', { ref: 'main' })).body).toEqual([]);
      for (const [path, query] of [
        ['commits', { ref: 'other' }],
        ['tree', { ref: 'other' }],
        ['tree', { path: 'folder' }],
        ['files', { path: 'README.md' }],
        ['compare', { base: 'main', head: 'main' }],
        [`commits/${NO_COMMIT}`, {}],
      ] as const) {
        const { status, body } = await get(path, query);
        expect([path, status, body]).toEqual([path, 404, errorShape(6)]);
      }
      const refused = await member.api.post(at('branches'), { name: 'new', from: 'main' });
      expect([refused.status, refused.body]).toEqual([400, errorShape(7, ['from'])]);
    });
  });

  describe('/branches and /tags', () => {
    it('lists branches by name in pages', async () => {
      const [first = ''] = await fill({ ref: MAIN });
      await git('branch', 'feature/a', first);
      await git('branch', 'ünïcödé', first);
      const shown = await allPages<BranchDto>('branches', 2);
      expect(shown).toEqual([
        { name: 'feature/a', commit: first, isDefault: false },
        { name: 'main', commit: first, isDefault: true },
        { name: 'ünïcödé', commit: first, isDefault: false },
      ]);
    });

    it('lists annotated tags, lightweight tags and tags of other objects', async () => {
      const [first = ''] = await fill({ ref: MAIN, files: [{ path: 'a', content: 'a' }] });
      await git('tag', 'light', first);
      await git('tag', '-a', '-m', 'The first\n\nrelease', 'v1', first);
      await git('tag', 'tree', `${first}^{tree}`);
      const { body } = await get<TagDto[]>('tags');
      expect(body).toEqual([
        { name: 'light', commit: first, message: null, tagger: null },
        { name: 'tree', commit: null, message: null, tagger: null },
        {
          name: 'v1',
          commit: first,
          message: 'The first\n\nrelease',
          tagger: { name: 'Ada', mailAddress: 'ada@example.com', time: expect.any(String) as string },
        },
      ]);
      expect(await allPages('tags', 1)).toEqual(body);
    });

    it('creates and deletes branches as a push does, from any kind of ref', async () => {
      const [first = ''] = await fill({ ref: MAIN });
      await git('tag', '-a', '-m', 'x', 'v1', first);
      const update = vi.spyOn(tested.world.service(PushesService), 'updateRef');
      for (const [name, from] of [
        ['of/branch', 'main'],
        ['of/tag', 'v1'],
        ['of/hash', first],
        ['of/part', first.slice(0, 7)],
        ['of/ref', 'refs/tags/v1'],
      ] as const) {
        const added = await member.api.post(at('branches'), { name, from });
        expect([added.status, added.body]).toEqual([201, { name, commit: first, isDefault: false }]);
      }
      expect(update).toHaveBeenCalledWith(project.repositoryId, expect.objectContaining({ id: member.id }), {
        ref: 'refs/heads/of/branch',
        oldHash: '0'.repeat(40),
        newHash: first,
      });
      const deleted = await member.api.delete(at('branches', { name: 'of/branch' }));
      expect([deleted.status, deleted.body]).toEqual([
        200,
        { name: 'of/branch', commit: first, isDefault: false },
      ]);
      expect(update).toHaveBeenLastCalledWith(
        project.repositoryId,
        expect.objectContaining({ id: member.id }),
        {
          ref: 'refs/heads/of/branch',
          oldHash: first,
          newHash: '0'.repeat(40),
        },
      );
      expect((await member.api.delete(at('branches', { name: 'of/branch' }))).status).toBe(404);
      update.mockRestore();
    });

    it.each([
      'a b',
      '..',
      'a..b',
      '-x',
      'HEAD',
      'a\nb',
      'a.lock',
      '/a',
      'a/',
      'a//b',
      'a~1',
      'a^{}',
      'a:b',
      'x'.repeat(244) + 'é',
    ])('refuses the branch name %j', async (name) => {
      await fill({ ref: MAIN });
      const refused = await member.api.post(at('branches'), { name, from: 'main' });
      expect([refused.status, refused.body]).toEqual([400, errorShape(7, ['name'])]);
    });

    it('refuses a conflicting branch name and an unknown starting point', async () => {
      const [first = ''] = await fill({ ref: MAIN });
      await git('branch', 'a/b', first);
      for (const [name, from, field] of [
        ['a/b', 'main', 'name'],
        ['a', 'main', 'name'],
        ['a/b/c', 'main', 'name'],
        ['new', 'missing', 'from'],
        ['new', 'main^{commit}', 'from'],
        ['new', 'main:', 'from'],
        ['new', '--all', 'from'],
        ['new', NO_COMMIT, 'from'],
      ] as const) {
        const refused = await member.api.post(at('branches'), { name, from });
        expect([name, from, refused.status, refused.body]).toEqual([name, from, 400, errorShape(7, [field])]);
      }
      expect((await get<BranchDto[]>('branches')).body.map(({ name }) => name)).toEqual(['a/b', 'main']);
    });

    it('accepts at least one of five simultaneous requests for the same branch', async () => {
      await fill({ ref: MAIN });
      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map(() => member.api.post(at('branches'), { name: 'new', from: 'main' })),
      );
      // Concurrent requests for the same commit may all succeed.
      expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
      for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
        expect([status, body]).toEqual([400, errorShape(7, ['name'])]);
      }
    });

    it('refuses to delete a branch that is protected or changed meanwhile', async () => {
      const { world } = tested;
      const [first = ''] = await fill({ ref: MAIN });
      const remove = (name: string): Promise<ApiResponse> => member.api.delete(at('branches', { name }));
      const refused = await remove('main');
      expect([refused.status, refused.body]).toEqual([400, errorShape(7, ['name'])]);
      await git('update-ref', 'refs/tags/refs/heads/tagged', first);
      for (const name of ['tagged', `x-g${first.slice(0, 9)}`]) expect((await remove(name)).status).toBe(404);
      await git('branch', 'other', first);
      const update = vi.spyOn(world.service(PushesService), 'updateRef').mockResolvedValueOnce(false);
      const changed = await remove('other');
      expect([changed.status, changed.body]).toEqual([400, errorShape(7, ['name'])]);
      update.mockRestore();
      await world.dataSource.query('UPDATE git_repository SET protects_default_branch = ? WHERE id = ?', [
        0,
        project.repositoryId,
      ]);
      const deleted = await remove('main');
      expect([deleted.status, deleted.body]).toEqual([200, { name: 'main', commit: first, isDefault: true }]);
      for (const name of ['../../config', 'a\nb', '@{-1}']) expect((await remove(name)).status).toBe(404);
    });
  });

  describe('/commits', () => {
    it('lists the commits of a branch, tag or commit, newest first, in pages', async () => {
      const commits = Array.from({ length: 5 }, (_nothing, index) => ({
        ref: MAIN,
        time: COMMIT_TIME + index,
        message: `Number ${index}\n\nMore of it.\n`,
      }));
      const hashes = await fill(...commits);
      const [first = '', second = ''] = hashes;
      await git('tag', 'v1', second);
      const { body } = await get<CommitDto[]>('commits');
      expect(body.map(({ hash }) => hash)).toEqual(hashes.toReversed());
      expect(body.at(-2)).toEqual({
        hash: second,
        parents: [first],
        author: { name: 'Ada', mailAddress: 'ada@example.com', time: '2026-01-31T09:30:01Z' },
        committer: { name: 'Ada', mailAddress: 'ada@example.com', time: '2026-01-31T09:30:01Z' },
        message: 'Number 1\n\nMore of it.',
        isMessageTruncated: false,
      });
      expect(await allPages('commits', 2)).toEqual(body);
      for (const ref of ['v1', second, second.slice(0, 8), 'refs/tags/v1']) {
        const { body: some } = await get<CommitDto[]>('commits', { ref });
        expect(some.map(({ hash }) => hash)).toEqual([second, first]);
      }
      for (const ref of [
        'missing',
        NO_COMMIT,
        'main~1',
        '--all',
        '-n',
        'main:a',
        '^main',
        'a\nb',
        `${first}^{tree}`,
      ]) {
        const { status, body: error } = await get('commits', { ref });
        expect([ref, status, error]).toEqual([ref, 404, errorShape(6)]);
      }
    });

    it('filters commits by path, author and time', async () => {
      const hashes = await fill(
        { ref: MAIN, time: COMMIT_TIME, files: [{ path: 'a/b', content: '1' }] },
        {
          ref: MAIN,
          time: COMMIT_TIME + 60,
          author: 'Bob (B.*) <bob@example.com>',
          files: [{ path: 'c', content: '1' }],
        },
        { ref: MAIN, time: COMMIT_TIME + 120, files: [{ path: ':(top)x*', content: '1' }] },
      );
      const found = async (query: Record<string, string>): Promise<number[]> => {
        const { status, body } = await get<CommitDto[]>('commits', query);
        expect(status).toBe(200);
        return body.map(({ hash }) => hashes.indexOf(hash));
      };
      expect(await found({ path: 'a' })).toEqual([0]);
      expect(await found({ path: '/a/b' })).toEqual([0]);
      expect(await found({ path: ':(top)x*' })).toEqual([2]);
      expect(await found({ path: '*' })).toEqual([]);
      expect(await found({ path: '' })).toEqual([2, 1, 0]);
      expect(await found({ path: '--all' })).toEqual([]);
      expect(await found({ author: 'BOB' })).toEqual([1]);
      expect(await found({ author: '(B.*)' })).toEqual([1]);
      expect(await found({ author: '.*' })).toEqual([1]);
      expect(await found({ author: 'ada@' })).toEqual([2, 0]);
      expect(await found({ since: '2026-01-31T09:31:00Z' })).toEqual([2, 1]);
      expect(await found({ until: '2026-01-31T09:31:00Z' })).toEqual([1, 0]);
      expect(await found({ until: '1969-01-31T09:31:00Z' })).toEqual([]);
      expect(await found({ since: '1969-01-31T09:31:00Z', author: 'Bob' })).toEqual([1]);
      expect(await found({ since: '9999-12-31T23:59:59Z' })).toEqual([]);
      expect(await found({ until: '9999-12-31T23:59:59Z' })).toEqual([2, 1, 0]);
      for (const path of ['../x', 'a/../b', 'a//b', '.', './a']) {
        const { status, body } = await get('commits', { path });
        expect([path, status, body]).toEqual([path, 400, errorShape(7, ['path'])]);
      }
    });

    it('returns commits with control characters, invalid UTF-8 and overlong fields', async () => {
      const long = 'é'.repeat(100_000);
      const [hash = ''] = await fill(
        {
          ref: MAIN,
          message: Buffer.concat([Buffer.from('\x1b[31m\r\u202e\n'), Buffer.from([0xff, 0xfe])]),
          author: `${'N'.repeat(5000)}\x07 <${'m'.repeat(5000)}>`,
          time: 99_999_999_999_999,
        },
        { ref: MAIN, message: long },
      );
      const { body } = await get<CommitDto[]>('commits');
      expect(body.map(({ message }) => message)).toEqual([
        'é'.repeat(4096),
        '\x1b[31m\r\u202e\n\ufffd\ufffd',
      ]);
      expect(body.map(({ isMessageTruncated }) => isMessageTruncated)).toEqual([true, false]);
      const { author } = (await get<CommitWithFilesDto>(`commits/${hash}`)).body;
      expect(author).toEqual({
        name: 'N'.repeat(1000),
        mailAddress: 'm'.repeat(1000),
        time: '1970-01-01T00:00:00Z',
      });
    });

    it('returns a commit with the files that it changes', async () => {
      const [first = '', second = ''] = await fill(
        {
          ref: MAIN,
          files: [
            { path: 'moved', content: 'line\n'.repeat(50) },
            { path: 'text', content: 'a\nb\n' },
            { path: 'gone', content: 'gone\n' },
            { path: 'bytes', content: BYTES },
            { path: 'script', content: 'true\n' },
            { path: 'link', content: 'text' },
          ],
        },
        {
          ref: MAIN,
          files: [
            { path: 'moved' },
            { path: 'to/here', content: `${'line\n'.repeat(50)}more\n` },
            { path: 'text', content: 'a\nc' },
            { path: 'gone' },
            { path: 'bytes', content: Buffer.concat([BYTES, BYTES]) },
            { path: 'script', content: 'true\n', mode: '100755' },
            { path: 'link', content: 'text', mode: '120000' },
            { path: 'ünï "q"\n\ud83d\ude00', content: 'new\n' },
          ],
        },
      );
      const root = (await get<CommitWithFilesDto>(`commits/${first}`)).body;
      expect([root.changedFiles, root.parents]).toEqual([6, []]);
      expect(root.files.find(({ path }) => path === 'text')).toMatchObject({
        status: 'added',
        previousMode: null,
        previousHash: null,
        mode: '100644',
        additions: 2,
        patch: '@@ -0,0 +1,2 @@\n+a\n+b\n',
      });
      const { status, body } = await get<CommitWithFilesDto>(`commits/${second.slice(0, 9)}`);
      expect([status, body.hash, body.changedFiles]).toEqual([200, second, 7]);
      const file = (path: string): ChangedFileDto | undefined =>
        body.files.find((candidate) => candidate.path === path);
      expect(file('text')).toMatchObject({
        status: 'modified',
        additions: 1,
        deletions: 1,
        patch: '@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n',
        isTruncated: false,
      });
      expect(file('gone')).toMatchObject({
        status: 'deleted',
        mode: null,
        hash: null,
        patch: '@@ -1 +0,0 @@\n-gone\n',
      });
      expect(file('to/here')).toMatchObject({
        status: 'renamed',
        previousPath: 'moved',
        additions: 1,
        deletions: 0,
      });
      expect(file('bytes')).toMatchObject({
        status: 'modified',
        additions: null,
        patch: null,
        isTruncated: false,
      });
      expect(file('script')).toMatchObject({
        previousMode: '100644',
        mode: '100755',
        patch: '',
        additions: 0,
      });
      expect(file('link')).toMatchObject({ status: 'typeChanged', previousMode: '100644', mode: '120000' });
      expect(file('link')?.patch).toMatch(/^@@ -1 \+0,0 @@\n-text\n.*@@ -0,0 \+1 @@\n\+text\n/s);
      expect(file('ünï "q"\n\ud83d\ude00')).toMatchObject({
        status: 'added',
        patch: '@@ -0,0 +1 @@\n+new\n',
      });
      const { body: page } = await get<CommitWithFilesDto>(`commits/${second}`, { count: 2, offset: 2 });
      expect(page.files).toEqual(body.files.slice(2, 4));
    });

    it.each(['main', '--all', 'abc', 'x'.repeat(40), NO_COMMIT, 'HEAD'])(
      'returns 404 for the commit %s',
      async (hash) => {
        await fill({ ref: MAIN });
        expect((await get(`commits/${hash}`)).status).toBe(404);
      },
    );
  });

  describe('/tree', () => {
    it('lists entries of all types and with unusual names', async () => {
      const [commit = ''] = await fill({
        ref: MAIN,
        files: [
          { path: 'README.md', content: '# Demo\n' },
          { path: 'run', content: 'true\n', mode: '100755' },
          { path: 'folder/file', content: 'x' },
          { path: 'link', content: '/etc/passwd', mode: '120000' },
          { path: 'module', commit: NO_COMMIT },
          { path: Buffer.from([0x78, 0xff, 0x78]), content: '' },
          { path: 'new\nline\t"quoted"', content: '' },
          { path: ':(glob)*', content: '' },
        ],
      });
      const { body } = await get<TreeEntryDto[]>('tree');
      expect(body.map(({ name, type, mode, size }) => [name, type, mode, size])).toEqual([
        [':(glob)*', 'blob', '100644', 0],
        ['README.md', 'blob', '100644', 7],
        ['folder', 'tree', '040000', null],
        ['link', 'symlink', '120000', 11],
        ['module', 'commit', '160000', null],
        ['new\nline\t"quoted"', 'blob', '100644', 0],
        ['run', 'blob', '100755', 5],
        ['x\ufffdx', 'blob', '100644', 0],
      ]);
      expect(await allPages('tree', 3)).toEqual(body);
      const { body: inside } = await get<TreeEntryDto[]>('tree', { path: 'folder/', ref: commit });
      expect(inside.map(({ name, path }) => [name, path])).toEqual([['file', 'folder/file']]);
      for (const path of ['missing', 'README.md', 'link', 'module', ':(glob)*', '*', '--all']) {
        const { status } = await get('tree', { path });
        expect([path, status]).toEqual([path, 404]);
      }
      expect((await get('tree', { path: '..' })).status).toBe(400);
      expect((await get('tree', { path: '/' })).body).toEqual(body);
    });

    it('returns pages of a folder of 10,000 files', async () => {
      const files = Array.from({ length: 10_000 }, (_nothing, index) => ({
        path: `all/${String(index).padStart(5, '0')}`,
        content: String(index),
      }));
      await fill({ ref: MAIN, files });
      const { body, headers } = await get<TreeEntryDto[]>('tree', { path: 'all', count: 100, offset: 9850 });
      expect(body.map(({ name }) => name)).toEqual(
        files.slice(9850, 9950).map(({ path }) => path.slice('all/'.length)),
      );
      expect(headers.get('link')).toContain('offset=9950');
      const last = await get<TreeEntryDto[]>('tree', { path: 'all', count: 100, offset: 9950 });
      expect([last.body.length, last.headers.get('link')]).toEqual([50, null]);
      expect((await get('tree', { path: 'all', offset: 10_000 })).body).toEqual([]);
    });
  });

  describe('/files', () => {
    it('sends files with a content type that no browser executes', async () => {
      const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
      await fill({
        ref: MAIN,
        files: [
          { path: 'page.html', content: '<script>alert(1)</script>' },
          { path: 'code.ts', content: 'export {};' },
          { path: 'drawing.svg', content: '<svg/>' },
          { path: 'picture.png', content: png },
          { path: 'data', content: BYTES },
          { path: 'fake.html', content: Buffer.concat([Buffer.from('<script>'), BYTES]) },
          { path: 'empty', content: '' },
          { path: 'ünï/"x".txt', content: 'ü' },
          { path: 'link', content: '/etc/passwd', mode: '120000' },
        ],
      });
      const text = 'text/plain; charset=utf-8';
      for (const [path, type, content] of [
        ['page.html', text, '<script>alert(1)</script>'],
        ['code.ts', text, 'export {};'],
        ['drawing.svg', text, '<svg/>'],
        ['picture.png', 'image/png', png],
        ['data', 'application/octet-stream', BYTES],
        ['fake.html', 'application/octet-stream', undefined],
        ['empty', text, ''],
        ['ünï/"x".txt', text, 'ü'],
        ['link', text, '/etc/passwd'],
      ] as const) {
        const { status, bytes, headers } = await download({ path });
        expect([path, status, headers.get('content-type')]).toEqual([path, 200, type]);
        if (content !== undefined) expect(bytes).toEqual(Buffer.from(content as string));
        expect(headers.get('content-security-policy')).toContain('sandbox');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''/);
      }
    });

    it('returns 304 for a matching ETag and no body for HEAD', async () => {
      await fill({ ref: MAIN, files: [{ path: 'a', content: 'a' }] });
      const { headers } = await download({ path: 'a' });
      const tag = headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[0-9a-f]{40}"$/);
      const again = await download({ path: 'a' }, { 'If-None-Match': `"other", W/${tag}` });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
      expect((await download({ path: 'a' }, { 'If-None-Match': '"other"' })).status).toBe(200);
      const head = await member.api.send('HEAD', at('files', { path: 'a' }));
      expect([head.status, head.headers.get('content-length'), head.text]).toEqual([200, '1', '']);
    });

    it.each([
      ['small', 'utf-8', Buffer.from('café\n'.repeat(10))],
      ['whole', 'utf-8', Buffer.from('café\n'.repeat(100_000))],
      ['latin1', undefined, Buffer.from('café\n'.repeat(100_000), 'latin1')],
      ['large', undefined, Buffer.from('café\n'.repeat(1_000_000))],
    ])('reads a file at most once per request (%s)', async (path, charset, content) => {
      await fill({ ref: MAIN, files: [{ path, content }] });
      const type = charset === undefined ? 'text/plain' : `text/plain; charset=${charset}`;
      const started = vi.spyOn(tested.world.service(GitProgram), 'start');
      const reads = (): number => {
        const calls = started.mock.calls.filter(
          ([[command, what]]) => command === 'cat-file' && what === 'blob',
        );
        started.mockClear();
        return calls.length;
      };
      const { bytes, headers } = await download({ path });
      expect([bytes.equals(content), headers.get('content-type'), reads()]).toEqual([true, type, 1]);
      const head = await member.api.send('HEAD', at('files', { path }));
      const { headers: headHeaders } = head;
      expect([head.status, headHeaders.get('content-type'), headHeaders.get('content-length')]).toEqual([
        200,
        type,
        String(content.length),
      ]);
      expect(reads()).toBe(1);
      const again = await download({ path }, { 'If-None-Match': headers.get('etag') ?? '' });
      expect([again.status, reads()]).toEqual([304, 0]);
      started.mockRestore();
    });

    it('returns 400 for folders and submodules, and 404 for unknown paths', async () => {
      await fill({
        ref: MAIN,
        files: [
          { path: 'folder/file', content: 'x' },
          { path: 'module', commit: NO_COMMIT },
        ],
      });
      for (const [query, status] of [
        [{ path: 'folder' }, 400],
        [{ path: 'module' }, 400],
        [{ path: '' }, 400],
        [{ path: 'folder/../folder/file' }, 400],
        [{ path: 'folder/x' }, 404],
        [{ path: 'module/x' }, 404],
        [{ path: 'fold' }, 404],
        [{ path: 'folder/file', ref: 'missing' }, 404],
        [{ path: 'folder/file/' }, 200],
      ] as const) {
        expect([query, (await download(query)).status]).toEqual([query, status]);
      }
    });

    it('streams a file of 20 MiB and refuses one above 100 MiB', async () => {
      const large = Buffer.alloc(20 * 1024 * 1024, 'line of text\n');
      const huge = Buffer.alloc(100 * 1024 * 1024 + 1);
      await fill({
        ref: MAIN,
        files: [
          { path: 'large', content: large },
          { path: 'huge', content: huge },
        ],
      });
      const { status, bytes, headers } = await download({ path: 'large' });
      expect([status, bytes.equals(large), headers.get('content-length')]).toEqual([
        200,
        true,
        String(large.length),
      ]);
      const refused = await download({ path: 'huge' });
      expect([refused.status, refused.body]).toEqual([400, errorShape(7, ['path'])]);
    });
  });

  describe('/compare', () => {
    it('returns the commits and files of the head since the merge base', async () => {
      const [first = '', , third = '', fourth = ''] = await fill(
        { ref: MAIN, files: [{ path: 'a', content: '1\n' }] },
        { ref: MAIN, files: [{ path: 'b', content: '1\n' }] },
        { ref: 'refs/heads/feature', parents: [':1'], files: [{ path: 'c', content: '1\n' }] },
        { ref: 'refs/heads/feature', time: COMMIT_TIME + 1, files: [{ path: 'a', content: '2\n' }] },
      );
      const { status, body } = await get<ComparisonDto>('compare', { base: 'main', head: 'feature' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        mergeBase: first,
        ahead: 2,
        behind: 1,
        changedFiles: 2,
        isTruncated: false,
      });
      expect(body.commits.map(({ hash }) => hash)).toEqual([fourth, third]);
      expect(body.files.map(({ path, patch }) => [path, patch])).toEqual([
        ['a', '@@ -1 +1 @@\n-1\n+2\n'],
        ['c', '@@ -0,0 +1 @@\n+1\n'],
      ]);
      const { body: part } = await get<ComparisonDto>('compare', { base: 'main', head: 'feature', count: 1 });
      expect([part.commits.length, part.files.length, part.isTruncated]).toEqual([1, 1, true]);
      const query = { base: 'main', head: 'feature', count: 1, offset: 1, fileOffset: 1 };
      const { body: rest } = await get<ComparisonDto>('compare', query);
      expect([rest.commits[0]?.hash, rest.files[0]?.path, rest.isTruncated]).toEqual([third, 'c', false]);
      const { body: same } = await get<ComparisonDto>('compare', {
        base: third,
        head: 'feature~'.slice(0, 7),
      });
      expect(same).toMatchObject({ mergeBase: third, ahead: 1, behind: 0 });
      expect((await get('compare', { base: 'main', head: 'nothing' })).status).toBe(404);
    });

    it('compares branches without a common commit', async () => {
      await fill(
        { ref: MAIN, files: [{ path: 'a', content: '1\n' }] },
        { ref: 'refs/heads/other', parents: [], files: [{ path: 'b', content: '2\n' }] },
      );
      const { body } = await get<ComparisonDto>('compare', { base: 'main', head: 'other' });
      expect(body).toMatchObject({ mergeBase: null, ahead: 1, behind: 1, changedFiles: 2 });
    });

    it('truncates patches at the limits per file and in total', async () => {
      const lines = (count: number): string => `${'0123456789'.repeat(6)}\n`.repeat(count);
      const files = Array.from({ length: 15 }, (_nothing, index) => ({
        path: `large-${String(index).padStart(2, '0')}`,
        content: lines(3000),
      }));
      await fill(
        { ref: MAIN, files: [{ path: 'z', content: '' }] },
        {
          ref: 'refs/heads/feature',
          parents: [':1'],
          files: [
            ...files,
            { path: 'one-line', content: 'x'.repeat(300_000) },
            { path: 'very-large', content: 'x\n'.repeat(700_000) },
          ],
        },
      );
      const { status, body, text } = await get<ComparisonDto>('compare', { base: 'main', head: 'feature' });
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(1.5 * 1024 * 1024);
      expect(body.changedFiles).toBe(17);
      expect(body.files[0]).toMatchObject({ additions: 3000, isTruncated: true });
      expect(body.files[0]?.patch?.length).toBeLessThanOrEqual(100 * 1024);
      expect(body.files[0]?.patch).toMatch(/9\n$/);
      expect(body.files[14]).toMatchObject({ additions: 3000, patch: null, isTruncated: true });
      const { body: rest } = await get<ComparisonDto>('compare', {
        base: 'main',
        head: 'feature',
        fileOffset: 14,
      });
      expect(rest.files.map(({ additions, patch }) => [additions, patch === null])).toEqual([
        [3000, false],
        [1, false],
        [700_000, false],
      ]);
    });

    it('returns 400 when a comparison needs too much memory', async () => {
      const content = Buffer.alloc(4 * 1024 * 1024, 'a\n');
      await fill(
        { ref: MAIN, files: [{ path: 'a', content }] },
        { ref: 'refs/heads/other', parents: [], files: [{ path: 'b', content: `${content.toString()}b` }] },
      );
      const compared = { base: 'main', head: 'other' };
      expect((await get<ComparisonDto>('compare', compared)).body.files).toMatchObject([
        { status: 'renamed' },
      ]);
      const limit = vi.spyOn(LIMITED_MEMORY, 'GIT_ALLOC_LIMIT', 'get').mockReturnValue('2m');
      try {
        expect((await get('compare', compared)).status).toBe(400);
      } finally {
        limit.mockRestore();
      }
    });

    it('ignores diff drivers, mailmaps and replacements of the repository', async () => {
      const commits = [1, 2].map((number) => ({
        ref: MAIN,
        files: [
          { path: '.gitattributes', content: '* diff=evil filter=evil textconv=evil\n' },
          { path: '.mailmap', content: 'Mallory <mallory@example.com> <ada@example.com>\n' },
          { path: 'a', content: `${number}\n` },
        ],
      }));
      const [first = '', second = ''] = await fill(...commits);
      await gitIn(tested.world, project.repositoryId, ['config', 'diff.evil.textconv', 'false']);
      await gitIn(tested.world, project.repositoryId, ['config', 'diff.evil.command', 'false']);
      await git('replace', first, second);
      const { body } = await get<CommitWithFilesDto>(`commits/${second}`);
      expect(body.files.map(({ path, patch }) => [path, patch])).toEqual([['a', '@@ -1 +1 @@\n-1\n+2\n']]);
      expect(body.author.name).toBe('Ada');
      expect((await get<CommitDto[]>('commits')).body.map(({ hash }) => hash)).toEqual([second, first]);
    });
  });

  it('returns files whose names are not UTF-8 without patches', async () => {
    const [commit = ''] = await fill({
      ref: MAIN,
      files: [
        { path: Buffer.from([0x61, 0xff]), content: 'x\n' },
        { path: 'b', content: 'y\n' },
      ],
    });
    const { body } = await get<CommitWithFilesDto>(`commits/${commit}`);
    expect(body.files.map(({ path, patch, isTruncated }) => [path, patch, isTruncated])).toEqual([
      ['a\ufffd', null, true],
      ['b', '@@ -0,0 +1 @@\n+y\n', false],
    ]);
  });

  it('returns empty pages beyond the end of a list', async () => {
    const [commit = ''] = await fill({ ref: MAIN, files: [{ path: 'a', content: 'a' }] });
    await git('tag', 'v1', commit);
    for (const path of ['tree', 'commits', 'branches', 'tags']) {
      const { status, body, headers } = await get(path, { count: 100, offset: 2 ** 31 - 1 });
      expect([path, status, body, headers.get('link')]).toEqual([path, 200, [], null]);
    }
    const { body } = await get<CommitWithFilesDto>(`commits/${commit}`, { offset: 2 ** 31 - 1 });
    expect([body.changedFiles, body.files]).toEqual([1, []]);
  });

  it('leaves no git process running', async () => {
    await fill({ ref: MAIN, files: [{ path: 'a', content: Buffer.alloc(1024 * 1024, 'a\n') }] });
    await Promise.all(['tree', 'commits', 'branches', 'tags'].map((path) => get(path, { count: 1 })));
    await download({ path: 'a' });
    const { children } = tested.world.service(GitProgram) as unknown as {
      children: Set<GitChild>;
    };
    // Processes that were killed exit soon; any other would wait for its deadline.
    await Promise.all([...children].map(({ exited }) => exited));
    expect(children.size).toBe(0);
  });
});

describe('the content API of git repositories without git', () => {
  const tested = useWorld();

  it('returns 503', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const base = `/projects/${project.key}/git/repositories/${project.repositoryName}`;
    for (const path of ['branches', 'tags', 'commits', 'tree', 'files?path=a', 'compare?base=a&head=b']) {
      const { status, body } = await world.admin.api.get(`${base}/${path}`);
      expect([path, status, body]).toEqual([path, 503, errorShape(1)]);
    }
  });
});
