import { RoleType } from '../../src/access/role-type';
import { statementsOf } from '../support/records';
import { linkIn, useMailServer } from '../support/mail';
import { comment, eventually } from '../support/webhooks';
import { anIdentity } from '../support/operations/identity-providers.operations';
import { aPasskey } from '../support/operations/users.operations';
import { type Person, type ProjectFixture, type World, useWorld } from '../support/world';

const SETTINGS = {
  PUBLIC_URL: 'https://tracker.example.org',
  WEBHOOK_POLL_INTERVAL: '20',
  WEBHOOK_RETRY_DELAYS: '1,1',
  WEBHOOK_RETRY_JITTER: '0',
};

/** The mail address of a user of the tests. */
const addressOf = async (person: Person): Promise<string> =>
  (await person.api.get<{ mailAddress: string }>('/users/myself')).body.mailAddress;

/** Resolves when no letter waits. */
const settled = (world: World): Promise<unknown> =>
  eventually(
    () =>
      world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM mail_letter WHERE state = 0',
      ),
    ([{ count }]) => Number(count) === 0,
  );

describe('a letter', () => {
  const mail = useMailServer();
  const tested = useWorld(() => ({ ...SETTINGS, ...mail.settings }));
  let world: World;
  let project: ProjectFixture;
  let author: Person;
  let reader: Person;
  let address: string;

  beforeEach(async () => {
    ({ world } = tested);
    await settled(world);
    project = await world.addProject();
    author = await world.addMember(project);
    reader = await world.addMember(project);
    address = await addressOf(reader);
    mail.clear();
  });

  const notify = (content: string): Promise<{ body: { id: number } }> =>
    author.api.post(`/issues/${project.issueKey}/comments`, { content, notifiedUserId: [reader.id] });

  /** Resolves when a letter to the reader has been tried once. */
  const attempted = (): Promise<unknown> =>
    eventually(
      () =>
        world.dataSource.query<{ attempt: number }[]>('SELECT attempt FROM mail_letter WHERE user_id = ?', [
          reader.id,
        ]),
      ([letter]) => (letter?.attempt ?? 0) > 0,
    );

  it('reaches a user who is named in a comment, once, with its text and a link', async () => {
    const { body } = await notify('Hello\n<b>there</b> & so on');
    const letter = await mail.to(address);
    await settled(world);
    expect(mail.letters).toHaveLength(1);
    expect(letter.from).toBe('tracker@example.org');
    expect(letter.headers.get('subject')).toMatch(new RegExp(`^\\[${project.issueKey}\\] `));
    expect(letter.headers.get('from')).toBe(`${author.name} <tracker@example.org>`);
    expect(letter.headers.get('auto-submitted')).toBe('auto-generated');
    expect(letter.text).toContain(`${author.name} commented:`);
    expect(letter.text).toContain('> Hello\n> <b>there</b> & so on');
    expect(letter.html).toContain('Hello\n&lt;b&gt;there&lt;/b&gt; &amp; so on');
    expect(linkIn(letter, '/view/')).toBe(`/view/${project.issueKey}#comment-${body.id}`);
    expect(letter.text).toMatch(/You get this letter because/);
    expect(letter.html).not.toMatch(/<(img|script|link|iframe)/);
  });

  it('belongs with the other letters about the same issue, but has an id of its own', async () => {
    await notify('one');
    await notify('two');
    await mail.taken(2);
    const [one, two] = mail.letters;
    expect(one?.headers.get('message-id')).toMatch(/^<letter-\d+\.\d+@example\.org>$/);
    expect(one?.headers.get('message-id')).not.toBe(two?.headers.get('message-id'));
    const root = `<issue-${project.issueId}@example.org>`;
    for (const letter of [one, two]) {
      expect(letter?.headers.get('in-reply-to')).toBe(root);
      expect(letter?.headers.get('references')).toBe(root);
      expect(letter?.headers.get('list-id')).toBe(`<${project.key.toLowerCase()}.example.org>`);
    }
  });

  it('reports each kind of notification', async () => {
    const { body: issue } = await author.api.post<{ id: number; issueKey: string }>('/issues', {
      projectId: project.id,
      summary: 'A new thing',
      issueTypeId: project.issueTypeId,
      priorityId: 3,
      assigneeId: reader.id,
    });
    expect((await mail.to(address)).text).toContain(`${author.name} assigned this to you.`);
    mail.clear();
    await author.api.patch(`/issues/${issue.issueKey}`, { statusId: 2, notifiedUserId: [reader.id] });
    expect((await mail.to(address)).text).toMatch(/> Status: Open → In Progress/);
    mail.clear();
    await author.api.post(
      `/projects/${project.key}/git/repositories/${project.repositoryId}/pullRequests/${project.pullRequestNumber}/comments`,
      { content: 'On the pull request', notifiedUserId: [reader.id] },
    );
    const onPullRequest = await mail.to(address);
    expect(onPullRequest.headers.get('in-reply-to')).toMatch(/^<pull-request-\d+@example\.org>$/);
    expect(linkIn(onPullRequest, '/git/')).toContain(`/pullRequests/${project.pullRequestNumber}#comment-`);
    mail.clear();
    const other = await world.addProject();
    await world.admin.api.post(`/projects/${other.key}/users`, { userId: reader.id });
    const joined = await mail.to(address);
    expect(joined.text).toContain('added you to the project');
    expect(linkIn(joined, '/projects/')).toBe(`/projects/${other.key}`);
  });

  it('reaches no user who may not see it any longer when it is sent', async () => {
    mail.answers = { recipients: { [address]: '451 4.7.1 Try again later' } };
    await notify('secret');
    await attempted();
    await world.admin.api.delete(`/projects/${project.key}/users`, { userId: reader.id });
    mail.answers = {};
    await settled(world);
    expect(mail.letters).toEqual([]);
  });

  it('reaches no user who has been disabled', async () => {
    mail.answers = { letter: '451 4.3.0 Later' };
    await notify('late');
    await attempted();
    await world.admin.api.patch(`/users/${reader.id}`, { enabled: false });
    mail.answers = {};
    await settled(world);
    expect(mail.letters.filter(({ to }) => to === address)).toEqual([]);
  });

  it('keeps every header on its line, whatever the names and titles are', async () => {
    const hostile = 'Eve\u2028"<x@y.z>, Bcc: all@example.org';
    await author.api.patch(`/users/${author.id}`, { name: hostile });
    const { body: issue } = await author.api.post<{ issueKey: string }>('/issues', {
      projectId: project.id,
      summary: `日本語 ${'é'.repeat(200)} 😀`,
      issueTypeId: project.issueTypeId,
      priorityId: 3,
      notifiedUserId: [reader.id],
    });
    const letter = await mail.to(address);
    expect(letter.headers.get('subject')).toBe(`[${issue.issueKey}] 日本語 ${'é'.repeat(200)} 😀`);
    expect(letter.headers.has('bcc')).toBe(false);
    expect(letter.headers.get('from')).toContain('<tracker@example.org>');
    expect(letter.headers.get('to')).toContain(`<${address}>`);
    expect(letter.message.slice(0, letter.message.indexOf('\r\n\r\n'))).not.toMatch(
      /[^\r]\n|\r[^\n]|[^ -~\r\n\t]/,
    );
  });

  it('contains only the beginning of a long text', async () => {
    await notify('word '.repeat(9000));
    const letter = await mail.to(address);
    expect(letter.message.length).toBeLessThan(20_000);
    expect(letter.text).toContain('…');
  });

  it('is in the language that the user has chosen', async () => {
    await reader.api.patch(`/users/${reader.id}/mailSettings`, { language: 'ja' });
    await notify('こんにちは');
    const letter = await mail.to(address);
    expect(letter.text).toContain(`${author.name}さんがコメントしました。`);
    expect(letter.html).toContain('<html lang="ja">');
    mail.clear();
    await author.api.patch(`/issues/${project.issueKey}`, {
      dueDate: '2026-12-24',
      notifiedUserId: [reader.id],
    });
    expect((await mail.to(address)).text).toContain('期限日: → 2026-12-24');
  });

  it('is not sent about topics that are switched off, nor with the mode none', async () => {
    await reader.api.patch(`/users/${reader.id}/mailSettings`, { mutedTopics: ['commented'] });
    await notify('muted');
    await reader.api.patch(`/users/${reader.id}/mailSettings`, { mutedTopics: [], mode: 'none' });
    await notify('none');
    await reader.api.patch(`/users/${reader.id}/mailSettings`, { mode: 'each' });
    await notify('each');
    expect((await mail.to(address)).text).toContain('> each');
    await settled(world);
    expect(mail.letters).toHaveLength(1);
  });

  it('costs a comment one statement more', async () => {
    const post = (): Promise<unknown> => notify('counted');
    await post();
    await settled(world);
    const statements = await statementsOf(world, post);
    expect(statements.filter((sql) => sql.includes('mail_letter') && sql.startsWith('INSERT'))).toHaveLength(
      1,
    );
  });

  describe('about a wiki page', () => {
    const add = (mailNotify: boolean): Promise<{ body: { id: number } }> =>
      author.api.post('/wikis', { projectId: project.id, name: 'Guide', content: '# How to', mailNotify });

    it('reaches the other members of the project if the request says so', async () => {
      await add(false);
      const { body } = await add(true);
      const letter = await mail.to(address);
      expect(letter.headers.get('subject')).toBe(`[${project.key}] Guide`);
      expect(letter.headers.get('in-reply-to')).toBe(`<wiki-${body.id}@example.org>`);
      expect(letter.text).toContain(`${author.name} added a wiki page:`);
      await settled(world);
      expect(mail.letters.map(({ to }) => to)).not.toContain(await addressOf(author));
      mail.clear();
      await author.api.patch(`/wikis/${body.id}`, { content: 'More', mailNotify: true });
      expect((await mail.to(address)).text).toContain('> More');
    });

    it('reaches no member who has switched such letters off', async () => {
      await reader.api.patch(`/users/${reader.id}/mailSettings`, { mutedTopics: ['wikis'] });
      const another = await world.addMember(project);
      await add(true);
      await mail.to(await addressOf(another));
      await settled(world);
      expect(mail.letters.map(({ to }) => to)).not.toContain(address);
    });
  });

  describe('about the security of an account', () => {
    it('reports another password, mail address and key', async () => {
      const user = await world.addUser(RoleType.Viewer);
      const former = await addressOf(user);
      await world.admin.api.patch(`/users/${user.id}`, { password: 'quite another password' });
      expect((await mail.to(former)).headers.get('subject')).toBe('Your password has been changed');
      mail.clear();
      await user.api.post(`/users/${user.id}/apiKeys`, { name: 'Backup script' });
      const ofKey = await mail.to(former);
      expect(ofKey.headers.get('subject')).toBe('A new API key');
      expect(ofKey.text).toContain('Name: Backup script');
      expect(ofKey.headers.has('list-unsubscribe')).toBe(false);
      mail.clear();
      await user.api.patch(`/users/${user.id}`, { mailAddress: 'new@example.com' });
      expect((await mail.to(former)).headers.get('subject')).toBe('Your mail address has been changed');
    });

    it('reports a removed passkey and a disconnected identity provider', async () => {
      const user = await world.addUser(RoleType.Viewer);
      const { passkeyId } = await aPasskey(world, project, user);
      const identityId = await anIdentity(world, user.id);
      await user.api.delete(`/users/${user.id}/passkeys/${Number(passkeyId)}`);
      const ofPasskey = await mail.to(await addressOf(user));
      expect(ofPasskey.headers.get('subject')).toBe('A passkey has been removed');
      expect(ofPasskey.text).toContain('Name: Phone');
      mail.clear();
      await user.api.delete(`/users/${user.id}/identities/${identityId}`);
      const ofProvider = await mail.to(await addressOf(user));
      expect(ofProvider.headers.get('subject')).toBe('An identity provider has been disconnected');
    });

    it('is also sent with the mode none', async () => {
      await reader.api.patch(`/users/${reader.id}/mailSettings`, { mode: 'none' });
      await world.admin.api.patch(`/users/${reader.id}`, { password: 'quite another password' });
      await mail.to(address);
    });
  });

  it('leaves nothing secret in the database', async () => {
    await world.admin.api.post('/invitations', { mailAddresses: ['kim@example.com'], roleType: 2 });
    const letter = await mail.to('kim@example.com');
    const token = linkIn(letter, '/invitation/').split('/').at(-1) as string;
    await settled(world);
    const rows = JSON.stringify(await world.dataSource.query('SELECT * FROM mail_letter'));
    const invitations = JSON.stringify(await world.dataSource.query('SELECT * FROM invitation'));
    expect(rows + invitations).not.toContain(token);
  });

  it('is removed with its user, and with its project', async () => {
    await reader.api.patch(`/users/${reader.id}/mailSettings`, { mutedTopics: ['other'] });
    await notify('kept');
    await mail.to(address);
    await settled(world);
    const count = async (): Promise<number> => {
      const [row] = await world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM mail_letter WHERE user_id = ?',
        [reader.id],
      );
      return Number(row.count);
    };
    expect(await count()).toBe(1);
    await world.admin.api.delete(`/projects/${project.key}`);
    await world.whenIdle();
    expect(await count()).toBe(0);
    await world.admin.api.delete(`/users/${reader.id}`);
    const left = await world.dataSource.query('SELECT * FROM mail_setting WHERE user_id = ?', [reader.id]);
    expect(left).toEqual([]);
  });
});

describe('a letter without a mail server', () => {
  const tested = useWorld();

  it('is not written, and costs no statement', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const [author, reader] = [await world.addMember(project), await world.addMember(project)];
    await comment(author, project);
    const statements = await statementsOf(world, () =>
      author.api.post(`/issues/${project.issueKey}/comments`, { content: 'x', notifiedUserId: [reader.id] }),
    );
    expect(statements.filter((sql) => /mail_(letter|setting|server)/.test(sql))).toEqual([]);
    const { body } = await world.admin.api.get<{ enabled: boolean; pending: number }>('/space/mail');
    expect(body).toMatchObject({ enabled: false, pending: 0, server: null });
  });
});
