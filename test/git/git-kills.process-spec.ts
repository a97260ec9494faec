import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../support/child';
import { describeWithGit, GitFolder } from '../support/git';
import { eventually } from '../support/webhooks';

const KEY = 'key-of-the-administrator-0123456789abcdef';
const REPOSITORIES = '/projects/DEMO/git/repositories';
/** More than a pipe and the first chunk of a pack hold. */
const LARGE = 1_000_000;

/** Moment of the kill: before git runs, once git has read part of its input, or after git has ended. */
type Moment = 'before' | 'during' | 'after';

interface Activity {
  type: number;
  content: { repository: { name: string }; ref?: string; revisions?: { rev: string }[] };
}

/** A git that kills its parent process, once, at the moment and with the arguments in the file `plan`. Its later output is lost. */
const killingGit = (folder: string): string => `#!/bin/sh
plan=${folder}/plan
if [ -f "$plan" ] && read -r moment pattern < "$plan"; then
  case " $* " in
    *" $pattern "*)
      if mv "$plan" "$plan.done"; then
        case $moment in
          before) kill -9 $PPID ;;
          during) { head -c 100000; kill -9 $PPID; } | git "$@" > /dev/null 2>&1 ;;
          after) git "$@" > /dev/null 2>&1; kill -9 $PPID ;;
        esac
        touch "$plan.over"
        exit 1
      fi ;;
  esac
fi
exec git "$@"
`;

