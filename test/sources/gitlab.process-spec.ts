import { checkArchive } from '../../src/archives/check-records';
import { recordKinds } from '../../src/archives/record-kinds';
import { pullToArchive, type Pulled } from '../../src/sources/pull-to-archive';
import { type ApiClient } from '../support/api';
import { entriesOf, recordsOf } from '../support/archives';
import { describeWithGit } from '../support/git';
import { Answer } from './forges/fake-forge';
import {
  CONFIDENTIAL,
  createdOf,
  FakeGitlab,
  idOf,
  LAST_ISSUE,
  MANY_LINKS,
  PROJECT_PATH,
  SECRET,
} from './forges/fake-gitlab';
import { ImportTarget } from './forges/import-target';
import { type FakeCommits, FakeRepositories, fileOf } from './forges/repositories';

const TIMEOUT_MS = 600_000;
const KEY = 'the-key';

describeWithGit('a project of GitLab as a source', () => {
  let repositories: FakeRepositories;
  let commits: FakeCommits;
  let gitlab: FakeGitlab;
  let target: ImportTarget;
  let pulled: Pulled;

  beforeAll(async () => {
    repositories = await FakeRepositories.make();
    commits = await repositories.code(`/${PROJECT_PATH}.git`, 'refs/merge-requests/1/head');
    await repositories.wiki(`/${PROJECT_PATH}.wiki.git`, [
      { [fileOf('home')]: 'Welcome', [fileOf('setup/first-steps')]: 'Go' },
    ]);
    gitlab = await new FakeGitlab(repositories.folder, commits).open();
    target = await ImportTarget.make();
    pulled = await pull('pulled');
  }, TIMEOUT_MS);

  afterAll(async () => {
    gitlab.close();
    await target.remove();
    await repositories.remove();
  });

  const address = (): string => `gitlab+${gitlab.origin}/${PROJECT_PATH}`;

  const pull = (name: string): Promise<Pulled> =>
    pullToArchive(address(), target.folder.file(`${name}.pms`), {
      environment: target.environment,
      spool: target.folder.file(`${name}-spool`),
      keys: [KEY],
    });

  const lossOf = (start: string) => pulled.losses.find(({ text }) => text.startsWith(start));

  it('gives an archive that the service accepts', async () => {
    const checked = await checkArchive(target.folder.file('pulled.pms'), await recordKinds());
    expect(checked.contents).toMatchObject({
      repositories: { count: 1, lost: [] },
      files: { count: 1, lost: [] },
    });
  });

  it('reads nothing of what only members may see, and says so', async () => {
    for (const [name, content] of await entriesOf(target.folder.file('pulled.pms'))) {
      expect([name, content.includes(SECRET)]).toEqual([name, false]);
    }
    expect(lossOf('Confidential issues')).toMatchObject({ count: 1, examples: [`#${CONFIDENTIAL}`] });
    expect(lossOf('Internal notes')).toMatchObject({ count: 2, examples: ['#1', '!1'] });
    const paths = gitlab.asked.map(({ path }) => path);
    expect(paths.filter((path) => path.includes(`/issues/${CONFIDENTIAL}/`))).toEqual([]);
  });

  it('has the branches of the git repository, and the head of the merge request whose branch is gone', async () => {
    expect(await repositories.refsIn(target.folder.file('pulled.pms'))).toEqual([
      `${commits.main} refs/heads/main`,
      `${commits.request} refs/pull/1/head`,
    ]);
  });

  it('says what else cannot be read, and how often', () => {
    expect(lossOf('Notes of the system')).toMatchObject({ count: 2, examples: ['#1', '#1'] });
    expect(lossOf('Files in texts')).toMatchObject({ count: 1, examples: ['#1'] });
    expect(lossOf('Files in Git LFS')).toBeDefined();
    expect(lossOf('Further assignees')).toMatchObject({ count: 1, examples: ['#1'] });
    expect(lossOf('Links to issues of other projects')).toMatchObject({ count: 1 });
    expect(lossOf('Which of two related issues blocks')).toMatchObject({ count: 1 });
    expect(pulled.losses.filter(({ text }) => text.includes('cannot be cloned'))).toEqual([]);
  });

  it.each([...MANY_LINKS])(
    'has all links of issue %i, which GitLab lists without pages: %i',
    async (iid, count) => {
      const related = (await recordsOf(target.folder.file('pulled.pms'))).get('relatedIssue')!;
      expect(related.filter(({ firstIssueId }) => firstIssueId === idOf(iid))).toHaveLength(count);
    },
  );

  it('sends the key with every request of the API, and in no address', () => {
    const api = gitlab.asked.filter(({ path }) => !path.startsWith(`/${PROJECT_PATH}`));
    expect(api.length).toBeGreaterThan(LAST_ISSUE);
    for (const { headers, query } of api) {
      expect(headers['private-token']).toBe(KEY);
      expect(query.toString()).not.toContain(KEY);
    }
  });

  it('is refused without a key, with which alone GitLab shows comments', async () => {
    const result = await target.import(address(), '--dry-run');
    expect([result.exitCode, result.stderr]).toEqual([
      1,
      expect.stringContaining('A key of the source is needed'),
    ]);
  });

  it('is planned without being read', async () => {
    const result = await target.import(address(), '--key', KEY, '--dry-run');
    expect(result.stdout).toMatch(/MOBILE_APP +Mobile App +130/);
  });

  describe('after pms import', () => {
    let api: ApiClient;

    beforeAll(async () => {
      const result = await target.import(address(), '--key', KEY);
      expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('Not imported:\n- ')]);
      api = await target.api();
    }, TIMEOUT_MS);

    it('shows issues with their texts, files, states, hours and weights', async () => {
      const { body } = await api.get('/issues/MOBILE_APP-1');
      expect(body).toMatchObject({
        ...{ summary: 'Issue 1', description: 'A ![image][plan b.png] and plan b.png' },
        ...{ status: { id: 1 }, assignee: { name: 'Bob' }, createdUser: { name: 'Ada Lovelace' } },
        ...{ estimatedHours: 2.5, actualHours: 1, dueDate: '2024-05-06T00:00:00Z' },
        ...{ category: [{ name: 'bug' }], attachments: [{ name: 'plan b.png', size: 9 }] },
        milestone: [
          { name: 'v1', startDate: '2024-03-01T00:00:00Z', releaseDueDate: '2024-04-30T00:00:00Z' },
        ],
        customFields: [{ name: 'Weight', value: 7 }],
      });
      expect(Date.parse(body.created)).toBe(Math.floor(createdOf(1) / 1000) * 1000);
      const file = await api.download(`/issues/MOBILE_APP-1/attachments/${body.attachments[0].id}`);
      expect(file.bytes.toString()).toBe('a picture');
      expect((await api.get('/issues/MOBILE_APP-2')).body.issueType.name).toBe('Incident');
      const { body: closed } = await api.get('/issues/MOBILE_APP-3');
      expect([closed.status.id, closed.resolution.name]).toEqual([4, 'Duplicate']);
      expect((await api.get('/issues/MOBILE_APP-4')).body.createdUser.name).toBe('Unknown user');
    });

    it('has every issue under its own number, but not the confidential one', async () => {
      expect((await api.get(`/issues/MOBILE_APP-${CONFIDENTIAL}`)).status).toBe(404);
      const { body: project } = await api.get('/projects/MOBILE_APP');
      expect(project.archived).toBe(true);
      const { body } = await api.get(`/issues/count?projectId[]=${project.id}`);
      expect(body.count).toBe(LAST_ISSUE - 1);
    });

    it('shows comments and changes in the order of their times', async () => {
      const { body } = await api.get<any[]>('/issues/MOBILE_APP-1/comments?order=asc&count=100');
      const shown = body.map(({ content, changeLog }) =>
        content === ''
          ? changeLog.map(({ field, originalValue, newValue }: any) => [field, originalValue, newValue])[0]
          : content,
      );
      expect(shown).toEqual([
        expect.stringMatching(/^See MOBILE_APP-2, #12 and !1: /),
        ['status', 'Open', 'Closed'],
        ['component', '', 'bug'],
        ['status', 'Closed', 'Open'],
        ['milestone', '', 'v1'],
        ['assigner', 'eve', 'bob, ada'],
        ['summary', 'Old', 'New title'],
        ['limitDate', '', '2024-05-06'],
      ]);
    });

    it('shows related issues', async () => {
      const { body } = await api.get<any[]>('/issues/MOBILE_APP-1/relatedIssues');
      expect(body.map(({ issueKey }) => issueKey)).toEqual(['MOBILE_APP-2']);
    });

    it('shows merge requests as pull requests, with the commits of forks', async () => {
      const path = '/projects/MOBILE_APP/git/repositories/mobile-app/pullRequests/1';
      expect((await api.get(path)).body).toMatchObject({
        ...{ number: 1, summary: 'Change', description: 'Closes MOBILE_APP-1', status: { name: 'Merged' } },
        ...{ base: 'main', branch: 'bob:main', branchCommit: commits.request },
      });
      const { body } = await api.get<any[]>(`${path}/comments?order=asc`);
      expect(body.map(({ content }) => content)).toEqual(['`a.txt`, line 3:\n\nWhy?', '']);
    });

    it('shows wiki pages with the folders in their names', async () => {
      const { body } = await api.get<any[]>('/wikis?projectIdOrKey=MOBILE_APP');
      expect(body.map(({ name }) => name).sort()).toEqual(['home', 'setup/first steps']);
    });
  });

  it('stops where the key may not see issues', async () => {
    gitlab.instead = ({ path }) => (path.endsWith('/issues') ? new Answer(403, {}) : undefined);
    await expect(pull('hidden')).rejects.toThrow(`The key may not see the issues of ${PROJECT_PATH}.`);
    gitlab.instead = () => undefined;
  });

  it('sends the key to no other host that it is redirected to', async () => {
    const other = await new FakeGitlab(repositories.folder, commits).open();
    gitlab.instead = ({ path }) =>
      path.endsWith('/members/all')
        ? new Answer(302, '', { location: `${other.origin}/api/v4/projects/77/members/all` })
        : undefined;
    await expect(pull('redirected')).rejects.toThrow(/redirects to http.*, which is not followed/);
    expect(other.asked).toEqual([]);
    gitlab.instead = () => undefined;
    other.close();
  });
});
