import { Browser, PASSWORD, passwordLink, signedIn } from '../support/sessions';
import { linkIn, useMailServer } from '../support/mail';
import { allStatementsOf } from '../support/records';
import { eventually } from '../support/webhooks';
import { type Person, type ProjectFixture, type World, useWorld } from '../support/world';

describe('a page about mail', () => {
  const mail = useMailServer();
  const tested = useWorld(() => ({
    WEBHOOK_POLL_INTERVAL: '20',
    MAX_FAILED_KEYS: '1000',
    TRUST_PROXY: '1',
    ...mail.settings,
  }));
  let world: World;
  let project: ProjectFixture;
  let author: Person;
  let reader: Person;
  let address: string;
  let name: string;

  beforeEach(async () => {
    ({ world } = tested);
    mail.clear();
    project = await world.addProject();
    author = await world.addMember(project);
    reader = await world.addMember(project);
    const { body } = await reader.api.get<{ mailAddress: string; userId: string }>('/users/myself');
    ({ mailAddress: address, userId: name } = body);
  });

  const notify = (content = 'Hello'): Promise<unknown> =>
    author.api.post(`/issues/${project.issueKey}/comments`, { content, notifiedUserId: [reader.id] });

  const mode = async (): Promise<string> =>
    (await reader.api.get<{ mode: string }>(`/users/${reader.id}/mailSettings`)).body.mode;

  const settled = (): Promise<unknown> =>
    eventually(
      () =>
        world.dataSource.query<[{ count: number | string }]>(
          'SELECT COUNT(*) AS count FROM mail_letter WHERE state = 0',
        ),
      ([{ count }]) => Number(count) === 0,
    );

  describe('the link that ends letters', () => {
    let link: string;

    beforeEach(async () => {
      await notify();
      const letter = await mail.to(address);
      const header = letter.headers.get('list-unsubscribe') ?? '';
      expect(letter.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      link = new URL(header.slice(1, -1)).pathname;
      expect(linkIn(letter, '/mail/unsubscribe/')).toBe(link);
      mail.clear();
    });

    it('changes nothing when it is opened, and works with one click of a mail program', async () => {
      const opened = await new Browser(world).open(link);
      expect(opened.status).toBe(200);
      expect(opened.text).toContain(name);
      expect(await mode()).toBe('each');
      // From another site, without cookies, as RFC 8058 says.
      const answer = await fetch(`${new URL(world.server.baseUrl).origin}${link}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
      expect(answer.status).toBe(200);
      expect(await mode()).toBe('none');
      await notify('not any more');
      await settled();
      expect(mail.letters).toEqual([]);
    });

    it('leads to a page that undoes it', async () => {
      await reader.api.patch(`/users/${reader.id}/mailSettings`, { mode: 'digest' });
      const browser = new Browser(world);
      const ended = await browser.submit(link, {});
      expect(ended.text).toContain('You get no more letters');
      expect(await mode()).toBe('none');
      const restarted = await browser.submit(`${link}/undo`, { mode: 'digest' });
      expect(restarted.status).toBe(200);
      expect(await mode()).toBe('digest');
    });

    it('refuses tokens that were guessed', async () => {
      for (const token of ['x', 'A'.repeat(43), `${link.split('/').at(-1)?.slice(0, -1)}`]) {
        const path = `/mail/unsubscribe/${token}`;
        expect((await new Browser(world).open(path)).status).toBe(404);
        expect((await new Browser(world).submit(path, {})).status).toBe(404);
      }
      expect(await mode()).toBe('each');
    });
  });

  it('shows and changes the letters of the user', async () => {
    const browser = await signedIn(world, reader.id);
    const shown = await browser.open('/account/notifications');
    expect(shown.status).toBe(200);
    expect(shown.text).toContain(address);
    const fields = { mode: 'digest', digestHour: '7', timeZone: 'Europe/Berlin', language: 'ja' };
    const saved = await browser.submit('/account/notifications', {
      ...fields,
      topics: ['assigned', 'wikis'],
    });
    expect(saved.text).toContain('Saved.');
    expect((await reader.api.get(`/users/${reader.id}/mailSettings`)).body).toMatchObject({
      mode: 'digest',
      digestHour: 7,
      timeZone: 'Europe/Berlin',
      language: 'ja',
      mutedTopics: ['commented', 'mentioned', 'added', 'updated', 'projects', 'other'],
    });
    const refused = await browser.submit('/account/notifications', { ...fields, timeZone: 'Nowhere' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('There is no such time zone.');
  });

  it('shows why an address gets no letters, and lets the user try again', async () => {
    mail.answers = { recipients: { [address]: '550 5.1.1 <b>No such user</b>' } };
    await notify();
    const browser = await signedIn(world, reader.id);
    const shown = await eventually(
      () => browser.open('/account/notifications'),
      ({ text }) => text.includes('refuses your address'),
    );
    expect(shown.text).toContain('550 5.1.1 &lt;b&gt;No such user&lt;/b&gt;');
    mail.answers = {};
    await browser.submit('/account/notifications/resume', {});
    await notify('again');
    await mail.to(address);
  });

  describe('a forgotten password', () => {
    const ask = (entered: string, from = '192.0.2.1'): ReturnType<Browser['submit']> =>
      new Browser(world).submit('/password/forgotten', { name: entered }, { 'X-Forwarded-For': from });

    it.each([
      ['login name', () => name],
      ['mail address', () => address.toUpperCase()],
    ])('is replaced with a link that is sent for the %s', async (_what, entered) => {
      expect((await new Browser(world).open('/sign-in')).text).toContain('href="/password/forgotten"');
      await ask(entered());
      const letter = await mail.to(address);
      expect(letter.headers.get('subject')).toBe('Set a new password');
      const link = linkIn(letter, '/password/');
      const browser = new Browser(world);
      const answer = await browser.submit(link, { newPassword: PASSWORD });
      expect(answer.session).toBeDefined();
      expect((await new Browser(world).submit(link, { newPassword: PASSWORD })).status).toBe(404);
      // The letter about it.
      await eventually(
        () => Promise.resolve(mail.letters),
        (letters) =>
          letters.some(({ headers }) => headers.get('subject') === 'Your password has been changed'),
      );
    });

    it('gets the same answer for a name that nobody has, and no letter', async () => {
      const [known, unknown] = [await ask(name), await ask('nobody')];
      await mail.to(address);
      await settled();
      expect(unknown.status).toBe(known.status);
      expect(unknown.text).toBe(known.text);
      expect(mail.letters).toHaveLength(1);
      // Nothing is kept of a name that nobody has.
      expect(await world.dataSource.query("SELECT id FROM mail_letter WHERE address = 'nobody'")).toEqual([]);
    });

    it('takes at most three letters in an hour, whatever is asked', async () => {
      for (let number = 0; number < 6; number++) expect((await ask(name)).status).toBe(200);
      await settled();
      expect(mail.letters).toHaveLength(3);
    });

    it('takes exactly three letters of twenty simultaneous requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, number) =>
          ask(number % 2 === 0 ? name : address, `198.51.100.${number}`),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await settled();
      expect(mail.letters).toHaveLength(3);
    });

    it('takes a letter an hour after the first three, however often it is asked meanwhile', async () => {
      for (let number = 0; number < 6; number++) await ask(name, '203.0.113.1');
      await settled();
      await world.dataSource.query('UPDATE mail_letter SET created = created - 3600000 WHERE state = 1');
      await ask(name, '203.0.113.1');
      await mail.taken(4);
    });

    it('writes the same for a name that nobody has as for one past its letters', async () => {
      for (let number = 0; number < 4; number++) await ask(name, '203.0.113.2');
      await settled();
      const writesOf = async (entered: string): Promise<string[]> => {
        const statements = await allStatementsOf(world, () => ask(entered, '203.0.113.3'));
        await settled();
        return statements.filter((sql) => sql.startsWith('INSERT') && sql.includes('mail_letter'));
      };
      const writes = await writesOf(name);
      expect(writes).toHaveLength(1);
      expect(await writesOf('nobody')).toEqual(writes);
    });

    it('remains available to others when one address asks too often', async () => {
      const answers: number[] = [];
      for (let number = 0; number < 31; number++) {
        answers.push((await ask(`nobody${number}`, '203.0.113.4')).status);
      }
      expect(answers).toEqual([...Array<number>(30).fill(200), 429]);
      await ask(name, '203.0.113.5');
      await mail.to(address);
    });

    it('is replaced in the language that the user has chosen for letters', async () => {
      await reader.api.patch(`/users/${reader.id}/mailSettings`, { language: 'ja' });
      await ask(name);
      expect((await mail.to(address)).headers.get('subject')).toBe('新しいパスワードの設定');
    });

    it.each([
      ['the operator', () => passwordLink(world, reader.id)],
      [
        'an Administrator',
        async () => {
          const { body } = await world.admin.api.post<{ url: string }>(`/users/${reader.id}/passwordLink`);
          return new URL(body.url).pathname;
        },
      ],
    ])('leaves a link of %s', async (_who, makeLink) => {
      const path = await makeLink();
      await ask(name);
      await settled();
      expect(mail.letters).toEqual([]);
      expect((await new Browser(world).open(path)).status).toBe(200);
    });

    it('is refused once the user has another mail address', async () => {
      await ask(name);
      const link = linkIn(await mail.to(address), '/password/');
      await reader.api.patch(`/users/${reader.id}`, { mailAddress: 'other@example.com' });
      expect((await new Browser(world).open(link)).status).toBe(404);
      // The letter about the change.
      await settled();
    });

    it('goes to the address that was asked for, although it is the login name of another user', async () => {
      await world.dataSource.query('UPDATE user SET user_id = ? WHERE id = ?', [address, author.id]);
      await ask(address);
      await mail.to(address);
      await settled();
      expect(mail.letters).toHaveLength(1);
    });

    it('is not sent to disabled users', async () => {
      await world.admin.api.patch(`/users/${reader.id}`, { enabled: false });
      await ask(name);
      await settled();
      expect(mail.letters).toEqual([]);
    });
  });

  describe('an invitation', () => {
    it('arrives by mail with a link of its own, beside the one that the Administrator gets', async () => {
      const { body } = await world.admin.api.post<{ url: string }[]>('/invitations', {
        mailAddresses: ['robin@example.net'],
        roleType: 2,
      });
      const letter = await mail.to('robin@example.net');
      const [mailed, shown] = [linkIn(letter, '/invitation/'), new URL(body[0]?.url ?? '').pathname];
      expect(mailed).not.toBe(shown);
      for (const link of [mailed, shown]) expect((await new Browser(world).open(link)).status).toBe(200);
      const accepted = await new Browser(world).submit(mailed, {
        userId: 'robin',
        name: 'Robin',
        newPassword: PASSWORD,
      });
      expect(accepted.session).toBeDefined();
      expect((await new Browser(world).open(shown)).status).toBe(404);
    });

    it('is not sent any more once it has been revoked', async () => {
      mail.answers = { letter: '451 4.3.0 Later' };
      const { body } = await world.admin.api.post<{ id: number }[]>('/invitations', {
        mailAddresses: ['gone@example.net'],
        roleType: 2,
      });
      await eventually(
        () =>
          world.dataSource.query<{ attempt: number }[]>('SELECT attempt FROM mail_letter WHERE state = 0'),
        ([letter]) => letter?.attempt === 1,
      );
      await world.admin.api.delete(`/invitations/${body[0]?.id}`);
      mail.answers = {};
      await eventually(
        async () => {
          await world.dataSource.query(
            'UPDATE mail_letter SET next_at = 0 WHERE state = 0 AND lease_until = 0',
          );
          return world.dataSource.query<unknown[]>('SELECT id FROM mail_letter WHERE state = 0');
        },
        (waiting) => waiting.length === 0,
      );
      expect(mail.letters).toEqual([]);
    });
  });
});

describe('a page without a mail server', () => {
  const tested = useWorld();

  it('offers no link for a forgotten password', async () => {
    const browser = new Browser(tested.world);
    expect((await browser.open('/sign-in')).text).not.toContain('/password/forgotten');
    expect((await browser.open('/password/forgotten')).status).toBe(404);
    expect((await browser.submit('/password/forgotten', { name: 'admin' })).status).toBe(404);
  });
});
