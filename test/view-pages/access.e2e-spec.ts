import { RoleType } from '../../src/access/role-type';
import { addIssue } from '../support/issues';
import { Browser, signedIn } from '../support/sessions';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

/** Returns the paths of the pages of a project's contents. */
async function pagesOf(world: World, project: ProjectFixture): Promise<Record<string, string>> {
  const { body } = await world.admin.api.post('/documents', {
    projectId: project.id,
    title: 'Title',
    content: 'Content',
  });
  return {
    issue: `/view/${project.issueKey}`,
    wiki: `/alias/wiki/${project.wikiId}`,
    document: `/document/${project.key}/${body.id}`,
    pullRequest: `/git/${project.key}/${project.repositoryName}/pullRequests/${project.pullRequestNumber}`,
    project: `/projects/${project.key}`,
  };
}

describe('the access to pages that show contents', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let pages: Record<string, string>;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    pages = await pagesOf(tested.world, project);
  });

  const statusesFor = async (browser: Browser): Promise<Record<string, number>> => {
    const entries = Object.entries(pages).map(async ([name, path]) => [
      name,
      (await browser.open(path)).status,
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, number>;
  };

  it('asks for the sign-in without a session, and leads back', async () => {
    const browser = new Browser(tested.world);
    for (const path of [
      ...Object.values(pages),
      `/user/${member.id}`,
      '/view/NONE-1',
      '/view/A-1?before=3',
    ]) {
      const { status, headers } = await browser.open(path);
      expect(status).toBe(303);
      expect(headers.get('location')).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    }
  });

  it('accepts no API key', async () => {
    const { status } = await new Browser(tested.world).open(pages.issue as string, {
      'X-API-Key': member.key,
    });
    expect(status).toBe(303);
  });

  it('opens the pages from links on other sites', async () => {
    const browser = await signedIn(tested.world, member.id);
    const { status } = await browser.open(pages.issue as string, { 'Sec-Fetch-Site': 'cross-site' });
    expect(status).toBe(200);
  });

  it('returns the same bytes for a hidden and a missing page', async () => {
    const { world } = tested;
    const browser = await signedIn(world, (await world.addUser()).id);
    const missing = {
      issue: '/view/NONE-1',
      wiki: '/alias/wiki/999999',
      document: `/document/${project.key}/${'0'.repeat(32)}`,
      pullRequest: `/git/${project.key}/none/pullRequests/9`,
      project: '/projects/NONE',
    };
    for (const [name, path] of Object.entries(missing)) {
      const hidden = await browser.open(pages[name] as string);
      const other = await browser.open(path);
      expect([hidden.status, other.status]).toEqual([404, 404]);
      expect(hidden.text).toBe(other.text);
      expect(hidden.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
  });

  it('returns the same bytes for a hidden and a missing user', async () => {
    const { world } = tested;
    const browser = await signedIn(world, (await world.addUser(RoleType.GuestViewer)).id);
    const hidden = await browser.open(`/user/${member.id}`);
    const missing = await browser.open('/user/999999');
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(hidden.text).toBe(missing.text);
  });

  it('has the roles of the API', async () => {
    const { world } = tested;
    const all = { issue: 200, wiki: 200, document: 200, project: 200 };
    for (const [role, pullRequest] of [
      [RoleType.NormalUser, 200],
      [RoleType.Reporter, 403],
      [RoleType.Viewer, 403],
      [RoleType.GuestReporter, 403],
      [RoleType.GuestViewer, 403],
    ] as const) {
      const browser = await signedIn(world, (await world.addMember(project, role)).id);
      expect(await statusesFor(browser)).toEqual({ ...all, pullRequest });
    }
    expect(await statusesFor(await signedIn(world, world.admin.id))).toEqual({ ...all, pullRequest: 200 });
  });

  it('shows no mail address of others to guests', async () => {
    const { world } = tested;
    const guest = await world.addMember(project, RoleType.GuestReporter);
    await addIssue(member, project, { assigneeId: member.id });
    await world.addComment(project.issueThreadId, member);
    const browser = await signedIn(world, guest.id);
    for (const path of [...Object.values(pages), `/user/${member.id}`, `/user/${world.admin.id}`]) {
      expect((await browser.open(path)).text).not.toMatch(/@|Mail address/);
    }
    expect((await browser.open(`/user/${guest.id}`)).text).toContain('@example.com');
  });

  it('ends with the membership', async () => {
    const { world } = tested;
    const leaver = await world.addMember(project);
    const browser = await signedIn(world, leaver.id);
    expect((await browser.open(pages.issue as string)).status).toBe(200);
    await world.admin.api.delete(`/projects/${project.id}/users`, { userId: leaver.id });
    expect((await browser.open(pages.issue as string)).status).toBe(404);
  });
});

describe('an announced address', () => {
  const tested = useWorld();

  it('leads to a page', async () => {
    const { world } = tested;
    const { api } = world.admin;
    const { id: projectId, issueTypeId, issueId, issueThreadId, ...project } = await world.addProject();
    const added = await Promise.all([
      api.post('/projects', { name: 'Another', key: 'ANOTHER' }),
      api.post('/users', {
        userId: 'dana',
        password: 'seven quiet herons',
        name: 'Dana',
        mailAddress: 'dana@example.com',
        roleType: 2,
      }),
      api.post('/issues', { projectId, issueTypeId, priorityId: 3, summary: 'Another' }),
      api.post(`/issues/${issueId}/comments`, { content: 'A comment' }),
      api.post('/wikis', { projectId, name: 'Another', content: '' }),
      api.post('/documents', { projectId, title: 'Another', content: '' }),
    ]);
    const author = await world.addMember({ id: projectId });
    const commentId = await world.addComment(issueThreadId, author);
    const pullRequestCommentId = await world.addComment(project.pullRequestThreadId, author);
    await api.post('/stars', { commentId });
    await api.post('/stars', { pullRequestCommentId });
    const { body: stars } = await api.get<{ url: string }[]>(`/users/${author.id}/stars`);
    const addresses = [
      ...added.map(({ headers }) => headers.get('location')),
      ...stars.map(({ url }) => url),
    ].map((address) => new URL(String(address)));
    expect(addresses).toHaveLength(8);
    const browser = await signedIn(world, world.admin.id);
    for (const { pathname, hash } of addresses) {
      const { status, text } = await browser.open(pathname);
      expect([pathname, status]).toEqual([pathname, 200]);
      if (hash !== '') expect(text).toContain(`id="${hash.slice(1)}"`);
    }
  });
});

describe('a service whose API has no base path', () => {
  const tested = useWorld({ BASE_PATH: '/' });

  it('has pages for everything but projects', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const browser = await signedIn(world, world.admin.id);
    const { status, text } = await browser.open(`/view/${project.issueKey}`);
    expect(status).toBe(200);
    expect(text).not.toContain('/projects/');
    const { headers } = await browser.open(`/projects/${project.key}`);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});
