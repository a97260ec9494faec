import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitProgram } from '../../src/git/git-program';
import { pktLine } from '../../src/git-repositories/serving/pkt-line';
import { NO_HASH } from '../../src/git-repositories/refs/ref-names';
import { commitOddFile } from '../support/git-history';
import { GitClones } from '../../src/sources/git-clones';
import { Spool } from '../../src/sources/spool/spool';
import { describeWithGit, type GitFolder, WITH_GIT } from '../support/git';
import { addClonedProject, commitFile, creationOf, type ServedGit } from '../support/served-git';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

/** Times of people in commits that old programs have written. */
const PEOPLE: Readonly<Record<string, string>> = {
  'a time zone that does not exist': 'Ada <ada@example.com> 1313584730 +051800',
  'no space before the time': 'Ada <ada@example.com>1313584730 +0000',
};

describeWithGit('an imported repository', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let member: Person;
  let served: ServedGit;
  let folder: GitFolder;
  let clone: GitFolder;
  let head: string;

  beforeEach(async () => {
    ({ project, member, served, folder, clone } = await addClonedProject(tested.world));
    head = await commitFile(clone, 'a.txt');
  });
  afterEach(() => folder.remove());

  /** Writes an object without git's checks, and returns its hash. */
  async function writeObject(type: string, content: string | Buffer): Promise<string> {
    await writeFile(join(clone.path, '.git/object'), content);
    return clone.git('hash-object', '-t', type, '-w', '--literally', '.git/object');
  }
  const count = async (sql: string): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ number: number | string }]>(sql, [
      project.repositoryId,
    ]);
    return Number(row.number);
  };
  const recordedRefs = (): Promise<number> =>
    count('SELECT COUNT(*) AS number FROM git_ref WHERE repository_id = ?');

  /** Gives a clone tags, as many as a large repository has, without a process for each. */
  async function writeTags(names: readonly string[], hash = head): Promise<void> {
    const lines = names.toSorted().map((name) => `${hash} ${name}\n`);
    await writeFile(join(clone.path, '.git/packed-refs'), ['# pack-refs with: sorted \n', ...lines].join(''));
  }

  it.each(Object.entries(PEOPLE))('accepts commits with %s', async (_what, person) => {
    const tree = await clone.git('rev-parse', 'HEAD^{tree}');
    const text = `tree ${tree}\nparent ${head}\nauthor ${person}\ncommitter ${person}\n\nAn old commit\n`;
    const hash = await writeObject('commit', text);
    await clone.git('push', '--quiet', 'origin', `${hash}:refs/heads/main`);
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/commits`;
    const { status, body } = await member.api.get<{ hash: string; author: { name: string } }[]>(path);
    expect(status).toBe(200);
    expect(body.map((commit) => commit.hash)).toEqual([hash, head]);
    expect(body[0]?.author.name).toBe('Ada');
    expect(await served.clone(folder, member, 'copy').then((copy) => copy.git('rev-parse', 'HEAD'))).toBe(
      hash,
    );
  });

  it('accepts folders with zero-padded modes', async () => {
    const blob = await clone.git('rev-parse', 'HEAD:a.txt');
    const content = Buffer.concat([Buffer.from('0100644 a.txt\0'), Buffer.from(blob, 'hex')]);
    const tree = await writeObject('tree', content);
    const hash = await clone.git('commit-tree', tree, '-m', 'An old folder');
    await clone.git('push', '--quiet', 'origin', `${hash}:refs/heads/main`);
    expect(await clone.git('ls-remote', 'origin', 'main')).toMatch(hash);
  });

  it('refuses a tree that contains .git', async () => {
    const blob = await clone.git('rev-parse', 'HEAD:a.txt');
    const tree = await writeObject(
      'tree',
      Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]),
    );
    const hash = await clone.git('commit-tree', tree, '-m', 'A commit');
    const { stderr } = await clone.try('push', 'origin', `${hash}:refs/heads/main`);
    expect(stderr).toMatch(/hasDotgit/);
    expect(await recordedRefs()).toBe(0);
  });

  it('is cloned from a source with the same checks', async () => {
    const { world } = tested;
    const ref = 'refs/heads/main';
    const { key } = world.admin;
    const clones = new GitClones({
      git: world.service(GitProgram),
      spool: await Spool.open(join(folder.path, 'spool'), {}, 1000),
      ...{ origin: new URL(world.server.baseUrl).origin, user: 'admin', password: key },
    });
    const reasons: string[] = [];
    const path = `/git/${project.key}/${project.repositoryName}.git`;
    const cloned = (name: string) => clones.clone({ name, path }, (reason) => reasons.push(reason));
    await commitOddFile(world, project.repositoryId, ref, '0100644 old');
    expect([await cloned('old'), reasons]).toMatchObject([{ head: ref }, []]);
    await commitOddFile(world, project.repositoryId, ref, '100644 .git');
    expect(await cloned('odd')).toBeUndefined();
    expect(reasons).toEqual([expect.stringMatching(/^object [\da-f]{40}: hasDotgit: /)]);
  });

  it('accepts 1,016 refs in one push', async () => {
    await writeTags(Array.from({ length: 1015 }, (_, index) => `refs/tags/v${index}`));
    await clone.git('push', '--quiet', 'origin', 'main', '--tags');
    expect(await recordedRefs()).toBe(1016);
    expect(await count('SELECT COUNT(*) AS number FROM git_push WHERE repository_id = ?')).toBe(0);
    expect(
      (await served.clone(folder, member, 'copy').then((copy) => copy.git('tag'))).split('\n'),
    ).toHaveLength(1015);
  }, 120_000);

  it('accepts the creation and the deletion of 9,000 refs in one push each', async () => {
    await clone.git('push', '--quiet', 'origin', 'main');
    // The client of git takes minutes for as many.
    const names = Array.from(
      { length: 9000 },
      (_, index) => `refs/${index % 2 ? 'heads' : 'tags'}/v${index}`,
    );
    const added = await served.post('git-receive-pack', member.key, creationOf(head, names));
    expect((await added.text()).match(/ok refs\//g)).toHaveLength(9000);
    expect(await recordedRefs()).toBe(9001);
    const listed = (await served.onServer('for-each-ref', '--format=%(refname)')).split('\n');
    expect(listed).toHaveLength(9001);
    const deletions = names.map((name, index) =>
      pktLine(`${head} ${NO_HASH} ${name}`, index === 0 ? '\0report-status delete-refs' : ''),
    );
    const body = Buffer.concat([...deletions, Buffer.from('0000')]);
    const deleted = await served.post('git-receive-pack', member.key, body);
    expect((await deleted.text()).match(/ok refs\//g)).toHaveLength(9000);
    expect(await recordedRefs()).toBe(1);
  }, 240_000);

  it('skips the pull requests of another host in a mirror push', async () => {
    for (const name of ['refs/pull/1/head', 'refs/pull/2/merge', 'refs/merge-requests/3/head'])
      await clone.git('update-ref', name, head);
    await clone.git('tag', 'v1');
    await clone.git('update-ref', '-d', 'refs/remotes/origin/main');
    const pushed = await clone.try('push', '--mirror', 'origin');
    expect(pushed.stderr).toMatch(
      /remote: Skipped 3 refs such as refs\/merge-requests\/3\/head: they belong to another host/,
    );
    expect(pushed.stderr).not.toMatch(/rejected|failed/);
    expect(pushed.code).toBe(0);
    expect(await served.onServer('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/main\nrefs/tags/v1',
    );
    expect(await recordedRefs()).toBe(2);
  });

  it('accepts a push of nothing but skipped refs', async () => {
    await clone.git('update-ref', 'refs/pull/1/head', head);
    const only = await clone.try('push', 'origin', 'refs/pull/1/head');
    expect(only.stderr).toMatch(/remote: Skipped refs\/pull\/1\/head: it belongs to another host/);
    expect(only.code).toBe(0);
    expect(await served.onServer('for-each-ref')).toBe('');
  });

  it('refuses the refs of another host in an atomic push', async () => {
    await clone.git('update-ref', 'refs/pull/1/head', head);
    const { code, stderr } = await clone.try('push', '--atomic', 'origin', 'main', 'refs/pull/1/head');
    expect(stderr).toMatch(/refs\/pull\/1\/head \(only branches and tags can be pushed\)/);
    expect(code).toBe(1);
    expect(await recordedRefs()).toBe(0);
  });
});
