import { RoleType } from '../../src/access/role-type';
import { NO_HASH } from '../../src/git-repositories/refs/ref-names';
import { FLUSH, pktLine } from '../../src/git-repositories/serving/pkt-line';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { activitiesOf } from '../support/records';
import { commitFile, ServedGit, userIdOf } from '../support/served-git';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

describeWithGit('git over HTTP', () => {
  const tested = useWorld(WITH_GIT);
  let world: World;
  let project: ProjectFixture;
  let member: Person;
  let served: ServedGit;
  let folder: GitFolder;
  let repository: string;

  beforeAll(() => {
    ({ world } = tested);
  });
  beforeEach(async () => {
    project = await world.addProject();
    member = await world.addMember(project);
    served = new ServedGit(world, project);
    folder = await GitFolder.make();
    repository = `/projects/${project.key}/git/repositories/${project.repositoryName}`;
  });
  afterEach(() => folder.remove());

  /** Returns a clone with some commits that have been pushed to the default branch. */
  async function pushed(...files: string[]): Promise<GitFolder> {
    const clone = await served.clone(folder, member);
    for (const file of files) await commitFile(clone, file);
    await clone.git('push', '--quiet', 'origin', 'main');
    return clone;
  }

  it('clones an empty repository, accepts pushes and serves them to others', async () => {
    const clone = await served.clone(folder, member);
    expect(await clone.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    const first = await commitFile(clone, 'a.txt');
    await clone.git('push', '--quiet', 'origin', 'main');
    const other = await served.clone(folder, world.admin, 'other');
    expect(await other.git('rev-parse', 'HEAD')).toBe(first);
    const second = await commitFile(other, 'b.txt');
    await other.git('push', '--quiet');
    await clone.git('fetch', '--quiet');
    expect(await clone.git('rev-parse', 'origin/main')).toBe(second);
    expect((await activitiesOf(world, project)).map(({ createdUserId }) => createdUserId)).toEqual(
      expect.arrayContaining([member.id, world.admin.id]),
    );
  });

  it.each(['0', '1', '2'])('supports version %s of the protocol', async (version) => {
    await pushed('a.txt');
    const clone = await served.clone(folder, member, 'other', '-c', `protocol.version=${version}`);
    await commitFile(clone, 'b.txt');
    await clone.git('push', '--quiet');
    await clone.git('fetch', '--quiet');
    expect(await served.onServer('rev-parse', 'main')).toBe(await clone.git('rev-parse', 'HEAD'));
  });

  it('serves a repository without the ending .git', async () => {
    await folder.git('clone', '--quiet', served.urlFor(member).replace(/\.git$/, ''), 'clone');
  });

  it('accepts rewritten and deleted branches, and tags', async () => {
    const clone = await pushed('a.txt');
    await clone.git('switch', '--quiet', '-c', 'feature/übung-日本');
    await commitFile(clone, 'b.txt');
    await clone.git('push', '--quiet', 'origin', 'HEAD');
    await clone.git('commit', '--quiet', '--amend', '-m', 'Another');
    expect((await clone.try('push', 'origin', 'HEAD')).stderr).toMatch(/rejected/);
    await clone.git('push', '--quiet', '--force', 'origin', 'HEAD');
    expect(await served.onServer('rev-parse', 'feature/übung-日本')).toBe(
      await clone.git('rev-parse', 'HEAD'),
    );
    await clone.git('tag', 'light');
    await clone.git('tag', '-a', 'v1', '-m', 'Version 1');
    await clone.git('push', '--quiet', '--tags', 'origin');
    expect(await served.onServer('cat-file', '-t', 'v1')).toBe('tag');
    await clone.git('push', '--quiet', '--delete', 'origin', 'light', 'feature/übung-日本');
    expect(await served.onServer('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/main\nrefs/tags/v1',
    );
  });

  it('serves missing objects to shallow and partial clones later', async () => {
    const clone = await pushed('a.txt', 'b.txt', 'c.txt');
    const shallow = await served.clone(folder, member, 'shallow', '--depth=1');
    expect(await shallow.git('rev-list', '--count', 'HEAD')).toBe('1');
    await commitFile(shallow, 'd.txt');
    await shallow.git('push', '--quiet');
    await shallow.git('fetch', '--quiet', '--unshallow');
    expect(await shallow.git('rev-list', '--count', 'HEAD')).toBe('4');
    const partial = await served.clone(folder, member, 'partial', '--filter=blob:none', '--no-checkout');
    expect(await partial.git('rev-list', '--objects', '--missing=print', 'HEAD')).toMatch(/^\?/m);
    await partial.git('checkout', '--quiet', 'main');
    expect(await partial.git('cat-file', 'blob', 'HEAD:a.txt')).toBe('a.txt');
    await clone.git('fetch', '--quiet', 'origin', await clone.git('rev-parse', 'HEAD~1'));
  });

  describe('access control', () => {
    const attempt = async (url: string, ...args: string[]): Promise<string> =>
      (await folder.try(...args, 'ls-remote', url)).stderr;

    it('accepts project members, and returns 403 to viewers and 404 to strangers', async () => {
      const viewer = await world.addMember(project, RoleType.Viewer);
      const stranger = await world.addUser();
      expect(await attempt(served.urlFor(member))).toBe('');
      expect(await attempt(served.urlFor(viewer))).toMatch(/remote: You are not allowed to do this\.[^]*403/);
      expect(await attempt(served.urlFor(stranger))).toMatch(/remote: No such project\.[^]*not found/);
      expect(await attempt(served.urlFor(member).replace('.git', '-x.git'))).toMatch(
        /remote: No such git repository\./,
      );
      for (const service of ['git-upload-pack', 'git-receive-pack']) {
        expect((await served.post(service, viewer.key, '0000')).status).toBe(403);
        expect((await served.post(service, stranger.key, '0000')).status).toBe(404);
        expect((await served.post(service, `${member.key}x`, '0000')).status).toBe(401);
        expect((await served.post(service, member.key, '0000')).status).toBe(200);
      }
    });

    it('requires the user name that belongs to the key', async () => {
      const other = await world.addMember(project);
      const bare = served.origin + served.path;
      expect(await attempt(bare)).toMatch(/could not read Username/);
      expect(await attempt(served.urlFor({ ...member, key: other.key }))).toMatch(/Authentication failed/);
      expect(await attempt(served.urlFor({ ...member, name: userIdOf(member.name).toUpperCase() }))).toMatch(
        /Authentication failed/,
      );
      expect(await attempt(served.urlFor({ ...member, key: 'x' }))).toMatch(/Authentication failed/);
      const challenge = await served.get('/info/refs?service=git-upload-pack');
      expect(challenge.status).toBe(401);
      expect(challenge.headers.get('www-authenticate')).toBe('Basic realm="git", charset="UTF-8"');
      expect(challenge.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    });

    it('accepts a key as a bearer token or X-API-Key header', async () => {
      const bare = served.origin + served.path;
      for (const header of [`Authorization: Bearer ${member.key}`, `X-API-Key: ${member.key}`])
        expect(await attempt(bare, '-c', `http.extraHeader=${header}`)).toBe('');
    });
  });

  describe('the default branch', () => {
    it('refuses rewriting and deletion while it is protected', async () => {
      const clone = await pushed('a.txt', 'b.txt');
      const before = await served.onServer('rev-parse', 'main');
      const removal = await clone.try('push', '--delete', 'origin', 'main');
      expect(removal.stderr).toMatch(
        /remote: main is the default branch, which is protected: it cannot be deleted/,
      );
      await clone.git('reset', '--quiet', '--hard', 'HEAD~1');
      await commitFile(clone, 'c.txt');
      const { code, stderr } = await clone.try('push', '--force', 'origin', 'main', 'main:other');
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /remote: main is the default branch, which is protected: a push has to continue it/,
      );
      expect(stderr).toMatch(/\[new branch\] +main -> other/);
      expect(await served.onServer('rev-parse', 'main')).toBe(before);
      const { body } = await world.admin.api.patch(repository, { protectsDefaultBranch: false });
      expect(body).toMatchObject({ protectsDefaultBranch: false, defaultBranch: 'main' });
      await clone.git('push', '--quiet', '--force', 'origin', 'main');
      await clone.git('push', '--quiet', '--delete', 'origin', 'main');
    });

    it('refuses deletion with a wrong or missing old commit', async () => {
      const clone = await pushed('a.txt');
      await clone.git('push', '--quiet', 'origin', 'main:other');
      const before = await activitiesOf(world, project);
      for (const oldHash of [NO_HASH, '1'.repeat(40)]) {
        for (const branch of ['main', 'other']) {
          const line = pktLine(`${oldHash} ${NO_HASH} refs/heads/${branch}`, '\0report-status agent=test');
          const body = Buffer.concat([line, FLUSH]);
          const answer = await served.post('git-receive-pack', member.key, body);
          expect([answer.status, await answer.text()]).toEqual([
            200,
            expect.stringMatching(/ng refs\/heads/),
          ]);
        }
      }
      expect(await served.onServer('for-each-ref', '--format=%(refname:short)')).toBe('main\nother');
      expect(await activitiesOf(world, project)).toEqual(before);
    });

    it('becomes the branch that the first push creates', async () => {
      const clone = await served.clone(folder, member);
      await clone.git('switch', '--quiet', '-c', 'trunk');
      await commitFile(clone, 'a.txt');
      await clone.git('push', '--quiet', 'origin', 'trunk');
      expect((await member.api.get(repository)).body).toMatchObject({ defaultBranch: 'trunk' });
      const other = await served.clone(folder, member, 'other');
      expect(await other.git('symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
    });

    it('accepts only existing branches once there are any', async () => {
      const setDefault = (defaultBranch: unknown) => world.admin.api.patch(repository, { defaultBranch });
      expect((await setDefault('later')).status).toBe(200);
      expect((await setDefault('main')).status).toBe(200);
      const clone = await pushed('a.txt');
      await clone.git('push', '--quiet', 'origin', 'main:next');
      for (const name of ['', 'a..b', 'a b', 'x.lock', 'é'.repeat(130), 'nosuch', 1, null]) {
        const { status, body } = await setDefault(name);
        expect({ name, status }).toEqual({ name, status: 400 });
        expect(body).toMatchObject({ errors: [{ moreInfo: 'defaultBranch' }] });
      }
      expect((await setDefault('next')).body).toMatchObject({ defaultBranch: 'next' });
      const other = await served.clone(folder, member, 'other');
      expect(await other.git('symbolic-ref', 'HEAD')).toBe('refs/heads/next');
      // The protection has moved to the new default branch.
      await clone.git('push', '--quiet', '--delete', 'origin', 'main');
      expect((await clone.try('push', '--delete', 'origin', 'next')).stderr).toMatch(/is protected/);
    });
  });

  it('accepts one of 20 simultaneous pushes to a branch', async () => {
    await pushed('a.txt');
    const clones = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const clone = await served.clone(folder, index % 2 === 0 ? member : world.admin, `clone-${index}`);
        await commitFile(clone, `file-${index}`);
        return clone;
      }),
    );
    const outcomes = await Promise.all(clones.map((clone) => clone.try('push', 'origin', 'main')));
    expect(outcomes.filter(({ code }) => code === 0)).toHaveLength(1);
    for (const { code, stderr } of outcomes) if (code !== 0) expect(stderr).toMatch(/rejected/);
    await served.onServer('fsck', '--full', '--strict');
    expect(await served.onServer('rev-list', '--count', 'main')).toBe('2');
  });
});
