import { type ChangedFileDto } from '../../src/git-repositories/contents/dto/changed-file.dto';
import { type CommitDto } from '../../src/git-repositories/contents/dto/commit.dto';
import { type ApiResponse } from '../support/api';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { gitIn, importCommits } from '../support/git-history';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MAIN = 'refs/heads/main';
const FEATURE = 'refs/heads/feature';
const NO_COMMIT = '1234567890123456789012345678901234567890';

describeWithGit('the content API of a pull request', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const at = (path: string): string =>
    `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests/${project.pullRequestNumber}${path}`;

  const get = <Body>(path: string): Promise<ApiResponse<Body>> => member.api.get<Body>(at(path));

  const fill = (...commits: Parameters<typeof importCommits>[2][number][]): Promise<string[]> =>
    importCommits(tested.world, project.repositoryId, commits);

  /** Updates the columns of the pull request as merges and pushes do. */
  const write = async (columns: Record<string, string | number | null>): Promise<void> => {
    const names = Object.keys(columns);
    await tested.world.dataSource.query(
      `UPDATE pull_request SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE repository_id = ?`,
      [...Object.values(columns), project.repositoryId],
    );
  };

  const commits = async (): Promise<string[]> => {
    const { status, body } = await get<CommitDto[]>('/commits');
    expect(status).toBe(200);
    return body.map(({ hash }) => hash);
  };

  const files = async (): Promise<string[]> => {
    const { status, body } = await get<ChangedFileDto[]>('/files');
    expect(status).toBe(200);
    return body.map(({ path }) => path);
  };

  /** Adds a branch of two commits that starts before the last commit of the main branch. */
  const fillWithFeature = (): Promise<string[]> =>
    fill(
      { ref: MAIN, files: [{ path: 'a', content: '1\n' }] },
      { ref: MAIN, files: [{ path: 'b', content: '1\n' }] },
      { ref: FEATURE, parents: [':1'], message: 'Change a', files: [{ path: 'a', content: '2\n' }] },
      { ref: FEATURE, message: 'Add c', files: [{ path: 'c', content: '1\n' }] },
    );

  it('returns empty results while a branch does not exist', async () => {
    expect([await commits(), await files()]).toEqual([[], []]);
    await fill({ ref: MAIN });
    expect([await commits(), await files()]).toEqual([[], []]);
    for (const ending of ['.diff', '.patch']) {
      const { status, text, headers } = await get(ending);
      expect([status, text, headers.get('content-type')]).toEqual([200, '', 'text/plain; charset=utf-8']);
    }
  });

  it('returns the commits and files that the base lacks, in pages', async () => {
    const hashes = await fillWithFeature();
    expect(await commits()).toEqual([hashes[3], hashes[2]]);
    const { body, headers } = await get<ChangedFileDto[]>('/files?count=1');
    expect(body).toMatchObject([{ path: 'a', status: 'modified', patch: '@@ -1 +1 @@\n-1\n+2\n' }]);
    expect(headers.get('link')).toContain('offset=1');
    const rest = await get<ChangedFileDto[]>('/files?count=1&offset=1');
    expect([rest.body.map(({ path }) => path), rest.headers.get('link')]).toEqual([['c'], null]);
    const page = await get<CommitDto[]>('/commits?count=1&offset=1');
    expect([page.body.map(({ hash }) => hash), page.headers.get('link')]).toEqual([[hashes[2]], null]);
  });

  it('prefers the recorded commits to branches that moved or were deleted', async () => {
    const [first = '', second = '', third = '', fourth = ''] = await fillWithFeature();
    await write({ base_commit: second, branch_commit: third });
    expect(await commits()).toEqual([third]);
    await write({ base_commit: null, branch_commit: null });
    await gitIn(tested.world, project.repositoryId, ['update-ref', 'refs/pull/1/head', third]);
    await gitIn(tested.world, project.repositoryId, ['update-ref', '-d', FEATURE]);
    expect(await commits()).toEqual([third]);
    await write({ base_commit: NO_COMMIT, branch_commit: fourth });
    expect(await commits()).toEqual([fourth, third]);
    expect(first).not.toBe(second);
  });

  it('returns the commits and files of the merge after merging', async () => {
    const [, second = '', third = '', fourth = '', merge = ''] = await fill(
      { ref: MAIN, files: [{ path: 'a', content: '1\n' }] },
      { ref: MAIN, files: [{ path: 'b', content: '1\n' }] },
      { ref: FEATURE, parents: [':1'], files: [{ path: 'a', content: '2\n' }] },
      { ref: FEATURE, files: [{ path: 'c', content: '1\n' }] },
      {
        ref: MAIN,
        parents: [':2', ':4'],
        files: [
          { path: 'a', content: '2\n' },
          { path: 'c', content: '1\n' },
        ],
      },
      { ref: MAIN, files: [{ path: 'later', content: '1\n' }] },
    );
    expect(await commits()).toEqual([]);
    await write({ merge_commit: merge, status_id: 3 });
    expect(await commits()).toEqual([fourth, third]);
    expect(await files()).toEqual(['a', 'c']);
    await write({ merge_commit: fourth, base_commit: second, branch_commit: third });
    expect(await commits()).toEqual([third]);
  });

  it('returns its own changes after a fast-forward past a merge of the base', async () => {
    const [, second = '', third = '', fourth = ''] = await fill(
      { ref: MAIN, files: [{ path: 'a', content: '1\n' }] },
      { ref: MAIN, files: [{ path: 'b', content: '1\n' }] },
      { ref: FEATURE, parents: [':1'], files: [{ path: 'c', content: '1\n' }] },
      { ref: FEATURE, parents: [':3', ':2'], files: [{ path: 'b', content: '1\n' }] },
    );
    await write({ merge_commit: fourth, status_id: 3, base_commit: second, branch_commit: fourth });
    expect(await commits()).toEqual([fourth, third]);
    expect(await files()).toEqual(['c']);
  });

  it('returns .diff and .patch files that git applies', async () => {
    await fillWithFeature();
    const diff = await get('.diff');
    expect(diff.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(diff.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''1.diff");
    expect(diff.headers.get('content-security-policy')).toContain('sandbox');
    expect(diff.text).toMatch(/^diff --git a\/a b\/a\n/);
    const patch = await get('.patch');
    expect(patch.text).toMatch(
      /^From [0-9a-f]{40} .*\nFrom: Ada <ada@example.com>\n.*\nSubject: \[PATCH 1\/2\] Change a\n/,
    );
    const folder = await GitFolder.make();
    try {
      await folder.git('init', '--quiet', '.');
      const { writeFile } = await import('node:fs/promises');
      await writeFile(`${folder.path}/a`, '1\n');
      await folder.git('add', '.');
      await folder.git('commit', '--quiet', '-m', 'Start');
      await writeFile(`${folder.path}/../${project.key}.patch`, patch.text);
      await folder.git('am', `../${project.key}.patch`);
      expect(await folder.git('log', '--format=%s')).toBe('Add c\nChange a\nStart');
      await folder.git('reset', '--quiet', '--hard', 'HEAD~2');
      await writeFile(`${folder.path}/../${project.key}.patch`, diff.text);
      await folder.git('apply', '--check', `../${project.key}.patch`);
    } finally {
      await folder.remove();
    }
  });

  it('streams a large diff and returns 404 for other numbers and endings', async () => {
    await fill(
      { ref: MAIN },
      {
        ref: FEATURE,
        files: Array.from({ length: 40 }, (_nothing, index) => ({
          path: String(index),
          content: 'line of text\n'.repeat(40_000),
        })),
      },
    );
    const { status, text } = await get('.diff');
    expect([status, text.split('\n+line').length]).toEqual([200, 40 * 40_000 + 1]);
    const others = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests`;
    for (const name of ['2.diff', 'x.diff', '0.patch', '1.2.diff', '1.txt', '.diff']) {
      const answer = await member.api.get(`${others}/${name}`);
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });

  it('returns empty lists for invalid branch names', async () => {
    await fillWithFeature();
    for (const name of ['a\nb', '--all', 'main~1', ':/Change', 'feature^{/a}', '\ud83d\ude00..x']) {
      await write({ branch: name });
      expect([await commits(), await files()]).toEqual([[], []]);
    }
  });
});
