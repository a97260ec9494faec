import { existsSync } from 'node:fs';
import { GitStore } from '../../src/git/git-store';
import { GitFoldersService } from '../../src/git-repositories/storage/git-folders.service';
import { describeWithGit, WITH_GIT } from '../support/git';
import { importCommits } from '../support/git-history';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { creationOf, ServedGit } from '../support/served-git';
import { type ProjectFixture, useWorld } from '../support/world';

describeWithGit('an operation on a git repository that is being removed', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let served: ServedGit;
  let store: GitStore;
  let head: string;
  let number: number;
  let path: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    served = new ServedGit(world, project);
    store = world.service(GitStore);
    path = `/projects/${project.key}/git/repositories/${project.repositoryName}`;
    [head = ''] = await importCommits(world, project.repositoryId, [
      { ref: 'refs/heads/main', files: [{ path: 'a.txt', content: 'a\n' }] },
      { ref: 'refs/heads/change', parents: [':1'], files: [{ path: 'b.txt', content: 'b\n' }] },
    ]);
    const { body } = await world.admin.api.post<{ number: number }>(pullRequests(project), NEW_PULL_REQUEST);
    ({ number } = body);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const remove = async (): Promise<void> => {
    const { status } = await tested.world.admin.api.delete(path);
    expect(status).toBe(200);
    await tested.world.service(GitFoldersService).whenIdle();
    expect(existsSync(store.folderOf(project.repositoryId))).toBe(false);
  };

  /** Removes the repository right after its folder has been opened for the nth time. */
  const removeAfterOpening = (times: number): { hasRemoved: () => boolean } => {
    const open = store.open.bind(store);
    let count = 0;
    vi.spyOn(store, 'open').mockImplementation(async (id) => {
      const folder = await open(id);
      if (id === project.repositoryId && ++count === times) await remove();
      return folder;
    });
    return { hasRemoved: () => count >= times };
  };

  const get = async (rest: string): Promise<number> => (await tested.world.admin.api.get(path + rest)).status;
  const post = async (rest: string, body: object): Promise<number> =>
    (await tested.world.admin.api.post(path + rest, body)).status;
  const patch = async (rest: string, body: object): Promise<number> =>
    (await tested.world.admin.api.patch(path + rest, body)).status;
  const ofGit = async (answer: Promise<Response>): Promise<number> => (await answer).status;

  const operations: Record<string, () => Promise<number>> = {
    'lists branches': () => get('/branches'),
    'lists tags': () => get('/tags'),
    'adds a branch': () => post('/branches', { name: 'x', from: 'main' }),
    'deletes a branch': async () => (await tested.world.admin.api.delete(`${path}/branches/change`)).status,
    'lists commits': () => get('/commits'),
    'gets a commit': () => get(`/commits/${head}`),
    'lists a folder': () => get('/tree'),
    'downloads a file': () => get('/files?path=a.txt'),
    'compares commits': () => get('/compare?base=main&head=change'),
    'changes the default branch': () => patch('', { defaultBranch: 'change' }),
    'adds a pull request': () => post('/pullRequests', NEW_PULL_REQUEST),
    'merges a pull request': () => patch(`/pullRequests/${number}`, { statusId: 3 }),
    'changes the branches of a pull request': () =>
      patch(`/pullRequests/${number}`, { base: 'change', branch: 'main' }),
    'lists the commits of a pull request': () => get(`/pullRequests/${number}/commits`),
    'lists the files of a pull request': () => get(`/pullRequests/${number}/files`),
    'sends the diff of a pull request': () => get(`/pullRequests/${number}.diff`),
    'sends the patch of a pull request': () => get(`/pullRequests/${number}.patch`),
    'begins a fetch': () => ofGit(served.get('/info/refs?service=git-upload-pack', tested.world.admin.key)),
    'begins a push': () => ofGit(served.get('/info/refs?service=git-receive-pack', tested.world.admin.key)),
    fetches: () => ofGit(served.post('git-upload-pack', tested.world.admin.key, '0000')),
    pushes: () =>
      ofGit(served.post('git-receive-pack', tested.world.admin.key, creationOf(head, ['refs/heads/x']))),
  };

  describe.each(Object.keys(operations))('that %s', (name) => {
    const run = operations[name] as () => Promise<number>;

    it.each([1, 2, 3, 4])(
      'recreates no folder and returns 404 or its result (removal after opening %i)',
      async (times) => {
        const { hasRemoved } = removeAfterOpening(times);
        const status = await run();
        // An operation that has finished its work may succeed; one that opens the folder less often is not disturbed.
        expect(times === 1 ? [404] : [200, 201, 404]).toContain(status);
        await tested.world.whenIdle();
        expect(existsSync(store.folderOf(project.repositoryId))).toBe(!hasRemoved());
      },
    );
  });

  it('returns 404 or its result when several pull requests are added simultaneously', async () => {
    const add = () => tested.world.admin.api.post(pullRequests(project), NEW_PULL_REQUEST);
    const adding = Array.from({ length: 12 }, add);
    await remove();
    for (const { status } of await Promise.all(adding)) expect([200, 404]).toContain(status);
  });
});