describeWithGit('a service killed with SIGKILL', () => {
  let folder: string;
  let person: GitFolder;
  let child: Child;
  let origin: string;
  let repositories = 0;

  beforeAll(async () => {
    person = await GitFolder.make();
    folder = person.path;
    await writeFile(join(folder, 'git'), killingGit(folder));
    await chmod(join(folder, 'git'), 0o700);
    await start();
  });
  afterAll(async () => {
    await child.kill();
    await person.remove();
  });

  async function start(): Promise<void> {
    child = new Child(
      'run-service',
      JSON.stringify({
        PORT: '0',
        DATABASE_URL: `sqlite:${join(folder, 'kills.db')}`,
        STORAGE_URL: `file:${join(folder, 'files')}`,
        GIT_ROOT: join(folder, 'git-root'),
        GIT_PATH: join(folder, 'git'),
        ADMIN_API_KEY: KEY,
        DEMO_DATA: 'true',
        LOG_LEVEL: 'fatal',
      }),
    );
    for (;;) {
      const line = await child.nextLine();
      const address = /^ *Documentation +(http:\/\/\S+)\/api-docs/.exec(line ?? '')?.[1];
      if (line === undefined) throw new Error('The service did not start.');
      if (address === undefined) continue;
      origin = address;
      return;
    }
  }

  /** Makes the next git with these arguments kill the service, and starts the service again. */
  async function killed(moment: Moment, pattern: string, work: () => Promise<unknown>): Promise<void> {
    await rm(join(folder, 'plan.over'), { force: true });
    await writeFile(join(folder, 'plan.new'), `${moment} ${pattern}\n`);
    await rename(join(folder, 'plan.new'), join(folder, 'plan'));
    const outcome = child.outcome();
    await work();
    expect(await outcome).toEqual([null, 'SIGKILL']);
    await eventually(
      () => Promise.resolve(existsSync(join(folder, 'plan.over'))),
      (isOver) => isOver,
    );
    await start();
  }

  async function send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${origin}/api/v2${path}`, {
      method,
      headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  const addressOf = (name: string): string =>
    `${origin.replace('://', `://admin:${KEY}@`)}/git/DEMO/${name}.git`;
  const folderOf = (id: number): GitFolder =>
    person.in(`git-root/repositories/${String(id % 100).padStart(2, '0')}/${id}.git`);

  /** Adds a repository with one commit on `main`, and a clone of it. */
  async function addRepository(): Promise<{ name: string; id: number; clone: GitFolder }> {
    const name = `kills-${++repositories}`;
    const { id } = await send<{ id: number }>('POST', REPOSITORIES, { name });
    await person.git('init', '--quiet', '--initial-branch=main', name);
    const clone = person.in(name);
    await commit(clone, 'first');
    await clone.git('push', '--quiet', addressOf(name), 'main');
    return { name, id, clone };
  }

  async function commit(clone: GitFolder, file: string): Promise<string> {
    await writeFile(join(clone.path, file), randomBytes(LARGE));
    await clone.git('add', '.');
    return clone.commit('--message', `Add ${file}`);
  }

  /** Returns the branch or tag and the commits of each recorded push to a repository, oldest first. */
  async function recorded(name: string): Promise<[ref: string, revisions: string[]][]> {
    const activities = await send<Activity[]>(
      'GET',
      '/projects/DEMO/activities?activityTypeId[]=12&count=100&order=asc',
    );
    return activities
      .filter(({ content }) => content.repository.name === name)
      .map(({ content: { ref = '', revisions = [] } }) => [ref, revisions.map(({ rev }) => rev)]);
  }

  async function expectSound(id: number): Promise<void> {
    expect(await folderOf(id).git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
    const files = await readdir(folderOf(id).path, { recursive: true });
    expect(files.filter((file) => /\.lock$|incoming|tmp_obj/.test(file))).toEqual([]);
  }

  it.each<[Moment, boolean]>([
    ['before', false],
    ['during', false],
    ['after', true],
  ])('leaves no partial state when killed %s a push', async (moment, isAccepted) => {
    const { name, id, clone } = await addRepository();
    const first = await clone.git('rev-parse', 'HEAD');
    const second = await commit(clone, 'second');
    await killed(moment, 'receive-pack --stateless-rpc', async () => {
      expect((await clone.try('push', '--quiet', addressOf(name), 'main')).code).not.toBe(0);
    });
    const expected: Awaited<ReturnType<typeof recorded>> = [['refs/heads/main', [first]]];
    if (isAccepted) expected.push(['refs/heads/main', [second]]);
    await eventually(
      () => recorded(name),
      (found) => found.length === expected.length,
    );
    expect(await recorded(name)).toEqual(expected);
    expect(await folderOf(id).git('rev-parse', 'main')).toBe(isAccepted ? second : first);
    await expectSound(id);

    const third = await commit(clone, 'third');
    await clone.git('push', '--quiet', addressOf(name), 'main');
    expected.push(['refs/heads/main', isAccepted ? [third] : [third, second]]);
    expect(await recorded(name)).toEqual(expected);
  });

  it('sets the default branch from the first push despite the kill', async () => {
    const name = `kills-${++repositories}`;
    await send('POST', REPOSITORIES, { name });
    await person.git('init', '--quiet', '--initial-branch=trunk', name);
    const clone = person.in(name);
    await commit(clone, 'first');
    await killed('after', 'receive-pack --stateless-rpc', async () => {
      expect((await clone.try('push', '--quiet', addressOf(name), 'trunk')).code).not.toBe(0);
    });
    await eventually(
      () => recorded(name),
      (found) => found.length === 1,
    );
    expect(await send('GET', `${REPOSITORIES}/${name}`)).toMatchObject({ defaultBranch: 'trunk' });
    await person.git('clone', '--quiet', addressOf(name), `${name}-again`);
    expect(await person.in(`${name}-again`).git('symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
  });

  it('serves a repository whose creation was interrupted', async () => {
    const name = `kills-${++repositories}`;
    await killed('after', 'init --quiet', async () => {
      await send('POST', REPOSITORIES, { name }).catch(() => undefined);
    });
    const { id } = await send<{ id: number }>('GET', `${REPOSITORIES}/${name}`);
    await person.git('clone', '--quiet', addressOf(name));
    const clone = person.in(name);
    const first = await commit(clone, 'first');
    await clone.git('push', '--quiet', addressOf(name), 'HEAD:refs/heads/main');
    expect(await recorded(name)).toEqual([['refs/heads/main', [first]]]);
    await expectSound(id);
  });

  it.each<[Moment, boolean]>([
    ['before', false],
    ['after', true],
  ])('leaves no partial merge when killed %s git moves the base', async (moment, isMerged) => {
    const { name, id, clone } = await addRepository();
    const first = await clone.git('rev-parse', 'HEAD');
    await clone.git('checkout', '--quiet', '-b', 'topic');
    const second = await commit(clone, 'second');
    await clone.git('push', '--quiet', addressOf(name), 'topic');
    const fields = { summary: 'Merge me', description: '', base: 'main', branch: 'topic' };
    await send('POST', `${REPOSITORIES}/${name}/pullRequests`, fields);
    const path = `${REPOSITORIES}/${name}/pullRequests/1`;
    await killed(moment, 'update-ref -z --stdin', async () => {
      await expect(send('PATCH', path, { statusId: 3 })).rejects.toThrow();
    });
    if (!isMerged) {
      expect(await folderOf(id).git('rev-parse', 'main')).toBe(first);
      expect(await send('GET', path)).toMatchObject({ status: { id: 1 }, mergeCommit: null });
      await send('PATCH', path, { statusId: 3 });
    }
    const merge = await folderOf(id).git('rev-parse', 'main');
    expect(await folderOf(id).git('log', '-1', '--format=%P', 'main')).toBe(`${first} ${second}`);
    const found = await eventually(
      () => send<{ status: { id: number }; mergeCommit: string | null }>('GET', path),
      ({ status }) => status.id === 3,
    );
    expect(found.mergeCommit).toBe(merge);
    const [, , [ref, revisions] = []] = await recorded(name);
    expect([ref, revisions]).toEqual(['refs/heads/main', expect.arrayContaining([merge])]);
    expect(await recorded(name)).toHaveLength(3);
    await expectSound(id);
  });
});
