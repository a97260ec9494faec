import { RoleType } from '../../src/access/role-type';
import { KnownCallersService } from '../../src/users/known-callers.service';
import { COMMENTS_AT_ONCE } from '../../src/view-pages/comments-page';
import { addIssue, addSetting, updateIssue } from '../support/issues';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { statementsOf, writesOf } from '../support/records';
import { type Browser, type PageAnswer, signedIn } from '../support/sessions';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

const ATTACK = `<script>alert(1)</script>"><img src=x onerror=alert(1)>'`;
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;';

const MARKDOWN = '**bold** <b>\n\n[link](https://example.com)';
const HTML =
  '<p><strong>bold</strong> &lt;b&gt;</p><p><a href="https://example.com" rel="noopener noreferrer nofollow">link</a></p>';

describe('the pages that show contents', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let browser: Browser;

  beforeEach(async () => {
    project = await tested.world.addProject();
    author = await tested.world.addMember(project);
    browser = await signedIn(tested.world, author.id);
  });

  const open = async (path: string): Promise<PageAnswer> => {
    const response = await browser.open(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    return response;
  };

  /** Returns the values of a page's list of properties. */
  const factsOf = ({ text }: PageAnswer): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name, value]) => [
        name,
        String(value).replaceAll(/<[^>]*>/g, ''),
      ]),
    );

  const attack = (name: string): string => `${name} ${ATTACK}`;

  /** Expects that all of these texts with an attack are shown as texts. */
  const expectEscaped = ({ text }: PageAnswer, names: readonly string[]): void => {
    for (const name of names) expect(text).toContain(`${name} ${ESCAPED}`);
    expect(text).not.toMatch(/<(?:script|img)/);
  };

  const rename = (person: Person): Promise<unknown> =>
    tested.world.admin.api.patch(`/users/${person.id}`, { name: attack('user') });

  const renameProject = (): Promise<unknown> =>
    tested.world.admin.api.patch(`/projects/${project.id}`, { name: attack('project') });

  /** Expects that a page is read with as many statements when it shows more, and that nothing is written. */
  const expectConstant = async (path: string, addMore: () => Promise<unknown>): Promise<void> => {
    const { world } = tested;
    const read = (): Promise<string[]> => {
      // Sessions are known for a few seconds.
      world.service(KnownCallersService).forget(author.id);
      return statementsOf(world, () => open(path));
    };
    await addMore();
    // The first request also records the last use of the account.
    await read();
    const few = await read();
    for (let n = 0; n < 5; n++) await addMore();
    expect(await read()).toHaveLength(few.length);
    expect(await writesOf(world, () => open(path))).toEqual([]);
  };

  const setting = async (what: Parameters<typeof addSetting>[2], name: string): Promise<number> =>
    (await addSetting(tested.world, project, what, name)).id;

  describe('/view/{issueKey}', () => {
    it('shows an issue', async () => {
      const attachmentId = await tested.world.addUpload(author, 'content', 'plan.txt');
      const { id, issueKey } = await addIssue(author, project, {
        summary: 'A summary',
        description: MARKDOWN,
        assigneeId: author.id,
        startDate: '2026-02-02',
        dueDate: '2026-02-06',
        attachmentId: [attachmentId],
        categoryId: [await setting('categories', 'Backend')],
        versionId: [await setting('versions', '1.0')],
        milestoneId: [await setting('versions', '2.0')],
      });
      await updateIssue(author, id, { statusId: 4, resolutionId: 0 });
      const page = await open(`/view/${issueKey}`);
      expect(page.text).toContain(`<title>${issueKey} A summary</title>`);
      expect(factsOf(page)).toEqual({
        Type: 'Task',
        Status: 'Closed',
        Priority: 'Normal',
        Resolution: 'Fixed',
        Assignee: author.name,
        'Start date': '2026-02-02',
        'Due date': '2026-02-06',
        Categories: 'Backend',
        Versions: '1.0',
        Milestones: '2.0',
        Created: expect.stringMatching(
          new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC · ${author.name}$`),
        ),
        'Last changed': expect.stringMatching(/UTC · /),
      });
      expect(page.text).toContain(`<h2>Description</h2><div class="text">${HTML}</div>`);
      expect(page.text).toContain(`<a href="/projects/${project.key}">`);
      const file = `/api/v2/issues/${id}/attachments/${attachmentId}`;
      expect(page.text).toContain(`<a href="${file}">plan.txt</a>`);
      expect(await browser.open(file, { 'Sec-Fetch-Site': 'same-origin' })).toMatchObject({
        status: 200,
        text: 'content',
      });
    });

    it('shows the newest comments first, with their authors and changes', async () => {
      const { world } = tested;
      const first = await world.addComment(project.issueThreadId, author, MARKDOWN);
      await updateIssue(author, project.issueId, { statusId: 2 });
      const last = await world.addComment(project.issueThreadId, world.admin, 'Last');
      const { text } = await open(`/view/${project.issueKey}`);
      const articles = text.split('<article ').slice(1);
      expect(articles).toHaveLength(3);
      expect(articles[0]).toMatch(new RegExp(`^id="comment-${last}".*Administrator.*<p>Last</p>`));
      expect(articles[1]).toContain('Status: Open → In Progress');
      expect(articles[2]).toContain(`id="comment-${first}"`);
      expect(articles[2]).toContain(author.name);
      expect(articles[2]).toContain(HTML);
      expect(text).not.toContain('rel="next"');
    });

    it('shows older and newer comments on pages of their own', async () => {
      const { world } = tested;
      const ids: number[] = [];
      for (let n = 0; n < 2 * COMMENTS_AT_ONCE + 1; n++) {
        ids.push(await world.addComment(project.issueThreadId, author, `Comment ${n}`));
      }
      ids.reverse();
      const shown = ({ text }: PageAnswer): number[] =>
        [...text.matchAll(/<article id="comment-(\d+)"/g)].map(([, id]) => Number(id));
      const link = ({ text }: PageAnswer, rel: 'prev' | 'next'): string | undefined =>
        new RegExp(`<a href="([^"]*)" rel="${rel}">`).exec(text)?.[1];
      const parts = [
        ids.slice(0, COMMENTS_AT_ONCE),
        ids.slice(COMMENTS_AT_ONCE, 2 * COMMENTS_AT_ONCE),
        ids.slice(2 * COMMENTS_AT_ONCE),
      ];
      const path = `/view/${project.issueKey}`;
      const pages = [await open(path)];
      for (const part of parts.slice(1)) {
        pages.push(await open(path + String(link(pages.at(-1) as PageAnswer, 'next'))));
        expect(shown(pages.at(-1) as PageAnswer)).toEqual(part);
      }
      const [first, , last] = pages as [PageAnswer, PageAnswer, PageAnswer];
      expect(shown(first)).toEqual(parts[0]);
      expect([link(first, 'prev'), link(last, 'next')]).toEqual([undefined, undefined]);
      const back = await open(path + String(link(last, 'prev')));
      expect(shown(back)).toEqual(parts[1]);
      const start = await open(path + String(link(back, 'prev')));
      expect(shown(start)).toEqual(parts[0]);
      expect(link(start, 'prev')).toBeUndefined();
      expect((await browser.open(`${path}?before=x`)).status).toBe(400);
    });

    it('shows fewer comments when they are long', async () => {
      const ids: number[] = [];
      for (let n = 0; n < 12; n++) {
        ids.push(await tested.world.addComment(project.issueThreadId, author, '&'.repeat(50_000)));
      }
      const { text } = await open(`/view/${project.issueKey}`);
      expect(text.match(/<article/g)).toHaveLength(10);
      expect(text).toContain(`<a href="?before=${ids[2]}#comments" rel="next">`);
    });

    it('shows texts in the formatting of their project', async () => {
      await tested.world.admin.api.patch(`/projects/${project.id}`, { textFormattingRule: 'backlog' });
      const { issueKey } = await addIssue(author, project, { description: '**a**\n<b>' });
      expect((await open(`/view/${issueKey}`)).text).toContain('<p class="plain">**a**\n&lt;b&gt;</p>');
    });

    it('escapes every text', async () => {
      const { world } = tested;
      await rename(author);
      await renameProject();
      const attachmentId = await world.addUpload(author, 'content', attack('file').replace('/', ''));
      const { id, issueKey } = await addIssue(author, project, {
        summary: attack('summary'),
        description: attack('description'),
        assigneeId: author.id,
        attachmentId: [attachmentId],
        issueTypeId: await setting('issueTypes', attack('type')),
        categoryId: [await setting('categories', attack('category'))],
        versionId: [await setting('versions', attack('version'))],
        milestoneId: [await setting('versions', attack('milestone'))],
      });
      const statusId = await setting('statuses', attack('status'));
      await updateIssue(author, id, { statusId, summary: attack('new'), comment: attack('comment') });
      expectEscaped(await open(`/view/${issueKey}`), [
        'user',
        'project',
        'Summary: summary',
        '→ new',
        'description',
        'type',
        'category',
        'version',
        'milestone',
        'status',
        'comment',
      ]);
    });

    it('shows no links to files to those who may not download them', async () => {
      const attachmentId = await tested.world.addUpload(author, 'content', 'plan.txt');
      const { issueKey } = await addIssue(author, project, { attachmentId: [attachmentId] });
      const viewer = await tested.world.addMember(project, RoleType.Viewer);
      const { text } = await (await signedIn(tested.world, viewer.id)).open(`/view/${issueKey}`);
      expect(text).toContain('<li>plan.txt</li>');
    });

    it('reads with a constant number of statements, and writes nothing', async () => {
      const { world } = tested;
      await expectConstant(`/view/${project.issueKey}`, async () => {
        await world.addComment(project.issueThreadId, await world.addMember(project));
      });
    });
  });

  describe('/alias/wiki/{wikiId}', () => {
    it('shows a wiki page', async () => {
      const { body } = await author.api.post('/wikis', {
        projectId: project.id,
        name: '[Plans] Next year',
        content: MARKDOWN,
      });
      const page = await open(`/alias/wiki/${body.id}`);
      expect(page.text).toContain('<h1>Next year</h1>');
      expect(factsOf(page)).toMatchObject({ Tags: 'Plans', Created: expect.stringContaining(author.name) });
      expect(page.text).toContain(HTML);
    });

    it('escapes every text', async () => {
      await rename(author);
      await renameProject();
      const { body } = await author.api.post('/wikis', {
        projectId: project.id,
        name: `[${attack('tag')}] ${attack('name')}`,
        content: attack('content'),
      });
      const attachmentId = await tested.world.addUpload(author, 'content', "a<b>'.txt");
      await author.api.post(`/wikis/${body.id}/attachments`, { attachmentId: [attachmentId] });
      const page = await open(`/alias/wiki/${body.id}`);
      expectEscaped(page, ['user', 'project', 'tag', 'name', 'content']);
      expect(page.text).toContain('a&lt;b&gt;&#39;.txt');
    });
  });

  describe('/document/{projectKey}/{documentId}', () => {
    const addDocument = async (fields: object): Promise<string> =>
      (await author.api.post('/documents', { projectId: project.id, title: 'Title', ...fields })).body.id;

    it('shows a document', async () => {
      const id = await addDocument({ title: 'Releases', emoji: '🚀', content: MARKDOWN });
      await author.api.post(`/documents/${id}/tags`, { tagNames: ['plans'] });
      const page = await open(`/document/${project.key}/${id}`);
      expect(page.text).toContain('<h1>🚀 Releases</h1>');
      expect(factsOf(page)).toMatchObject({ Tags: 'plans' });
      expect(page.text).toContain(HTML);
      expect(page.text).not.toContain('in the trash');
    });

    it('says that a document is in the trash', async () => {
      const id = await addDocument({ content: 'a' });
      await tested.world.admin.api.delete(`/documents/${id}`);
      expect((await open(`/document/${project.key}/${id}`)).text).toContain('This document is in the trash.');
    });

    it('escapes every text', async () => {
      await rename(author);
      await renameProject();
      const id = await addDocument({ title: attack('title'), content: attack('content') });
      await author.api.post(`/documents/${id}/tags`, { tagNames: [attack('tag')] });
      expectEscaped(await open(`/document/${project.key}/${id}`), [
        'user',
        'project',
        'title',
        'content',
        'tag',
      ]);
    });
  });

  describe('/git/{projectKey}/{repositoryName}/pullRequests/{number}', () => {
    const pathOf = (number: number): string =>
      `/git/${project.key}/${project.repositoryName}/pullRequests/${number}`;

    const addPullRequest = async (fields: object): Promise<string> => {
      const pullRequest = { ...NEW_PULL_REQUEST, ...fields };
      return pathOf((await author.api.post(pullRequests(project), pullRequest)).body.number);
    };

    it('shows a pull request with its comments', async () => {
      const path = await addPullRequest({
        description: MARKDOWN,
        issueId: project.issueId,
        assigneeId: author.id,
      });
      const page = await open(path);
      expect(page.text).toContain('<h1>#2 A change</h1>');
      expect(factsOf(page)).toMatchObject({
        Branches: 'change into main',
        Status: 'Open',
        Assignee: author.name,
        Issue: `${project.issueKey} An issue`,
      });
      expect(page.text).toContain(HTML);
      expect(page.text).toContain('<p>No comments.</p>');
      const { body } = await author.api.post(pullRequestComments(project), { content: 'Looks good' });
      expect((await open(pathOf(1))).text).toMatch(
        new RegExp(`<article id="comment-${body.id}">.*<p>Looks good</p>`),
      );
    });

    it('escapes every text', async () => {
      await rename(author);
      await renameProject();
      const issue = await addIssue(author, project, { summary: attack('issue') });
      const path = await addPullRequest({
        summary: attack('summary'),
        description: attack('description'),
        issueId: issue.id,
      });
      await author.api.post(`${pullRequests(project)}/2/comments`, { content: attack('comment') });
      expectEscaped(await open(path), ['user', 'project', 'issue', 'summary', 'description', 'comment']);
    });

    it('leaves the addresses of git as they are', async () => {
      const path = `/git/${project.key}/${project.repositoryName}`;
      expect((await browser.open(`${path}/info/refs?service=git-upload-pack`)).status).toBe(401);
      expect((await browser.open(`${path}/pullRequests`)).status).toBe(404);
    });
  });

  describe('/projects/{projectKey}', () => {
    it('shows the open issues of a project, the last changed first', async () => {
      const closed = await addIssue(author, project, { summary: 'A closed issue' });
      await updateIssue(author, closed.id, { statusId: 4 });
      const next = await addIssue(author, project, { summary: 'The next', assigneeId: author.id });
      await updateIssue(author, next.id, { statusId: 3 });
      const { text } = await open(`/projects/${project.key}`);
      expect(text).toContain(`<h1>Project ${project.key}</h1>`);
      expect([...text.matchAll(/<td><a href="\/view\/([^"]*)"/g)].map(([, key]) => key)).toEqual([
        next.issueKey,
        project.issueKey,
      ]);
      expect(text).toMatch(/<td>The next<\/td><td>Resolved<\/td>/);
    });

    it('shows 100 issues at once', async () => {
      for (let n = 0; n < 100; n++) await addIssue(author, project);
      const issuesOn = ({ text }: PageAnswer): number => [...text.matchAll(/<td><a href="\/view\//g)].length;
      const first = await open(`/projects/${project.key}`);
      expect(issuesOn(first)).toBe(100);
      expect(first.text).toContain('<a href="?offset=100" rel="next">');
      const second = await open(`/projects/${project.key}?offset=100`);
      expect(issuesOn(second)).toBe(1);
      expect(second.text).toContain('<a href="?offset=0" rel="prev">');
      expect(second.text).not.toContain('rel="next"');
    });

    it('escapes every text', async () => {
      await rename(author);
      await renameProject();
      const statusId = await setting('statuses', attack('status'));
      const { id } = await addIssue(author, project, { summary: attack('summary'), assigneeId: author.id });
      await updateIssue(author, id, { statusId });
      expectEscaped(await open(`/projects/${project.key}`), ['user', 'project', 'status', 'summary']);
    });

    it('reads with a constant number of statements, and writes nothing', async () => {
      await expectConstant(`/projects/${project.key}`, async () => {
        const { id: assigneeId } = await tested.world.addMember(project);
        await addIssue(author, project, { assigneeId });
      });
    });

    it('leaves the operation of the API at its address', async () => {
      const { status, body } = await author.api.get(`/projects/${project.key}`);
      expect(status).toBe(200);
      expect(body.projectKey).toBe(project.key);
    });
  });

  describe('/user/{userId}', () => {
    it('shows a user', async () => {
      const page = await open(`/user/${tested.world.admin.id}`);
      expect(page.text).toContain('<h1>Administrator</h1>');
      expect(factsOf(page)).toEqual({
        'Login name': 'admin',
        Role: 'Administrator',
        'Mail address': expect.stringContaining('@'),
      });
    });

    it('escapes every text', async () => {
      const mailAddress = `"><img>'@example.com`;
      await rename(author);
      await tested.world.dataSource.query('UPDATE user SET mail_address = ? WHERE id = ?', [
        mailAddress,
        author.id,
      ]);
      const page = await open(`/user/${author.id}`);
      expectEscaped(page, ['user']);
      expect(page.text).toContain('&quot;&gt;&lt;img&gt;&#39;@example.com');
    });
  });

  it('appears in the language of the browser', async () => {
    const { text } = await browser.open(`/view/${project.issueKey}`, { 'Accept-Language': 'ja' });
    expect(text).toContain('<html lang="ja">');
    expect(text).toContain('<dt>優先度</dt>');
  });
});
