import {
  chmod,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ActivityType } from '../../src/activities/activity-type';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { type Finding } from '../../src/doctor/finding';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { PushesService } from '../../src/git-repositories/pushes/pushes.service';
import { GitRefsService } from '../../src/git-repositories/refs/git-refs.service';
import { RefLockedError } from '../../src/git-repositories/refs/ref-repair';
import { RefRepairService } from '../../src/git-repositories/refs/ref-repair.service';
import { findRecordedHeads } from '../../src/pull-requests/data/recorded-heads';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { Commands } from '../support/pms';
import { addClonedProject, commitFile, pushFile, ServedGit } from '../support/served-git';
import { type Person, type ProjectFixture, useSharedDatabase, World } from '../support/world';

const MISSING = '1'.repeat(40);

/** Ways in which a power failure damages the file of a ref. */
const DAMAGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'an empty file': (path) => truncate(path),
  'a truncated hash': (path) => truncate(path, 20),
  'a file of zero bytes': (path) => writeFile(path, Buffer.alloc(41)),
  'the hash of a missing object': (path) => writeFile(path, `${MISSING}\n`),
};

describeWithGit('a damaged ref', () => {
  const commands = new Commands();
  let gitRoot: GitFolder;
  beforeEach(async () => {
    gitRoot = await GitFolder.make();
  });
  const tested = useSharedDatabase(() => ({ ...WITH_GIT, GIT_ROOT: gitRoot.path }));
  let project: ProjectFixture;
  let member: Person;
  let served: ServedGit;
  let folder: GitFolder;
  let clone: GitFolder;
  let bare: string;
  let feature: string;

  beforeEach(async () => {
    const { world } = tested;
    ({ project, member, served, folder, clone } = await addClonedProject(world));
    await pushFile(clone, 'a.txt');
    await clone.git('checkout', '--quiet', '-b', 'feature');
    feature = await commitFile(clone, 'b.txt');
    await clone.git('push', '--quiet', 'origin', 'feature');
    bare = world.service(GitStore).folderOf(project.repositoryId);
  });
  afterEach(async () => {
    await folder.remove();
    await gitRoot.remove();
  });
  afterAll(() => commands.stop());

  /** Returns the branches that a clone has got. */
  const fetched = (copy: GitFolder): Promise<string> =>
    copy.git(
      'for-each-ref',
      '--format=%(refname)',
      ...['main', 'feature'].map((name) => `refs/remotes/origin/${name}`),
    );

  /** Returns the number of recorded pushes. */
  const pushes = async (): Promise<number> => {
    const query = `activityTypeId[]=${ActivityType.GitPushed}&count=100`;
    const { body } = await member.api.get<object[]>(`/projects/${project.key}/activities?${query}`);
    return body.length;
  };
  const record = (): Promise<void> => tested.world.service(PushesService).record(project.repositoryId);
  const repair = async (name: string): Promise<object | undefined> => {
    const heads = await findRecordedHeads(tested.world.dataSource, project.repositoryId);
    return tested.world.service(RefRepairService).repair(project.repositoryId, name, heads);
  };
  const doctor = async (): Promise<Finding[]> => {
    const settings = { ...WITH_GIT, GIT_ROOT: gitRoot.path, DATABASE_URL: tested.databaseUrl };
    const { stdout } = await commands.run(['doctor', '--json'], settings);
    return (JSON.parse(stdout) as Finding[]).filter(
      ({ check, level }) => check.startsWith('git') && level !== 'ok',
    );
  };
  const branchNames = async (): Promise<string[]> => {
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/branches`;
    return (await member.api.get<{ name: string }[]>(path)).body.map(({ name }) => name);
  };

  it.each(Object.entries(DAMAGES))('leaves other refs usable until repaired (%s)', async (_name, damage) => {
    await damage(join(bare, 'refs/heads/feature'));
    for (const version of ['0', '2']) {
      const copy = await served.clone(folder, member, `v${version}`, '-c', `protocol.version=${version}`);
      expect(await fetched(copy)).toBe('refs/remotes/origin/main');
    }
    expect(await branchNames()).toEqual(['main']);
    await clone.git('checkout', '--quiet', 'main');
    await commitFile(clone, 'c.txt');
    await clone.git('push', '--quiet', 'origin', 'main', 'main:other');
    const { stderr } = await clone.try('push', '--force', 'origin', 'main:feature', 'main:third');
    expect(stderr).toMatch(/remote rejected.*feature \(it is damaged on the server/);
    expect(stderr).toMatch(/\[new branch\] +main -> third/);
    await record();
    expect(await pushes()).toBe(5);
    expect(await doctor()).toMatchObject([
      {
        check: 'git refs',
        level: 'problem',
        message: `1 damaged ref in 1 git repository, such as refs/heads/feature of ${project.repositoryId}.`,
      },
    ]);
    expect(await repair('refs/heads/feature')).toEqual({ name: 'refs/heads/feature', hash: feature });
    expect(await repair('refs/heads/feature')).toBeUndefined();
    expect(await doctor()).toEqual([]);
    expect(await clone.git('ls-remote', 'origin', 'refs/heads/feature')).toMatch(feature);
    await record();
    expect(await pushes()).toBe(5);
    expect((await readdir(join(bare, 'refs/heads'))).sort()).toEqual(['feature', 'main', 'other', 'third']);
  });

  it.each(Object.entries(DAMAGES))('refuses a new branch of its name (%s)', async (_name, damage) => {
    await damage(join(bare, 'refs/heads/feature'));
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/branches`;
    const { status, body } = await member.api.post(path, { name: 'feature', from: 'main' });
    expect([status, JSON.stringify(body)]).toEqual([
      503,
      expect.stringContaining('damaged on the server (refs/heads/feature)') as string,
    ]);
  });

  it('is not changed while another process has locked it', async () => {
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/branches`;
    for (const name of ['feature', 'new']) await writeFile(join(bare, `refs/heads/${name}.lock`), '');
    const answers = [
      await member.api.delete(`${path}?name=feature`),
      await member.api.post(path, { name: 'new', from: 'main' }),
    ];
    for (const { status, body } of answers) {
      expect([status, JSON.stringify(body)]).toEqual([
        503,
        expect.stringContaining('Git could not store the change: try again later.') as string,
      ]);
    }
    await rm(join(bare, 'refs/heads/feature.lock'));
    expect((await member.api.delete(`${path}?name=feature`)).status).toBe(200);
  });

  it('leaves other branches usable when it is the default branch', async () => {
    await writeFile(join(bare, 'refs/heads/main'), `${MISSING}\n`);
    for (const version of ['0', '2']) {
      const copy = await served.clone(folder, member, `v${version}`, '-c', `protocol.version=${version}`);
      expect(await fetched(copy)).toBe('refs/remotes/origin/feature');
    }
  });

  it('stays unrepaired without a record or when the recorded object is missing', async () => {
    await writeFile(join(bare, 'refs/heads/unknown'), '');
    expect(await repair('refs/heads/unknown')).toMatchObject({ obstacle: 'nothing is recorded for it' });
    await rm(join(bare, 'refs/heads/unknown'));
    await tested.world.dataSource.query('UPDATE git_ref SET hash = ? WHERE name = ?', [
      MISSING,
      'refs/heads/feature',
    ]);
    await truncate(join(bare, 'refs/heads/feature'));
    expect(await repair('refs/heads/feature')).toMatchObject({
      obstacle: `the recorded object ${MISSING} is missing`,
    });
    expect(await doctor()).toContainEqual(
      expect.objectContaining({
        check: 'git refs',
        message: expect.stringContaining('1 damaged ref that cannot be repaired') as string,
      }),
    );
    expect(await readdir(join(bare, 'refs/heads'))).toEqual(['feature', 'main']);
  });

  it('is repaired when it belongs to a pull request', async () => {
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests`;
    const request = { summary: 'A', description: '', base: 'main', branch: 'feature' };
    const { body } = await member.api.post<{ number: number }>(path, request);
    const ref = `refs/pull/${body.number}/head`;
    await truncate(join(bare, ref));
    expect(await clone.git('ls-remote', 'origin')).not.toMatch(ref);
    expect(await doctor()).toMatchObject([{ check: 'git refs', level: 'problem' }]);
    expect(await repair(ref)).toEqual({ name: ref, hash: feature });
    expect(await clone.git('ls-remote', 'origin', ref)).toMatch(feature);
  });

  it('lets the refs of other pull requests follow a push', async () => {
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests`;
    const refs: string[] = [];
    for (const base of ['one', 'two', 'three']) {
      await clone.git('push', '--quiet', 'origin', `main:${base}`);
      const request = { summary: base, description: '', base, branch: 'feature' };
      const { body } = await member.api.post<{ number: number }>(path, request);
      refs.push(`refs/pull/${body.number}/head`);
    }
    const [damaged = ''] = refs.splice(1, 1);
    await truncate(join(bare, damaged));
    const next = await commitFile(clone, 'c.txt');
    await clone.git('push', '--quiet', 'origin', 'feature');
    const heads = await clone.git('ls-remote', 'origin', damaged, ...refs);
    expect(heads.split('\n')).toEqual(refs.map((ref) => `${next}\t${ref}`));
  });

  it('costs one additional listing of the refs', async () => {
    await truncate(join(bare, 'refs/heads/feature'));
    const running = vi.spyOn(tested.world.service(GitProgram), 'run');
    try {
      await clone.git('-c', 'protocol.version=0', 'ls-remote', 'origin');
      expect(running.mock.calls.filter(([[command]]) => command === 'for-each-ref')).toHaveLength(2);
    } finally {
      running.mockRestore();
    }
  });

  it('stays unrepaired while git holds its lock', async () => {
    await truncate(join(bare, 'refs/heads/feature'));
    await writeFile(join(bare, 'refs/heads/feature.lock'), '');
    await expect(repair('refs/heads/feature')).rejects.toThrow(RefLockedError);
    await rm(join(bare, 'refs/heads/feature.lock'));
    expect(await repair('refs/heads/feature')).toMatchObject({ hash: feature });
  });

  it('stays unrepaired if a file has the name of its folder', async () => {
    const ref = 'refs/heads/feature/x';
    await writeFile(join(bare, 'packed-refs'), `# pack-refs with: sorted \n${MISSING} ${ref}\n`);
    expect(await repair(ref)).toMatchObject({
      name: ref,
      obstacle: 'a file has the name of its folder, refs/heads/feature',
    });
    expect(await repair('refs/heads/feature/y')).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['truncated', '# pack-refs with: peeled fully-peeled sorted \n1111'],
    ['filled with zero bytes', Buffer.alloc(200)],
  ])('makes git requests fail with 503 until repair when packed-refs is %s', async (_name, content) => {
    await served.onServer('pack-refs', '--all');
    await writeFile(join(bare, 'packed-refs'), content);
    const { stderr } = await folder.try('clone', served.urlFor(member), 'broken');
    expect(stderr).toMatch(/503/);
    await commitFile(clone, 'c.txt');
    const pushed = await clone.try('push', 'origin', 'feature');
    expect(pushed.stderr).toMatch(
      /remote: The git repository is damaged on the server \(packed-refs\)[^]*503/,
    );
    await record();
    expect(await pushes()).toBe(2);
    expect((await doctor()).map(({ message }) => message)).toEqual([
      `1 damaged ref in 1 git repository, such as packed-refs of ${project.repositoryId}.`,
    ]);
    expect(await repair('packed-refs')).toMatchObject({ name: 'packed-refs' });
    expect(await doctor()).toEqual([]);
    expect(await clone.git('ls-remote', '--heads', 'origin')).toMatch(
      /refs\/heads\/feature\n[^]*refs\/heads\/main/,
    );
    await record();
    expect(await pushes()).toBe(2);
  });

  it('stays recorded when packed-refs is repaired but its object is missing', async () => {
    await served.onServer('pack-refs', '--all');
    await writeFile(join(bare, 'packed-refs'), '');
    const missing = [MISSING, 'refs/heads/feature'];
    await tested.world.dataSource.query('UPDATE git_ref SET hash = ? WHERE name = ?', missing);
    expect(await repair('packed-refs')).toMatchObject({ name: 'packed-refs' });
    await record();
    expect(await pushes()).toBe(2);
    const names = (await doctor()).map(({ message }) => message);
    expect(names).toContainEqual(
      expect.stringContaining(
        `refs/heads/feature of ${project.repositoryId} (the recorded object ${MISSING}`,
      ),
    );
  });

  it('is rewritten when it is HEAD', async () => {
    for (const content of ['', 'ref: refs/he', Buffer.alloc(21)]) {
      await writeFile(join(bare, 'HEAD'), content);
      expect(await branchNames()).toEqual(['feature', 'main']);
      await writeFile(join(bare, 'HEAD'), content);
      await clone.git('fetch', '--quiet', 'origin');
      expect(await readFile(join(bare, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
    }
  });
});

const RECORDING = 'the recording';

/** A git that appends the number of syncs of each command to files in a folder. */
const countingGit = (folder: string): string => `#!/bin/sh
GIT_TRACE2_EVENT=${folder}/traces exec git "$@"
`;

describeWithGit('an acknowledged git change', () => {
  let folder: GitFolder;
  let world: World;

  beforeAll(async () => {
    folder = await GitFolder.make();
    await mkdir(join(folder.path, 'traces'));
    await writeFile(join(folder.path, 'git'), countingGit(folder.path));
    await chmod(join(folder.path, 'git'), 0o700);
    world = await World.start({ GIT_PATH: join(folder.path, 'git') });
  });
  afterAll(async () => {
    await world.stop();
    await folder.remove();
  });

  afterEach(() => vi.restoreAllMocks());

  /** Returns the number of files that commands with a name have synced, and forgets them. */
  async function takeSyncs(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const name of await readdir(join(folder.path, 'traces'))) {
      const path = join(folder.path, 'traces', name);
      const events = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
      const parsed = events.map((line) => JSON.parse(line) as TraceEvent);
      const command = parsed.find(({ event }) => event === 'cmd_name')?.name ?? '';
      for (const { category, key, value } of parsed) {
        if (category === 'fsync' && key === 'fsync/hardware-flush')
          counts[command] = (counts[command] ?? 0) + Number(value);
      }
      await rm(path);
    }
    return counts;
  }

  /** Lists what is synced in a repository from now on, without syncing it, among other steps that the caller adds. */
  async function listSyncs(repository: string): Promise<string[]> {
    const steps: string[] = [];
    const handle = await open(repository);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      steps.push(relative(repository, await readlink(`/proc/self/fd/${this.fd}`)) || '.');
    });
    return steps;
  }

  /** Does the same, and marks the beginning of each recording. */
  async function listSyncsAndRecordings(repository: string): Promise<string[]> {
    const steps = await listSyncs(repository);
    const pushes = world.service(PushesService);
    const record = pushes.record.bind(pushes);
    vi.spyOn(pushes, 'record').mockImplementation((...args) => {
      steps.push(RECORDING);
      return record(...args);
    });
    return steps;
  }

  /** Takes the steps before the first recording. */
  const takeBeforeRecording = (steps: string[]): string[] => {
    const all = steps.splice(0);
    expect(all).toContain(RECORDING);
    return all.slice(0, all.indexOf(RECORDING));
  };

  it('reaches the disk with its folders before a push is recorded', async () => {
    const project = await world.addProject();
    const member = await world.addMember(project);
    const clone = await new ServedGit(world, project).clone(folder, member, 'pushed');
    await commitFile(clone, 'a.txt');
    const steps = await listSyncsAndRecordings(world.service(GitStore).folderOf(project.repositoryId));
    await clone.git('push', '--quiet', 'origin', 'main:refs/heads/topic/new');
    const folders = ['.', 'objects', 'objects/pack', 'refs', 'refs/heads', 'refs/heads/topic'];
    expect(takeBeforeRecording(steps).sort()).toEqual(folders);
  });

  it('reaches the disk with its folders before a merge is recorded', async () => {
    const project = await world.addProject();
    const member = await world.addMember(project);
    const clone = await new ServedGit(world, project).clone(folder, member, 'merged');
    await commitFile(clone, 'a.txt');
    await clone.git('push', '--quiet', 'origin', 'main');
    await commitFile(clone, 'b.txt');
    await clone.git('push', '--quiet', 'origin', 'main:feature');
    await clone.git('reset', '--quiet', '--hard', 'HEAD^');
    await commitFile(clone, 'c.txt');
    await clone.git('push', '--quiet', 'origin', 'main');
    const steps = await listSyncsAndRecordings(world.service(GitStore).folderOf(project.repositoryId));
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests`;
    const request = { summary: 'A', description: '', base: 'main', branch: 'feature' };
    const { body } = await member.api.post<{ number: number }>(path, request);
    expect(steps.splice(0)).toEqual(
      expect.arrayContaining([`refs/pull/${body.number}`, 'refs/pull', 'refs']),
    );
    const merged = await member.api.patch<{ mergeCommit: string }>(`${path}/${body.number}`, { statusId: 3 });
    const objects = `objects/${merged.body.mergeCommit.slice(0, 2)}`;
    expect(takeBeforeRecording(steps)).toEqual(
      expect.arrayContaining([objects, 'objects', 'refs/heads', '.']),
    );
  });

  it('reaches the disk before it is recorded, whoever has changed the ref', async () => {
    const project = await world.addProject();
    const member = await world.addMember(project);
    const served = new ServedGit(world, project);
    const clone = await served.clone(folder, member, 'unsynced');
    const head = await pushFile(clone, 'a.txt');
    await served.onServer('update-ref', 'refs/heads/topic/new', head);
    const repository = world.service(GitStore).folderOf(project.repositoryId);
    const steps = await listSyncs(repository);
    const transactions = world.service(TransactionsService);
    const run = transactions.run.bind(transactions);
    vi.spyOn(transactions, 'run').mockImplementation((work, ...rest) => {
      steps.push('transaction');
      return run(work, ...rest);
    });
    await world.service(PushesService).record(project.repositoryId);
    const before = steps.slice(0, steps.indexOf('transaction'));
    expect(before).toEqual(
      expect.arrayContaining(['refs/heads/topic/new', 'refs/heads/topic', 'refs/heads', 'objects/pack']),
    );
    steps.length = 0;
    const change = { ref: 'refs/heads/topic/new', oldHash: MISSING, newHash: head };
    expect(await world.service(GitRefsService).compareAndSwap(project.repositoryId, change)).toBe(true);
    expect(steps).toContain('refs/heads/topic');
  });

  it('has its packs, refs and merge objects synced by git', async () => {
    const project = await world.addProject();
    const member = await world.addMember(project);
    const served = new ServedGit(world, project);
    const clone = await served.clone(folder, member);
    await commitFile(clone, 'a.txt');
    await clone.git('push', '--quiet', 'origin', 'main', 'main:other');
    await takeSyncs();
    await clone.git('checkout', '--quiet', '-b', 'feature');
    await commitFile(clone, 'b.txt');
    await clone.git('push', '--quiet', 'origin', 'feature');
    const push = await takeSyncs();
    expect(push['receive-pack']).toBeGreaterThanOrEqual(1);
    expect(push['index-pack']).toBeGreaterThanOrEqual(2);
    await clone.git('checkout', '--quiet', 'main');
    await pushFile(clone, 'c.txt');
    const path = `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests`;
    const added = await member.api.post<{ number: number }>(path, {
      summary: 'Feature',
      description: '',
      base: 'main',
      branch: 'feature',
    });
    await takeSyncs();
    expect((await member.api.patch(`${path}/${added.body.number}`, { statusId: 3 })).status).toBe(200);
    const merge = await takeSyncs();
    for (const command of ['merge-tree', 'commit-tree', 'update-ref'])
      expect(merge[command]).toBeGreaterThanOrEqual(1);
  });
});

interface TraceEvent {
  event: string;
  name?: string;
  category?: string;
  key?: string;
  value?: string | number;
}
