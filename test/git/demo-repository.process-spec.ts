import { startTestServer, type TestServer } from '../../src/testing';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { GitStore } from '../../src/git/git-store';
import { ApiClient } from '../support/api';
import { describeWithGit, GitFolder } from '../support/git';

const PULL_REQUEST = '/projects/DEMO/git/repositories/demo/pullRequests/1';
const MAIN = 'c28ed131af893313e034196e3326589bf0ca5164';
const HELLO = '954e5cf20aee13747ef4a7c77561e5efd154e732';

describeWithGit('the repository of the demo project', () => {
  let server: TestServer;
  let api: ApiClient;
  let folder: GitFolder;

  beforeEach(async () => {
    server = await startTestServer({ git: true });
    api = new ApiClient(server.baseUrl, server.adminKey);
    folder = await GitFolder.make();
  });

  afterEach(async () => {
    await folder.remove();
    await server.close();
  });

  it('has the branches of the pull request, which can be merged', async () => {
    const { body: before } = await api.get(PULL_REQUEST);
    expect(before).toMatchObject({ baseCommit: MAIN, branchCommit: HELLO, mergeCommit: null });
    const { body: merged } = await api.patch<{ mergeCommit: string }>(PULL_REQUEST, { statusId: 3 });
    const bare = await server.app.get(GitStore).open(1);
    const log = await folder.git('--git-dir', bare, 'log', '--format=%an: %s', 'main');
    expect(log.split('\n')).toEqual([
      'Administrator: Merge pull request #1 from hello',
      'Dana Developer: Say hello',
      'Administrator: Begin with a description',
    ]);
    expect(await folder.git('--git-dir', bare, 'rev-parse', 'main')).toBe(merged.mergeCommit);
    await folder.git('--git-dir', bare, 'fsck', '--strict');
  });

  it('keeps its main branch when the first start runs again', async () => {
    await api.patch(PULL_REQUEST, { statusId: 3 });
    const bare = await server.app.get(GitStore).open(1);
    const main = await folder.git('--git-dir', bare, 'rev-parse', 'main');
    expect(await server.app.get(FirstStartService).run()).toBeUndefined();
    expect(await folder.git('--git-dir', bare, 'rev-parse', 'main')).toBe(main);
  });
});

describe('the demo project without git', () => {
  it('has a pull request whose branches have no commits', async () => {
    const server = await startTestServer();
    try {
      const api = new ApiClient(server.baseUrl, server.adminKey);
      const { status, body } = await api.get(PULL_REQUEST);
      expect([status, body]).toMatchObject([200, { base: 'main', baseCommit: null, branchCommit: null }]);
      expect((await api.patch(PULL_REQUEST, { statusId: 3 })).body).toMatchObject({ mergeCommit: null });
    } finally {
      await server.close();
    }
  });
});
