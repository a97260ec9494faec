import { once } from 'node:events';
import { type ServiceAdapter } from '../../src/http/server/service-adapter';
import { CommentThread } from '../../src/comments/entities/comment-thread.entity';
import { insertRows } from '../../src/database/sql/rows';
import { Wiki } from '../../src/wikis/entities/wiki.entity';
import { addKey } from '../support/keys';
import { McpConnection, REVISIONS, sendMessage } from '../support/mcp';
import { type Person, type ProjectFixture, useWorld, World } from '../support/world';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe('the MCP endpoint', () => {
  const tested = useWorld({ CORS_ORIGINS: 'https://board.example' });
  let project: ProjectFixture;
  let person: Person;
  let mcp: McpConnection;

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    person = await world.addMember(project);
    mcp = await McpConnection.open(world, person.key);
  });

  describe.each(REVISIONS)('in revision %s', (revision) => {
    it('lists at most 26 tools in 16 KB, with its name and honest annotations', async () => {
      const { connected } = await McpConnection.open(tested.world, person.key, revision);
      expect(connected.getServerVersion()).toMatchObject({ name: 'project-management-service' });
      const { tools } = await connected.listTools();
      expect(tools.length).toBeLessThanOrEqual(26);
      expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(16_000);
      for (const { name, annotations, description } of tools) {
        expect(description).toMatch(/\.$/);
        const isRead = /^(get|find)_/.test(name);
        expect([name, annotations?.readOnlyHint]).toEqual([name, isRead]);
      }
      const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint);
      expect(destructive.map(({ name }) => name).sort()).toEqual(['call_operation', 'update_pull_request']);
    });

    it('serves tools, resources and prompts', async () => {
      const { world } = tested;
      const one = await McpConnection.open(world, person.key, revision);
      expect(await one.answer('get_issue', { issueKey: project.issueKey })).toMatchObject({
        issueKey: project.issueKey,
        description: 'Its description',
        status: 'Open',
      });
      const { resourceTemplates } = await one.connected.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('issue://{issueKey}');
      const { contents } = await one.connected.readResource({ uri: `wiki://${project.wikiId}` });
      expect(contents).toEqual([
        { uri: `wiki://${project.wikiId}`, mimeType: 'text/markdown', text: '# Home\n\nIts content' },
      ]);
      const { prompts } = await one.connected.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['triage', 'standup', 'review']);
      const given = { name: 'triage', arguments: { projectKey: 'DEMO' } };
      expect((await one.connected.getPrompt(given)).messages).toMatchObject([
        {
          role: 'user',
          content: { type: 'text', text: expect.stringContaining('the project DEMO') as string },
        },
      ]);
      await expect(one.connected.getPrompt({ name: 'triage' })).rejects.toThrow(/projectKey/);
      await expect(one.connected.readResource({ uri: 'issue://NO-1' })).rejects.toThrow(/No such issue/);
      await expect(one.connected.readResource({ uri: 'ftp://x' })).rejects.toThrow(/Valid addresses/);
    });
  });

  it('finds, adds, updates and comments on issues, by names', async () => {
    const { world } = tested;
    const other = await world.addMember(project);
    const added = await mcp.answer('add_issue', {
      projectKey: project.key,
      summary: 'The pump leaks',
      issueType: 'bug',
      assignee: other.name,
      dueDate: '2030-01-31',
      files: [{ name: 'log.txt', text: 'drip' }],
    });
    expect(added).toMatchObject({ issueType: 'Bug', priority: 'Normal', assignee: other.name });
    const { issueKey, attachments } = added;
    const mine = { projectKey: project.key, status: ['open'], assignee: other.name, keyword: 'pump' };
    expect(await mcp.answer('get_issues', mine)).toMatchObject({ items: [{ issueKey }], total: 1 });
    const [{ id: attachmentId }] = attachments;
    expect(await mcp.answer('get_file', { issueKey, attachmentId })).toMatchObject({ text: 'drip', size: 4 });
    const changed = await mcp.answer('update_issue', {
      issueKey,
      status: 'Closed',
      resolution: 'Fixed',
      assignee: 'me',
      comment: 'Sealed',
    });
    expect(changed).toMatchObject({ status: 'Closed', resolution: 'Fixed', assignee: person.name });
    await mcp.answer('add_issue_comment', { issueKey, content: 'Thanks' });
    const { items, total } = await mcp.answer('get_issue_comments', { issueKey, order: 'asc' });
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { content: 'Sealed', changes: expect.arrayContaining(['status: Open → Closed']) as string[] },
      { content: 'Thanks' },
    ]);
    expect(await mcp.answer('get_issues', mine)).toMatchObject({ items: [], total: 0 });
  });

  it('reads and writes wiki pages, documents, notifications and the project', async () => {
    const { wikiId } = await mcp.answer('add_wiki', {
      projectKey: project.key,
      name: 'Plan',
      content: 'One',
    });
    await mcp.answer('update_wiki', { wikiId, content: 'Two' });
    expect(await mcp.answer('get_wiki', { wikiId })).toMatchObject({ name: 'Plan', content: 'Two' });
    const found = await mcp.answer('get_wiki_pages', { projectKey: project.key, keyword: 'Plan' });
    expect(found.items).toMatchObject([{ wikiId }]);
    const { documentId } = await mcp.answer('add_document', {
      projectKey: project.key,
      title: 'Manual',
      content: '# Start',
    });
    expect(await mcp.answer('get_document', { documentId })).toMatchObject({
      title: 'Manual',
      content: 'Start',
    });
    expect((await mcp.answer('get_documents', { projectKey: project.key })).items).toMatchObject([
      { documentId },
    ]);
    const remark = { content: 'Look', notifiedUserId: [person.id] };
    await tested.world.admin.api.post(`/issues/${project.issueKey}/comments`, remark);
    const notifications = await mcp.answer('get_notifications', { count: 1 });
    expect(notifications.items).toMatchObject([
      { reason: 'IssueCommented', issueKey: project.issueKey, comment: 'Look', project: project.key },
    ]);
    expect((await mcp.answer('get_project_list')).items).toMatchObject([{ projectKey: project.key }]);
    expect(await mcp.answer('get_project', { projectKey: project.key })).toMatchObject({
      statuses: expect.arrayContaining([{ id: 4, name: 'Closed' }]) as object[],
      repositories: [{ name: project.repositoryName }],
    });
    expect(await mcp.answer('get_myself')).toMatchObject({
      id: person.id,
      scopes: 'all that the user may do',
    });
  });

  it('reads the lists of a project with thousands of wiki pages', async () => {
    const { world } = tested;
    const large = await world.addProject();
    await world.join(large, person);
    const pages = Array.from({ length: 2500 }, (_, index) => index);
    const firstId = 1_000_000;
    await world.write(async (manager) => {
      const ids = pages.map((page) => firstId + page);
      const threads = ids.map((id) => ({ id, projectId: large.id }));
      const wikis = ids.map((id) => ({
        ...{ id, projectId: large.id, threadId: id, name: `Chapter ${id}`, content: '', version: 1 },
        ...{ createdUserId: person.id, created: 1, updatedUserId: person.id, updated: 1 },
      }));
      for (let start = 0; start < ids.length; start += 500) {
        await insertRows(manager, CommentThread, threads.slice(start, start + 500));
        await insertRows(manager, Wiki, wikis.slice(start, start + 500));
      }
    });
    const found = await mcp.answer('get_wiki_pages', { projectKey: large.key, count: 2 });
    const items = [0, 1].map((page) => ({ wikiId: firstId + page, name: `Chapter ${firstId + page}` }));
    // The project comes with a page of its own.
    expect(found).toMatchObject({ total: 2501, items, next: '2499 more: continue with offset=2.' });
  });

  it('reads, changes and comments on pull requests', async () => {
    const at = { projectKey: project.key, repoName: project.repositoryName };
    const pull = { ...at, number: project.pullRequestNumber };
    expect((await mcp.answer('get_pull_requests', { ...at, status: 'open' })).items).toMatchObject([
      { number: pull.number, branch: 'feature' },
    ]);
    await mcp.answer('add_pull_request_comment', { ...pull, content: 'Fine' });
    await mcp.answer('update_pull_request', { ...pull, summary: 'A better pull request' });
    expect(await mcp.answer('get_pull_request', pull)).toMatchObject({
      summary: 'A better pull request',
      comments: expect.arrayContaining([expect.objectContaining({ content: 'Fine' })]) as object[],
    });
  });

  it('finds and calls every other operation', async () => {
    const found = await mcp.answer('find_operation', { query: 'add a category' });
    expect(found.items[0]).toMatchObject({
      operationId: 'addCategory',
      effect: 'writes',
      parameters: { projectIdOrKey: 'string, required' },
    });
    const call = (operationId: string, parameters: object) =>
      mcp.call('call_operation', { operationId, parameters });
    const administrator = await tested.world.addMember(project, undefined, true);
    const ofAdministrator = await McpConnection.open(tested.world, administrator.key);
    const parameters = { projectIdOrKey: project.key, name: 'Engine' };
    const added = await ofAdministrator.answer('call_operation', { operationId: 'addCategory', parameters });
    expect(added).toMatchObject({ name: 'Engine' });
    expect(await call('addCategory', parameters)).toMatchObject({ isError: true, text: /^403: / });
    const listed = await mcp.answer('call_operation', {
      operationId: 'listCategories',
      parameters: { projectIdOrKey: project.key },
    });
    expect(listed.items).toMatchObject([{ name: 'Engine' }]);
    const file = { name: 'a.txt', text: 'hello' };
    const shared = { projectIdOrKey: project.key, path: 'Plans', file };
    const { id } = await mcp.answer('call_operation', { operationId: 'addSharedFile', parameters: shared });
    const download = { projectIdOrKey: project.key, sharedFileId: id };
    expect((await call('downloadSharedFile', download)).text).toContain('hello');
    expect(await call('listStatuses', {})).toEqual({ isError: true, text: 'projectIdOrKey is required.' });
    expect((await call('listStatus', {})).text).toContain('Similar: listStatuses');
  });

  it('names what is wrong, what is valid and what to do next', async () => {
    const update = (parameters: object) =>
      mcp.call('update_issue', { issueKey: project.issueKey, ...parameters });
    expect(await update({ status: 'Done' })).toEqual({
      isError: true,
      text: 'status: there is no "Done". Valid: Open (1), In Progress (2), Resolved (3), Closed (4).',
    });
    expect((await update({ dueDate: 'tomorrow' })).text).toMatch(/^400: .*dueDate/);
    expect((await update({ sumary: 'Typo' })).text).toContain('sumary');
    expect((await mcp.call('get_issue', { issueKey: 5 })).text).toMatch(/^issueKey: /);
    expect((await mcp.call('get_issue', { issueKey: 'NO-1' })).text).toMatch(/^404: .*get_issues/);
    expect((await mcp.call('get_issues', { status: ['Open'] })).text).toContain('projectKey is required');
    expect((await mcp.call('get_file', {})).text).toContain('Give projectKey');
    expect((await mcp.call('get_issue', { issueKey: '\ud800' })).text).toContain('well-formed');
    const image = [{ name: 'a.png', base64: 'data:image/png;base64,AAAA' }];
    expect((await update({ files: image })).text).toContain('base64');
    const long = 'xq '.repeat(20);
    expect((await mcp.call('call_operation', { operationId: long })).text).toContain('Similar: none');
    expect((await mcp.call('call_operation', { operationId: 'x'.repeat(101) })).text).toContain(
      'operationId',
    );
    await expect(mcp.call('remove_everything')).rejects.toThrow(/remove_everything/);
  });

  it('uploads no file for an issue before every name has been found', async () => {
    const files = [{ name: 'a.txt', text: 'hello' }];
    const parameters = { issueKey: project.issueKey, files };
    const stored = (): Promise<unknown[]> =>
      tested.world.dataSource.query('SELECT id FROM attachment WHERE created_user_id = ?', [person.id]);
    const before = await stored();
    for (const wrong of [{ status: 'Done' }, { resolution: 'Forgotten' }, { assignee: 'Nobody at all' }]) {
      expect((await mcp.call('update_issue', { ...parameters, ...wrong })).isError).toBe(true);
    }
    expect(await stored()).toEqual(before);
  });

  it('keeps every answer within 25 KB, and says how to read on', async () => {
    const { api } = person;
    const description = 'å'.repeat(60_000);
    for (let number = 0; number < 100; number++) {
      const issue = { projectId: project.id, issueTypeId: project.issueTypeId, priorityId: 3 };
      await api.post('/issues', { ...issue, summary: `${number} ${'x'.repeat(250)}`, description });
    }
    const { text } = await mcp.call('get_issues', { projectKey: project.key, count: 100 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(25_000);
    const [{ issueKey }] = JSON.parse(text).items as [{ issueKey: string }];
    let read = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part = await mcp.call('get_issue', { issueKey, offset });
      expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(25_000);
      const { description: some, next = '' } = JSON.parse(part.text) as {
        description: string;
        next?: string;
      };
      read += some;
      const [, following] = /offset=(\d+)/.exec(next) ?? [];
      offset = following === undefined ? undefined : Number(following);
    }
    expect(read).toBe(description);
    const raw = { operationId: 'listIssues', parameters: { projectId: [project.id], count: 100 } };
    const whole = await mcp.call('call_operation', raw);
    expect(Buffer.byteLength(whole.text)).toBeLessThanOrEqual(25_000);
  });

  it('shows what an agent does as its work', async () => {
    const { world } = tested;
    const agent = await McpConnection.open(world, await addKey(world, person, { agent: 'Helper' }));
    await agent.answer('add_issue_comment', { issueKey: project.issueKey, content: 'By an agent' });
    const { body } = await person.api.get<object[]>(`/issues/${project.issueKey}/comments?count=1`);
    expect(body).toMatchObject([{ content: 'By an agent', agent: { name: 'Helper' } }]);
  });

  it('lists and permits only what the key may do', async () => {
    const { world } = tested;
    const reader = await McpConnection.open(world, await addKey(world, person, { scopes: ['read'] }));
    const { tools } = await reader.connected.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('add_issue');
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const refused = await reader.call('add_issue_comment', { issueKey: project.issueKey, content: 'No' });
    expect(refused).toMatchObject({ isError: true, text: /^403: .*write:issues/ });
    const written = {
      operationId: 'addIssueComment',
      parameters: { issueIdOrKey: project.issueKey, content: 'No' },
    };
    expect(await reader.call('call_operation', written)).toMatchObject({ isError: true, text: /^403: / });
    const wikis = await McpConnection.open(world, await addKey(world, person, { scopes: ['read:wikis'] }));
    const names = (await wikis.connected.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual([
      ...['get_myself', 'get_wiki_pages', 'get_wiki', 'get_file', 'find_operation', 'call_operation'],
    ]);
    const writer = await addKey(world, person, { scopes: ['read', 'write:issues'] });
    const ofWriter = (await (await McpConnection.open(world, writer)).connected.listTools()).tools;
    expect(ofWriter.map(({ name }) => name)).toContain('add_issue');
    expect(ofWriter.map(({ name }) => name)).not.toContain('add_wiki');
    const { items } = await wikis.answer('find_operation', { query: 'list issues' });
    expect(items.map(({ operationId }: { operationId: string }) => operationId)).not.toContain('listIssues');
  });

  it('ends the operations of a client that has gone', async () => {
    const { world } = tested;
    const adapter = world.server.app.getHttpAdapter() as unknown as ServiceAdapter;
    const send = adapter.sendInternally.bind(adapter);
    const client = new AbortController();
    const calls = vi.spyOn(adapter, 'sendInternally').mockImplementation(async (outer, request, options) => {
      const { signal } = options;
      client.abort();
      if (!signal.aborted) await once(signal, 'abort');
      return send(outer, request, options);
    });
    try {
      // A tool that calls nine operations, one after the other.
      const params = { name: 'get_project', arguments: { projectKey: project.key } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      await expect(sendMessage(world, person.key, message, {}, client.signal)).rejects.toThrow();
      await expect(calls.mock.results[0]?.value).rejects.toThrow();
      expect(calls).toHaveBeenCalledTimes(1);
    } finally {
      calls.mockRestore();
    }
    expect(await mcp.answer('get_myself')).toMatchObject({ id: person.id });
  });

  it('refuses unknown keys, wrong origins, and what is no message', async () => {
    const { world } = tested;
    const statusOf = async (key: string | undefined, message: unknown, headers?: Record<string, string>) =>
      (await sendMessage(world, key, message, headers)).status;
    expect(await statusOf(undefined, LIST)).toBe(401);
    expect(await statusOf('pms_wrong', LIST)).toBe(401);
    expect(await statusOf(person.key, LIST, { origin: 'https://evil.example' })).toBe(403);
    const { origin } = new URL(world.server.baseUrl);
    for (const own of [origin, 'https://board.example']) {
      expect(await statusOf(person.key, LIST, { origin: own })).toBe(200);
    }
    expect(await statusOf(person.key, [LIST, LIST])).toBe(400);
    for (const broken of ['', '{', '[]', '"text"', 'null', '{"jsonrpc":"1.0"}', '[{"jsonrpc":"2.0"}]']) {
      expect([broken, await statusOf(person.key, broken)]).toEqual([broken, 400]);
    }
    expect(await statusOf(person.key, `{"x":"${'y'.repeat(2 * 1024 * 1024)}"}`)).toBe(413);
    for (const method of ['GET', 'DELETE']) {
      const { status } = await fetch(new URL('/mcp', origin), {
        method,
        headers: { 'x-api-key': person.key },
      });
      expect([method, status]).toEqual([method, 405]);
    }
  });
});

describe('the MCP endpoint with other settings', () => {
  it('counts each operation, and states when to try again', async () => {
    const tested = await World.start({ RATE_LIMIT: 'on', RATE_LIMIT_UPDATE: '2', MAX_USER_REQUESTS: '1' });
    try {
      const project = await tested.addProject();
      const person = await tested.addMember(project);
      const mcp = await McpConnection.open(tested, person.key);
      const comment = () => mcp.call('add_issue_comment', { issueKey: project.issueKey, content: 'Hello' });
      // At once, although one user may have only one request at a time.
      const [first, second] = await Promise.all([comment(), comment()]);
      expect([first.isError, second.isError]).toEqual([false, false]);
      expect(await comment()).toMatchObject({ isError: true, text: /^429: .*Try again in \d+ seconds\.$/ });
      expect(await mcp.answer('get_issue', { issueKey: project.issueKey })).toHaveProperty('comments');
    } finally {
      await tested.stop();
    }
  });

  it('answers 404 when it is off', async () => {
    const world = await World.start({ MCP: 'off' });
    try {
      expect((await sendMessage(world, world.admin.key, LIST)).status).toBe(404);
    } finally {
      await world.stop();
    }
  });
});
