import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { checkArchive } from '../../src/archives/check-records';
import { recordKinds } from '../../src/archives/record-kinds';
import { pullToArchive, type Pulled, type PullOptions } from '../../src/sources/pull-to-archive';
import { type UserDto } from '../../src/users/dto/user.dto';
import { type ApiClient } from '../support/api';
import { type Records, recordsOf } from '../support/archives';
import { describeWithGit } from '../support/git';
import { Answer } from './forges/fake-forge';
import {
  CLOSED,
  createdOf,
  DELETED,
  FakeGithub,
  isPullRequest,
  LAST_NUMBER,
  REPOSITORY,
} from './forges/fake-github';
import { ImportTarget } from './forges/import-target';
import { type FakeCommits, FakeRepositories, fileOf, FIRST_COMMIT } from './forges/repositories';

const TIMEOUT_MS = 600_000;
const KEY = 'the-key';
const PROJECT = 'WEB_APP';
/** The parts of all requests after which runs are aborted, one after the other. */
const CUTS = [0.2, 0.5];

describeWithGit('a repository of GitHub as a source', () => {
  let repositories: FakeRepositories;
  let commits: FakeCommits;
  let github: FakeGithub;
  let target: ImportTarget;
  let pulled: Pulled;
  let records: Records;
  let requests = 0;

  beforeAll(async () => {
    repositories = await FakeRepositories.make();
    commits = await repositories.code(`/${REPOSITORY}.git`, 'refs/pull/20/head');
    await repositories.wiki(`/${REPOSITORY}.wiki.git`, [
      { [fileOf('Home')]: 'Welcome', 'logo.png': 'a picture' },
      { [fileOf('Home')]: 'Welcome to #1', [fileOf('How-to-build')]: 'Run it' },
      { 'Old.textile': 'h1. Old', [fileOf('Gone')]: 'Gone' },
      { [fileOf('Gone')]: null },
    ]);
    github = await new FakeGithub(repositories.folder, commits).open();
    target = await ImportTarget.make();
    // A limit that is met once delays the request, and nothing else.
    let isMet = false;
    github.instead = ({ path }) => {
      if (isMet || !path.endsWith('/issues/comments')) return undefined;
      isMet = true;
      return new Answer(
        403,
        { message: 'You have exceeded a secondary rate limit.' },
        { 'retry-after': '0' },
      );
    };
    pulled = await pull('pulled', { onRequest: () => requests++ });
    records = await recordsOf(target.folder.file('pulled.pms'));
  }, TIMEOUT_MS);

  afterAll(async () => {
    github.close();
    await target.remove();
    await repositories.remove();
  });

  const address = (): string => `github+${github.origin}/${REPOSITORY}`;

  const pull = (name: string, options: Partial<PullOptions> = {}): Promise<Pulled> =>
    pullToArchive(address(), target.folder.file(`${name}.pms`), {
      environment: target.environment,
      spool: target.folder.file(`${name}-spool`),
      keys: [KEY],
      ...options,
    });

  const lossOf = (start: string) => pulled.losses.find(({ text }) => text.startsWith(start));

  it('gives an archive that the service accepts', async () => {
    const checked = await checkArchive(target.folder.file('pulled.pms'), await recordKinds());
    expect(checked.contents.repositories).toMatchObject({ count: 1, lost: [] });
  });

  it('has every issue and pull request under its own number, with its comments in the order of their times', () => {
    const keyIds = records.get('issue')!.map(({ keyId }) => keyId);
    expect([...keyIds].sort((one, other) => Number(one) - Number(other))).toEqual(github.issues);
    const pullRequests = records.get('pullRequest')!.map(({ number }) => number);
    expect([...pullRequests].sort((one, other) => Number(one) - Number(other))).toEqual(github.pullRequests);
    for (const kind of ['issue', 'pullRequest']) {
      for (const { threadId, keyId, number } of records.get(kind)!) {
        const comments = records.get('comment')!.filter((comment) => comment.threadId === threadId);
        const texts = comments.flatMap(({ content }) => (content === '' ? [] : [content]));
        const own = Number(keyId ?? number);
        const reference = isPullRequest(own) ? `#${own}` : `${PROJECT}-${own}`;
        expect(texts).toEqual([
          `Comment 1 on ${reference}`,
          ...(isPullRequest(own) ? ['`src/app.ts`, line 12:\n\nA better name?'] : []),
          `Comment 2 on ${reference}`,
        ]);
      }
    }
  });

  it('has the branches of the git repository, and the head of the pull request whose branch is gone', async () => {
    expect(await repositories.refsIn(target.folder.file('pulled.pms'))).toEqual([
      `${commits.main} refs/heads/main`,
      `${commits.request} refs/pull/20/head`,
    ]);
  });

  it('says what cannot be read, and how often', () => {
    expect(lossOf('Releases')).toBeDefined();
    expect(lossOf('Files in Git LFS')).toBeDefined();
    expect(lossOf('Further assignees, because an issue')).toMatchObject({ count: 1, examples: ['#4'] });
    expect(lossOf('Reactions')).toMatchObject({ count: 3, examples: ['#5'] });
    expect(lossOf('Files of the wiki that are no pages')).toMatchObject({ count: 1, examples: ['logo.png'] });
    expect(lossOf('The markup of wiki pages')).toMatchObject({ count: 1, examples: ['Old.textile'] });
    expect(lossOf('Changes of issues and pull requests before those')).toMatchObject({ count: 1 });
    expect(pulled.losses.filter(({ text }) => text.includes('cannot be cloned'))).toEqual([]);
  });

  it('sends the key with every request of the API, and in no address', () => {
    const api = github.asked.filter(({ path }) => !path.startsWith(`/${REPOSITORY}`));
    expect(api.length).toBeGreaterThan(10);
    for (const { headers, query } of api) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${KEY}`,
        'x-github-api-version': '2022-11-28',
        'user-agent': 'project-management-service',
      });
      expect(query.toString()).not.toContain(KEY);
    }
    const git = github.asked.find(({ path }) => path.endsWith('.git/info/refs'));
    expect(git?.headers.authorization).toBe(
      `Basic ${Buffer.from(`x-access-token:${KEY}`).toString('base64')}`,
    );
  });

  it('goes on after an abort with the same bytes, and asks for no answer twice', async () => {
    mkdirSync(target.folder.file('cut-spool'));
    copyFileSync(target.folder.file('pulled-spool/source.json'), target.folder.file('cut-spool/source.json'));
    let sent = 0;
    for (const cut of CUTS) {
      const aborted = new AbortController();
      let left = Math.ceil(cut * requests);
      const onRequest = (): void => {
        sent++;
        if (--left === 0) aborted.abort();
      };
      await expect(pull('cut', { onRequest, signal: aborted.signal })).rejects.toThrow();
    }
    await pull('cut', { onRequest: () => sent++ });
    const [cutArchive, wholeArchive] = ['cut', 'pulled'].map((name) =>
      readFileSync(target.folder.file(`${name}.pms`)),
    );
    expect(cutArchive!.equals(wholeArchive!)).toBe(true);
    expect(sent).toBeLessThanOrEqual(requests + 4 * CUTS.length);
  });

  it('reads what everybody may see without a key', async () => {
    github.asked.length = 0;
    const notes: string[] = [];
    await pull('public', { keys: [], onNote: (text) => notes.push(text) });
    expect(notes).toEqual([expect.stringContaining('60 requests an hour')]);
    expect(github.asked.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    const found = await recordsOf(target.folder.file('public.pms'));
    expect(found.get('issue')).toHaveLength(github.issues.length);
  });

  it('refuses another project than the one that the repository becomes', async () => {
    await expect(pull('other', { projects: ['OTHER'] })).rejects.toThrow(/is the project WEB_APP/);
  });

  it('is planned without being read', async () => {
    const result = await target.import(address(), '--key', KEY, '--dry-run');
    expect(result.stdout).toMatch(/WEB_APP +web-app +233/);
  });

  describe('after pms import', () => {
    let api: ApiClient;

    beforeAll(async () => {
      const result = await target.import(address(), '--key', KEY, '--project', 'web-app:SITE');
      expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('Not imported:\n- ')]);
      api = await target.api();
    }, TIMEOUT_MS);

    it('shows issues with their texts, states, authors and times', async () => {
      const { body } = await api.get('/issues/SITE-4');
      expect(body).toMatchObject({
        summary: 'Issue 4',
        status: { id: 1 },
        resolution: null,
        issueType: { name: 'Task' },
        assignee: { name: 'bob' },
        created: new Date(createdOf(4)).toISOString().replace('.000Z', 'Z'),
        milestone: [{ name: 'v1', releaseDueDate: '2024-06-30T00:00:00Z', archived: true }],
      });
      expect(body.category.map(({ name }: { name: string }) => name)).toEqual(['bug', 'help wanted']);
      expect((await api.get('/issues/SITE-8')).body.issueType.name).toBe('Bug');
      expect((await api.get('/issues/SITE-2')).body.parentIssueId).toBe(body.id);
      const closed = await Promise.all([6, 9, 15].map((number) => api.get(`/issues/SITE-${number}`)));
      expect(closed.map(({ body: issue }) => [issue.status.id, issue.resolution.name])).toEqual([
        [4, "Won't fix"],
        [4, 'Fixed'],
        [4, 'Duplicate'],
      ]);
    });

    it('shows bots, and one user for all deleted accounts', async () => {
      expect((await api.get('/issues/SITE-2')).body.createdUser.name).toBe('build[bot]');
      expect((await api.get('/issues/SITE-7')).body.createdUser.name).toBe('Unknown user');
      expect((await api.get('/issues/SITE-3')).body.createdUser.name).toBe('Ada Lovelace');
      const { body: users } = await api.get<UserDto[]>('/users');
      const vendorIds = users.map(({ vendorAccount }) => vendorAccount.vendorId);
      expect(vendorIds).not.toContain('');
      expect(new Set(vendorIds).size).toBe(users.length);
    });

    it('shows changes among the comments', async () => {
      const { body } = await api.get<any[]>(`/issues/SITE-${CLOSED}/comments?order=asc&count=100`);
      const shown = body.map(({ content, changeLog, createdUser }) => [
        content,
        changeLog.map(({ field, originalValue, newValue }: any) => [field, originalValue, newValue]),
        createdUser.name,
      ]);
      expect(shown).toEqual([
        [expect.stringMatching(/^Comment 1 on /), [], 'Ada Lovelace'],
        ['', [['summary', 'Old', `Issue ${CLOSED}`]], 'Ada Lovelace'],
        [
          '',
          [
            ['status', 'Open', 'Closed'],
            ['resolution', '', "Won't fix"],
          ],
          'Unknown user',
        ],
        [expect.stringMatching(/^Comment 2 on /), [], 'Unknown user'],
      ]);
    });

    it('leaves the numbers of pull requests and deleted issues free, and goes on after the last issue', async () => {
      for (const number of [DELETED, 10]) expect((await api.get(`/issues/SITE-${number}`)).status).toBe(404);
      const { body: project } = await api.get('/projects/SITE');
      const { body: types } = await api.get('/projects/SITE/issueTypes');
      const fields = { projectId: project.id, summary: 'New', issueTypeId: types[0].id, priorityId: 3 };
      expect((await api.post('/issues', fields)).body.issueKey).toBe(`SITE-${LAST_NUMBER}`);
    });

    it('shows pull requests under their numbers, with the commits of forks', async () => {
      const path = '/projects/SITE/git/repositories/web-app/pullRequests';
      expect((await api.get(`${path}/20`)).body).toMatchObject({
        ...{ number: 20, summary: 'Change 20', base: 'main', branch: 'eve:main', status: { name: 'Merged' } },
        branchCommit: commits.request,
      });
      expect((await api.get(`${path}/10`)).body).toMatchObject({ branch: 'feature', status: { id: 1 } });
      expect((await api.get(`${path}/count`)).body).toEqual({ count: github.pullRequests.length });
    });

    it('shows wiki pages with their histories', async () => {
      const { body: pages } = await api.get<any[]>('/wikis?projectIdOrKey=SITE');
      expect(pages.map(({ name }) => name).sort()).toEqual(['Home', 'How to build', 'Old']);
      const home = pages.find(({ name }) => name === 'Home');
      const { body: history } = await api.get<any[]>(`/wikis/${home.id}/history?order=asc`);
      expect(
        history.map(({ version, content, createdUser }) => [version, content, createdUser.name]),
      ).toEqual([
        [1, 'Welcome', 'Wiki Writer'],
        [2, 'Welcome to #1', 'bob'],
      ]);
      expect(Date.parse(history[0].created)).toBe(FIRST_COMMIT * 1000);
    });
  });

  it.each([
    ['stops', true, /The key may not see the issues of octo\/web-app\.$/],
    ['goes on, if the repository has none,', false, undefined],
  ])('%s where the key may not see issues', async (_what, hasIssues, sentence) => {
    github.instead = ({ path }) =>
      path.endsWith('/issues')
        ? new Answer(hasIssues ? 403 : 410, { message: 'no' })
        : path === `/repos/${REPOSITORY}`
          ? new Answer(200, { ...github.repository(), has_issues: hasIssues })
          : undefined;
    const pulling = pull(`hidden-${hasIssues}`);
    if (sentence) await expect(pulling).rejects.toThrow(sentence);
    else await pulling;
    github.instead = () => undefined;
  });

  it('says which lists and pull requests the key may not see', async () => {
    github.instead = ({ path }) =>
      /\/(labels|pulls\/comments|pulls\/240|collaborators)$/.test(path)
        ? new Answer(403, { message: 'Resource not accessible by personal access token' })
        : undefined;
    const { losses } = await pull('partly-hidden');
    github.instead = () => undefined;
    const examplesOf = (start: string) => losses.find(({ text }) => text.startsWith(start))?.examples;
    expect(examplesOf('Lists that the source does not show')).toEqual([
      expect.stringMatching(/\/assignees$/),
      `/repos/${REPOSITORY}/labels`,
      `/repos/${REPOSITORY}/pulls/comments`,
    ]);
    expect(examplesOf('Pull requests that the source does not show')).toEqual(['#240']);
  });

  it.each<[string, (same: object[]) => object[], RegExp]>([
    ['wrong types', () => [{ id: 'one' }], /is not as the API describes/],
    ['the same page without an end', (same) => same, /answers with the same page again/],
  ])('is refused for a list of issues with %s', async (name, toBody, sentence) => {
    const same = Array.from({ length: 100 }, (_value, index) => ({
      ...{ id: index + 1, number: index + 1, title: 'Title', state: 'open' },
      ...{ created_at: '2024-01-01T00:00:00Z', updated_at: '2024-01-01T00:00:00Z' },
    }));
    github.instead = ({ path }) => (path.endsWith('/issues') ? new Answer(200, toBody(same)) : undefined);
    await expect(pull(`hostile ${name}`)).rejects.toThrow(sentence);
    github.instead = () => undefined;
  });
});
