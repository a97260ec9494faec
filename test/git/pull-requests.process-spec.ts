import { writeFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TooManyRequestsError } from '../../src/errors/domain-errors';
import { GitError } from '../../src/git/git-errors';
import { GitProgram } from '../../src/git/git-program';
import { GitRefsService } from '../../src/git-repositories/refs/git-refs.service';
import { PullRequestWriterService } from '../../src/pull-requests/changes/pull-request-writer.service';
import { BranchHeadsService } from '../../src/pull-requests/merging/branch-heads.service';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { PushedRepository } from '../support/pushes';
import { activitiesOf, everythingStored } from '../support/records';
import { type ApiResponse } from '../support/api';
import { aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface PullRequestBody {
  id: number;
  number: number;
  status: { id: number };
  base: string;
  baseCommit: string | null;
  branchCommit: string | null;
  mergeCommit: string | null;
  mergeAt: string | null;
  updatedUser: { id: number };
}

const MERGED = 3;

function expectError(answer: ApiResponse, status: number, fields: string[]): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual(errorShape(7, fields));
}

describeWithGit('a pull request with git', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let author: Person;
  let colleague: Person;
  let folder: GitFolder;
  let repository: PushedRepository;
  let path: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project);
    folder = await GitFolder.make();
    repository = await PushedRepository.clone(world, project.repositoryId, folder);
    path = pullRequests(project);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await folder.remove();
  });

  /** Commits files to a branch of the clone; a new branch is created from another one. */
  const commit = async (
    branch: string,
    files: Record<string, string | Buffer | null>,
    from?: string,
  ): Promise<string> => {
    await folder.git('checkout', '--quiet', ...(from === undefined ? [branch] : ['-b', branch, from]));
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder.path, name);
      await mkdir(dirname(file), { recursive: true });
      await (content === null ? rm(file) : writeFile(file, content));
    }
    await folder.git('add', '--all');
    return repository.commit(`Change ${branch}`);
  };

  /** Pushes `main` with a file, and `change` with another. */
  const begin = async (): Promise<{ base: string; branch: string }> => {
    await folder.git('checkout', '--quiet', '--orphan', 'main');
    const base = await commitFirst({ 'README.md': 'one\ntwo\nthree\n' });
    const branch = await commit('change', { 'change.txt': 'A change\n' }, 'main');
    await repository.push(author, 'main', 'change');
    return { base, branch };
  };

  const commitFirst = async (files: Record<string, string>): Promise<string> => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content);
    await folder.git('add', '--all');
    return repository.commit('Begin');
  };

  const add = async (fields: object = {}): Promise<PullRequestBody> => {
    const { status, body } = await author.api.post<PullRequestBody>(path, { ...NEW_PULL_REQUEST, ...fields });
    expect([status, body]).toEqual([200, expect.anything()]);
    return body;
  };

  const get = async (number: number): Promise<PullRequestBody> =>
    (await author.api.get<PullRequestBody>(`${path}/${number}`)).body;

  const merge = (number: number, fields: object = {}, person = author) =>
    person.api.patch<PullRequestBody>(`${path}/${number}`, { statusId: MERGED, ...fields });

  const messageOf = (body: unknown): string => (body as { errors: [{ message: string }] }).errors[0].message;

  /** Returns the output of a git command in the repository of the service. */
  const inBare = (...args: string[]): Promise<string> => folder.git('--git-dir', repository.bare, ...args);

  const typesOf = async (): Promise<number[]> =>
    (await activitiesOf(tested.world, project)).map(({ type }) => type);

  describe('with respect to its branches', () => {
    it('requires existing branches', async () => {
      const empty = await author.api.post(path, NEW_PULL_REQUEST);
      expectError(empty, 400, ['base', 'branch']);
      expect(empty.body).toEqual({
        errors: [
          {
            message: 'base: There is no branch "main": nothing has been pushed to the repository yet.',
            code: 7,
            moreInfo: 'base',
          },
          {
            message: 'There is no branch "change": nothing has been pushed to the repository yet.',
            code: 7,
            moreInfo: 'branch',
          },
        ],
      });
      await begin();
      const stored = await everythingStored(tested.world);
      for (const branch of ['other', '../main', 'a b', 'refs/heads/change', 'HEAD', '-x', 'chang?', 'chan']) {
        const { status, body } = await author.api.post(path, { ...NEW_PULL_REQUEST, branch });
        expect([status, body]).toEqual([
          400,
          {
            errors: [
              {
                message: `There is no branch ${JSON.stringify(branch)}: the repository has no such branch.`,
                code: 7,
                moreInfo: 'branch',
              },
            ],
          },
        ]);
      }
      expect(await everythingStored(tested.world)).toEqual(stored);
    });

    it('follows pushes to its branches while it is open', async () => {
      const { base, branch } = await begin();
      const added = await add();
      expect(added).toMatchObject({ baseCommit: base, branchCommit: branch, mergeCommit: null });
      const next = await commit('change', { 'more.txt': 'More' });
      const nextBase = await commit('main', { 'other.txt': 'Other' });
      await repository.push(colleague, 'main', 'change');
      expect(await get(added.number)).toEqual({ ...added, baseCommit: nextBase, branchCommit: next });
      await author.api.patch(`${path}/${added.number}`, { statusId: 2 });
      const last = await commit('change', { 'last.txt': 'Last' });
      await repository.push(colleague, 'change');
      expect(await get(added.number)).toMatchObject({ branchCommit: next });
      const { body } = await author.api.patch(`${path}/${added.number}`, { statusId: 1 });
      expect(body).toMatchObject({ branchCommit: last, baseCommit: nextBase });
    });

    it('keeps its commits when git fails after it is stored', async () => {
      const { base, branch } = await begin();
      const heads = tested.world.service(BranchHeadsService);
      const found = new Map([
        ['main', base],
        ['change', branch],
      ]);
      const find = vi.spyOn(heads, 'find').mockResolvedValueOnce(found);
      find.mockRejectedValueOnce(TooManyRequestsError.after('git_processes', 4, 30_000));
      expect(await add()).toMatchObject({ baseCommit: base, branchCommit: branch });
      expect(find).toHaveBeenCalledTimes(2);
    });

    it('accepts another existing base', async () => {
      const { branch } = await begin();
      const release = await commit('release', { 'release.txt': '1' }, 'main');
      await repository.push(author, 'release');
      const { number } = await add();
      expectError(await author.api.patch(`${path}/${number}`, { base: 'nowhere' }), 400, ['base']);
      const { status, body } = await author.api.patch(`${path}/${number}`, { base: 'release' });
      expect([status, body]).toMatchObject([
        200,
        { base: 'release', baseCommit: release, branchCommit: branch },
      ]);
    });

    it('follows rewritten branches and keeps the commit of a deleted one', async () => {
      const { base } = await begin();
      const { number } = await add();
      await folder.git('checkout', '--quiet', 'change');
      await folder.git('commit', '--quiet', '--amend', '-m', 'Changed');
      const branch = await repository.head();
      await folder.git('checkout', '--quiet', '-B', 'main', base);
      await folder.git('commit', '--quiet', '--amend', '-m', 'Begun');
      const rewritten = await repository.head();
      await repository.push(author, 'main', 'change');
      expect(await get(number)).toMatchObject({ baseCommit: rewritten, branchCommit: branch });
      await repository.push(author, ':change');
      expect(await get(number)).toMatchObject({ branchCommit: branch, status: { id: 1 } });
      const refused = await merge(number);
      expectError(refused, 409, ['statusId']);
      expect(messageOf(refused.body)).toContain('no branch "change"');
      // The commits of the deleted branch are still there after git has cleaned up.
      await inBare('gc', '--quiet', '--prune=now');
      expect(await inBare('cat-file', '-t', branch)).toBe('commit');
    });
  });

  describe('when it is merged', () => {
    it('creates a merge commit by the caller with both branches as parents', async () => {
      const { branch } = await begin();
      const base = await commit('main', { 'other.txt': 'Other' });
      await repository.push(author, 'main');
      const { number, id } = await add({ issueId: project.issueId });
      const { status, body } = await merge(
        number,
        { comment: 'Well done.', summary: 'Another\tsummary' },
        colleague,
      );
      expect(status).toBe(200);
      const mergeCommit = await repository.hashOf('main');
      expect(body).toMatchObject({
        id,
        summary: 'Another\tsummary',
        status: { id: MERGED, name: 'Merged' },
        baseCommit: base,
        branchCommit: branch,
        mergeCommit,
        mergeAt: aTimestamp,
        updatedUser: userShape(colleague),
      });
      expect(await inBare('show', '--no-patch', '--format=%P|%an|%ae|%cn|%ce|%B', mergeCommit)).toBe(
        `${base} ${branch}|${colleague.name}|${await mailOf(colleague)}|${colleague.name}|${await mailOf(colleague)}|` +
          `Merge pull request #${number} from change\n\nAnother summary (${project.issueKey})`,
      );
      expect(await inBare('ls-tree', '--name-only', mergeCommit)).toBe('README.md\nchange.txt\nother.txt');
      const { body: comments } = await author.api.get<{ content: string; changeLog: object[] }[]>(
        `${path}/${number}/comments`,
      );
      expect(comments).toMatchObject([
        { content: 'Well done.', changeLog: [{ field: 'summary' }, { field: 'status', newValue: 'Merged' }] },
      ]);
      // The comment on the issue is added in the background.
      await tested.world.whenIdle();
      const activities = await activitiesOf(tested.world, project);
      expect(activities.filter(({ createdUserId }) => createdUserId === colleague.id)).toMatchObject([
        { type: 19, content: { id, changes: [{ field: 'summary' }, { field: 'status' }] } },
        { type: 12, content: { ref: 'refs/heads/main', revision_count: 2 } },
        { type: 3, content: { id: project.issueId } },
      ]);
    });

    const mailOf = async (person: Person): Promise<string> =>
      (await author.api.get<{ mailAddress: string }>(`/users/${person.id}`)).body.mailAddress;

    it('becomes merged without a new commit if the base contains the branch', async () => {
      const { base } = await begin();
      await folder.git('push', '--quiet', 'origin', 'main:old');
      await repository.record();
      const { number } = await add({ branch: 'old' });
      expect((await merge(number)).body).toMatchObject({ status: { id: MERGED }, mergeCommit: base });
      expect(await repository.hashOf('main')).toBe(base);
    });

    it('accepts one of three simultaneous merges and returns 409 to the others', async () => {
      const { base } = await begin();
      const { number } = await add();
      const answers = await Promise.all([merge(number), merge(number, {}, colleague), merge(number)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      for (const answer of answers.filter(({ status }) => status === 409)) {
        expectError(answer, 409, ['statusId']);
        expect(messageOf(answer.body)).toBe('statusId: The pull request is already merged.');
      }
      expectError(await merge(number), 409, ['statusId']);
      expect(await inBare('rev-list', '--count', '--first-parent', `${base}..main`)).toBe('1');
      expect((await typesOf()).filter((type) => type === 19)).toHaveLength(1);
    });

    it('refuses a merge while closed, and another base once merged', async () => {
      await begin();
      const { number } = await add();
      await author.api.patch(`${path}/${number}`, { statusId: 2 });
      expectError(await merge(number), 400, ['statusId']);
      await author.api.patch(`${path}/${number}`, { statusId: 1 });
      expect((await merge(number)).status).toBe(200);
      expectError(await author.api.patch(`${path}/${number}`, { base: 'change2' }), 400, ['base']);
      await repository.push(author, ':change');
      expect((await author.api.patch(`${path}/${number}`, { summary: 'Later' })).status).toBe(200);
    });

    it('keeps its branches when it is merged while another request changes its base', async () => {
      await begin();
      await folder.git('push', '--quiet', 'origin', 'main:release');
      await repository.record();
      const { number } = await add();
      const heads = tested.world.service(BranchHeadsService);
      const find = heads.require.bind(heads);
      vi.spyOn(heads, 'require').mockImplementationOnce(async (...args) => {
        const found = await find(...args);
        expect((await merge(number)).status).toBe(200);
        return found;
      });
      expectError(await author.api.patch(`${path}/${number}`, { base: 'release' }), 400, ['base']);
      expect(await get(number)).toMatchObject({ base: 'main', status: { id: MERGED } });
    });

    it('stays open when another field is invalid', async () => {
      const { base } = await begin();
      const { number } = await add();
      const stranger = await tested.world.addUser();
      expectError(await merge(number, { assigneeId: stranger.id }), 400, ['assigneeId']);
      expectError(await merge(number, { notifiedUserId: [stranger.id] }), 400, ['notifiedUserId']);
      expectError(await merge(number, { base: 'nowhere' }), 400, ['base']);
      expect(await repository.hashOf('main')).toBe(base);
      expect(await get(number)).toMatchObject({ status: { id: 1 } });
    });

    it('merges the new commit when somebody pushes to the base meanwhile', async () => {
      const { branch } = await begin();
      const { number } = await add();
      const other = await commit('main', { 'other.txt': 'Other' });
      const refs = tested.world.service(GitRefsService);
      const swap = refs.swap.bind(refs);
      vi.spyOn(refs, 'swap').mockImplementationOnce(async (...args) => {
        await repository.pushOnly(colleague, 'main');
        return swap(...args);
      });
      const { status, body } = await merge(number);
      expect([status, body]).toMatchObject([200, { baseCommit: other, branchCommit: branch }]);
      expect(await inBare('show', '--no-patch', '--format=%P', 'main')).toBe(`${other} ${branch}`);
    });

    it('returns 409 when pushes to the base never stop', async () => {
      await begin();
      const { number } = await add();
      const refs = tested.world.service(GitRefsService);
      const swap = refs.swap.bind(refs);
      vi.spyOn(refs, 'swap').mockImplementation(async (...args) => {
        await commit('main', { 'other.txt': args[1].oldHash });
        await repository.pushOnly(colleague, 'main');
        return swap(...args);
      });
      expectError(await merge(number), 409, ['statusId']);
      expect(await get(number)).toMatchObject({ status: { id: 1 } });
    });

    it('returns 503 while a git lock exists', async () => {
      const { base } = await begin();
      const { number } = await add();
      const lock = join(repository.bare, 'refs/heads/main.lock');
      await writeFile(lock, '');
      expect((await merge(number)).status).toBe(503);
      expect(await get(number)).toMatchObject({ status: { id: 1 }, baseCommit: base });
      await rm(lock);
      expect((await merge(number)).status).toBe(200);
    });

    it('becomes merged through the recorded push when the database fails afterwards', async () => {
      const { base, branch } = await begin();
      const { number } = await add();
      const writer = tested.world.service(PullRequestWriterService);
      vi.spyOn(writer, 'write').mockRejectedValueOnce(new Error('The database is gone'));
      expect((await merge(number, {}, colleague)).status).toBe(500);
      const mergeCommit = await repository.hashOf('main');
      expect(mergeCommit).not.toBe(base);
      expect(await get(number)).toMatchObject({
        status: { id: MERGED },
        baseCommit: base,
        branchCommit: branch,
        mergeCommit,
        updatedUser: { id: colleague.id },
      });
      expectError(await merge(number), 409, ['statusId']);
    });
  });

  describe('with conflicts', () => {
    /** Makes conflicting changes on both branches and tries to merge. */
    const conflict = async (
      onBranch: Record<string, string | Buffer | null>,
      onBase: Record<string, string | Buffer | null>,
      before: Record<string, string> = {},
    ): Promise<string> => {
      await folder.git('checkout', '--quiet', '--orphan', 'main');
      await commitFirst({ 'README.md': 'one\n', ...before });
      await commit('change', onBranch, 'main');
      await commit('main', onBase);
      await repository.push(author, 'main', 'change');
      const { number } = await add();
      const stored = await everythingStored(tested.world);
      const head = await repository.hashOf('main');
      const answer = await merge(number);
      expectError(answer, 409, ['statusId']);
      expect(await everythingStored(tested.world)).toEqual(stored);
      expect(await repository.hashOf('main')).toBe(head);
      return messageOf(answer.body);
    };

    it.each([
      ['conflicting contents', { 'README.md': 'two\n' }, { 'README.md': 'three\n' }, '"README.md"'],
      ['a deleted file', { 'README.md': null }, { 'README.md': 'three\n' }, '"README.md"'],
      ['binary files', { 'a.bin': Buffer.from([0, 1]) }, { 'a.bin': Buffer.from([0, 2]) }, '"a.bin"'],
      ['unusual file names', { 'ü "b"\nc.txt': '1' }, { 'ü "b"\nc.txt': '2' }, '"ü \\"b\\"\\nc.txt"'],
    ])('returns 409 with the file name for %s', async (_name, onBranch, onBase, shown) => {
      expect(await conflict(onBranch, onBase)).toBe(
        `statusId: The branches cannot be merged: they conflict in a file: ${shown}.`,
      );
    });

    it('returns 409 with all names of a renamed file', async () => {
      const text = 'A text that is long enough to be found again\n'.repeat(5);
      await folder.git('checkout', '--quiet', '--orphan', 'main');
      await commitFirst({ 'old.txt': text });
      for (const [branch, name] of [
        ['change', 'one.txt'],
        ['other', 'two.txt'],
      ] as const) {
        await folder.git('checkout', '--quiet', '-b', branch, 'main');
        await rename(join(folder.path, 'old.txt'), join(folder.path, name));
        await folder.git('add', '--all');
        await repository.commit('Rename');
      }
      await repository.push(author, 'main', 'change', 'other');
      const { number } = await add({ base: 'other' });
      const { status, body } = await merge(number);
      expect([status, messageOf(body)]).toEqual([
        409,
        'statusId: The branches cannot be merged: they conflict in 3 files: "old.txt", "one.txt", "two.txt".',
      ]);
    });

    it('returns 409 with the first 20 of 30 files and the number of others', async () => {
      const files = (content: string): Record<string, string> =>
        Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`file${100 + index}.txt`, content]));
      const message = await conflict(files('1'), files('2'));
      expect(message).toMatch(/conflict in 30 files: "file100\.txt", .*, "file119\.txt" and 10 more\.$/);
    });

    it('returns 409 for branches without a common commit', async () => {
      await begin();
      await folder.git('checkout', '--quiet', '--orphan', 'alone');
      await repository.commit('Alone');
      await repository.push(author, 'alone');
      const { number } = await add({ branch: 'alone' });
      const { status, body } = await merge(number);
      expect([status, messageOf(body)]).toEqual([
        409,
        'statusId: The branches cannot be merged: they have no commit in common.',
      ]);
    });

    it('merges files with unusual names', async () => {
      await begin();
      await commit('change', { 'a b/ü\n"c".txt': '1' });
      await commit('main', { 'a b/-x': '2' });
      await repository.push(author, 'main', 'change');
      const { number } = await add();
      expect((await merge(number)).status).toBe(200);
    });
  });

  describe('after a push', () => {
    it('becomes merged when its merge commit reaches the base', async () => {
      const { base, branch } = await begin();
      const { number, id } = await add();
      const { number: other } = await add({ base: 'change', branch: 'main' });
      await commit('main', { 'before.txt': '1' });
      await folder.git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'change');
      const mergeCommit = await repository.head();
      await commit('main', { 'after.txt': '2' });
      await repository.push(colleague, 'main');
      expect(await get(number)).toMatchObject({
        status: { id: MERGED },
        baseCommit: base,
        branchCommit: branch,
        mergeCommit,
        mergeAt: aTimestamp,
        updatedUser: { id: colleague.id },
      });
      expect(await get(other)).toMatchObject({ status: { id: 1 } });
      const activities = await activitiesOf(tested.world, project);
      expect(activities.slice(-2)).toMatchObject([
        { type: 12, createdUserId: colleague.id },
        {
          type: 19,
          createdUserId: colleague.id,
          content: { id, changes: [{ field: 'status', new_value: '3', old_value: '1' }] },
        },
      ]);
      const { body: comments } = await author.api.get(`${path}/${number}/comments`);
      expect(comments).toMatchObject([
        { content: '', changeLog: [{ field: 'status' }], createdUser: { id: colleague.id } },
      ]);
      expectError(await merge(number), 409, ['statusId']);
    });

    it('becomes merged by a fast-forward, and after the deletion of its branch', async () => {
      await begin();
      const { number } = await add();
      const branch = await commit('change', { 'more.txt': 'More' });
      await folder.git('checkout', '--quiet', 'main');
      await folder.git('merge', '--quiet', '--ff-only', 'change');
      await repository.push(colleague, 'main', 'change');
      expect(await get(number)).toMatchObject({
        status: { id: MERGED },
        branchCommit: branch,
        mergeCommit: branch,
      });
      const topic = await commit('topic', { 'topic.txt': 'Topic' }, 'main');
      await repository.push(author, 'topic');
      const { number: next } = await add({ branch: 'topic' });
      await repository.push(author, ':topic');
      await folder.git('checkout', '--quiet', 'main');
      await folder.git('merge', '--quiet', '--no-ff', 'topic');
      await repository.push(author, 'main');
      expect(await get(next)).toMatchObject({ status: { id: MERGED }, branchCommit: topic });
    });

    it('becomes merged by the pushed commit when git cannot find the merging one', async () => {
      const { branch } = await begin();
      const { number } = await add();
      await folder.git('checkout', '--quiet', 'main');
      await folder.git('merge', '--quiet', '--no-ff', '--no-edit', 'change');
      await commit('main', { 'later.txt': 'Later' });
      const git = tested.world.service(GitProgram);
      const run = git.run.bind(git);
      vi.spyOn(git, 'run').mockImplementation((args, options) =>
        args[0] === 'merge-base'
          ? Promise.reject(new GitError(args, 128, 'fatal: bad object'))
          : run(args, options),
      );
      await repository.push(colleague, 'main');
      const mergeCommit = await repository.hashOf('main');
      expect(await get(number)).toMatchObject({
        status: { id: MERGED },
        branchCommit: branch,
        mergeCommit,
      });
    });

    it('stays open while its branch has no commit of its own', async () => {
      await begin();
      await repository.push(author, 'main:empty');
      const { number } = await add({ branch: 'empty' });
      const next = await commit('main', { 'other.txt': 'Other' });
      await repository.push(author, 'main');
      expect(await get(number)).toMatchObject({ status: { id: 1 }, baseCommit: next });
      await repository.push(author, 'main:empty');
      expect(await get(number)).toMatchObject({ status: { id: 1 }, branchCommit: next });
    });

    it('becomes merged when unrecorded pushes are recorded later', async () => {
      const { base } = await begin();
      const { number } = await add();
      const branch = await commit('change', { 'more.txt': 'More' });
      await repository.pushOnly(author, 'change');
      await folder.git('checkout', '--quiet', 'main');
      await folder.git('merge', '--quiet', '--no-ff', 'change');
      const mergeCommit = await repository.head();
      await repository.pushOnly(colleague, 'main');
      expect(await get(number)).toMatchObject({ status: { id: 1 }, baseCommit: base });
      await repository.record();
      expect(await get(number)).toMatchObject({
        status: { id: MERGED },
        branchCommit: branch,
        mergeCommit,
        updatedUser: { id: colleague.id },
      });
    });
  });
});
