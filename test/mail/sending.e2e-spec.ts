import { type MailStatusDto } from '../../src/mail/dto/mail-status.dto';
import { LetterKind } from '../../src/mail/letter-kind';
import { LetterSender } from '../../src/mail/sending/letter-sender';
import { MailDispatcherService } from '../../src/mail/sending/mail-dispatcher.service';
import { MailServer } from '../support/mail';
import { Browser } from '../support/sessions';
import { eventually } from '../support/webhooks';
import { type Person, type ProjectFixture, useWorld, World } from '../support/world';
import { anotherDispatcher } from './another-dispatcher';

/** The default of SMTP_CONCURRENCY. */
const CONNECTIONS = 4;

const QUICK = {
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  WEBHOOK_POLL_INTERVAL: '20',
  WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05',
  WEBHOOK_RETRY_JITTER: '0',
  WEBHOOK_CIRCUIT_FAILURES: '3',
  WEBHOOK_CIRCUIT_PAUSES: '0.2',
  SMTP_TIMEOUT: '1',
};

interface LetterRow {
  state: number;
  attempt: number;
  error: string;
}

describe('sending letters', () => {
  const mail = new MailServer();
  beforeAll(() => mail.listen());
  afterAll(() => mail.refuse());
  const tested = useWorld(() => ({ ...QUICK, ...mail.settings }));
  let world: World;
  let project: ProjectFixture;
  let author: Person;
  let reader: Person;
  let address: string;

  const addReader = async (to: World): Promise<void> => {
    world = to;
    project = await world.addProject();
    author = await world.addMember(project);
    reader = await world.addMember(project);
    address = (await reader.api.get<{ mailAddress: string }>('/users/myself')).body.mailAddress;
  };

  beforeEach(async () => {
    await mail.refuse();
    await mail.listen();
    mail.clear();
    await addReader(tested.world);
  });

  // Each test finds no letters, and a mail server that works.
  afterEach(async () => {
    ({ world } = tested);
    await eventually(rows, (letters) => letters.every(({ state }) => state !== 0));
    await world.dataSource.query('DELETE FROM mail_letter');
    expect(await status()).toMatchObject({ failures: 0, pausedUntil: null, pausedAddressCount: 0 });
  });

  const notify = (content = 'Hello'): Promise<unknown> =>
    author.api.post(`/issues/${project.issueKey}/comments`, { content, notifiedUserId: [reader.id] });

  const rows = (): Promise<LetterRow[]> =>
    world.dataSource.query<LetterRow[]>('SELECT state, attempt, error FROM mail_letter ORDER BY id');

  const status = async (): Promise<MailStatusDto> =>
    (await world.admin.api.get<MailStatusDto>('/space/mail')).body;

  it('is repeated after an answer that may change, with the same Message-ID', async () => {
    mail.answers = { recipients: { [address]: '450 4.2.0 Greylisted' } };
    await notify();
    await eventually(rows, ([letter]) => (letter?.attempt ?? 0) >= 1);
    expect((await rows())[0]?.error).toMatch(
      /^The mail server refuses the recipient: 450 4\.2\.0 Greylisted/,
    );
    mail.answers = {};
    const letter = await mail.to(address);
    const [{ id, created }] = await world.dataSource.query<[{ id: number; created: number | string }]>(
      'SELECT id, created FROM mail_letter',
    );
    expect(letter.headers.get('message-id')).toBe(`<letter-${id}.${created}@example.org>`);
    // A server that refuses one recipient works.
    expect(await status()).toMatchObject({ failures: 0, pausedUntil: null });
  });

  it('ends for an address that is refused for good, until its user tries again or has another', async () => {
    mail.answers = { recipients: { [address]: '550 5.1.1 No such user' } };
    await notify();
    await eventually(rows, ([letter]) => letter?.state === 2);
    const { body } = await reader.api.get<object>(`/users/${reader.id}/mailSettings`);
    const reason = expect.stringMatching(/refuses the recipient: 550 5\.1\.1 No such user/) as string;
    expect(body).toMatchObject({ paused: true, pausedReason: reason });
    expect(await status()).toMatchObject({
      failures: 0,
      pausedAddressCount: 1,
      pausedAddresses: [{ userId: reader.id, mailAddress: address, reason }],
    });
    mail.answers = {};
    await notify('while paused');
    await eventually(rows, (letters) => letters.every(({ state }) => state !== 0));
    expect(mail.letters).toEqual([]);
    await reader.api.patch(`/users/${reader.id}/mailSettings`, { paused: false });
    await notify('again');
    expect((await mail.to(address)).text).toContain('> again');
    expect(await status()).toMatchObject({ pausedAddressCount: 0, pausedAddresses: [] });
  });

  it('goes on at once to another address of the user', async () => {
    mail.answers = { recipients: { [address]: '550 5.1.1 No such user' } };
    await notify();
    await eventually(status, ({ pausedAddressCount }) => pausedAddressCount === 1);
    await reader.api.patch(`/users/${reader.id}`, { mailAddress: 'another@example.com' });
    await notify('moved');
    expect((await mail.to('another@example.com')).text).toContain('> moved');
    expect((await status()).pausedAddressCount).toBe(0);
  });

  it('sends what somebody waits for also to a paused address, whose success ends the pause', async () => {
    mail.answers = { recipients: { [address]: '550 5.1.1 No such user' } };
    await notify();
    await eventually(status, ({ pausedAddressCount }) => pausedAddressCount === 1);
    mail.answers = {};
    await world.admin.api.patch(`/users/${reader.id}`, { password: 'quite another password' });
    await mail.to(address);
    await eventually(status, ({ pausedAddressCount }) => pausedAddressCount === 0);
  });

  it('is repeated to a domain that a policy refuses, which the status names, and pauses neither the address nor others', async () => {
    const others: Person[] = [];
    for (let number = 0; number < 4; number++) others.push(await world.addMember(project));
    await reader.api.patch(`/users/${reader.id}`, { mailAddress: 'somebody@refused.example' });
    mail.answers = { recipients: { 'somebody@refused.example': '554 5.7.1 Relay access denied' } };
    for (let number = 0; number < 4; number++) await notify(`letter ${number}`);
    await eventually(rows, (letters) => letters.filter(({ state }) => state === 2).length === 4);
    const reason = expect.stringMatching(/^554 5\.7\.1 Relay access denied/) as string;
    expect(await status()).toMatchObject({
      failures: 0,
      pausedUntil: null,
      failed: 4,
      pausedAddressCount: 0,
      refusedDomains: [{ domain: 'refused.example', letterCount: 4, reason }],
    });
    await author.api.post(`/issues/${project.issueKey}/comments`, {
      content: 'to others',
      notifiedUserId: others.map(({ id }) => id),
    });
    await mail.taken(4);
    mail.answers = {};
    await notify('again');
    await mail.to('somebody@refused.example');
  });

  it.each([
    ['that takes several commands at once', false, 'silent.example'],
    ['that takes one command at a time', true, 'mute.example'],
  ])(
    'goes on to others while a server %s gives no answer to the recipients of a domain, which the status names',
    async (_how, takesOneCommand, domain) => {
      await mail.refuse();
      await mail.listen(takesOneCommand);
      const others: Person[] = [];
      for (let number = 0; number < 4; number++) others.push(await world.addMember(project));
      await reader.api.patch(`/users/${reader.id}`, { mailAddress: `somebody@${domain}` });
      mail.answers = { silentDomains: [domain] };
      for (let number = 0; number < 8; number++) await notify(`letter ${number}`);
      await eventually(status, ({ refusedDomains }) => (refusedDomains[0]?.letterCount ?? 0) > CONNECTIONS);
      await author.api.post(`/issues/${project.issueKey}/comments`, {
        content: 'to others',
        notifiedUserId: others.map(({ id }) => id),
      });
      await mail.taken(4);
      expect(await status()).toMatchObject({
        failures: 0,
        pausedUntil: null,
        pausedAddressCount: 0,
        refusedDomains: [{ domain, reason: 'no answer within 1 s' }],
      });
      mail.answers = {};
      // A letter that was not tried has lost no attempt.
      await eventually(rows, (letters) => letters.every(({ state }) => state !== 0));
      expect(mail.letters.length).toBeGreaterThan(4);
      expect(await status()).toMatchObject({ pending: 0 });
    },
  );

  it.each(['421 4.3.2 Closing', '530 5.7.0 Authentication required', '535 5.7.8 Authentication failed'])(
    'counts as a failure of the server when that answers any recipient with %s',
    async (answer) => {
      mail.answers = { recipients: { [address]: answer } };
      await notify();
      await eventually(status, ({ failures }) => failures > 0);
      expect(await status()).toMatchObject({ pausedAddressCount: 0, refusedDomains: [] });
      mail.answers = {};
      await mail.to(address);
      await eventually(status, ({ failures }) => failures === 0);
    },
  );

  it('goes first if somebody waits for it, also when it is repeated with a backlog', async () => {
    const own = await World.start({ ...QUICK, ...mail.settings });
    // Connections overtake each other, so that the order of the arrivals is another.
    const sent = vi.spyOn(own.service(LetterSender), 'send');
    try {
      await addReader(own);
      await mail.refuse();
      await notify('before');
      await new Browser(world).submit('/password/forgotten', { name: address });
      await eventually(rows, (letters) => letters.filter(({ attempt }) => attempt > 0).length >= 2);
      await world.service(MailDispatcherService).beforeApplicationShutdown();
      await mail.listen();
      // All of them are due, and the repeated ones for the shortest time.
      const [{ notificationId }] = await world.dataSource.query<[{ notificationId: number }]>(
        'SELECT notification_id AS notificationId FROM mail_letter WHERE kind = 1',
      );
      const now = Date.now();
      await world.dataSource.query('UPDATE mail_letter SET state = 0, attempt = 1, next_at = ?', [now]);
      await world.dataSource.query('UPDATE mail_server SET failures = 0, paused_until = 0');
      const backlog = Array<string>(500).fill('(1, ?, ?, 0, 0, ?, 0, ?)').join();
      await world.dataSource.query(
        `INSERT INTO mail_letter (kind, user_id, notification_id, state, attempt, next_at, lease_until, created)
       VALUES ${backlog}`,
        Array.from({ length: 500 }, () => [reader.id, notificationId, now - 60_000, now - 60_000]).flat(),
      );
      const later = anotherDispatcher(world);
      sent.mockClear();
      await later.onApplicationBootstrap();
      await mail.taken(CONNECTIONS);
      await later.beforeApplicationShutdown();
      const first = sent.mock.calls.slice(0, CONNECTIONS).map(([{ kind }]) => kind);
      expect(first).toContain(LetterKind.ForgottenPassword);
    } finally {
      sent.mockRestore();
      await own.stop();
    }
  });

  it.each<[string, () => Promise<void>, RegExp]>([
    ['refuses connections', () => mail.refuse(), /^No connection to the mail server: .*ECONNREFUSED/],
    ['hangs', () => mail.hang(), /^No connection to the mail server: ETIMEDOUT: no answer within 1 s/],
  ])('waits while the server %s, and then sends all letters', async (_how, fail, reason) => {
    await fail();
    for (let number = 0; number < 6; number++) await notify(`letter ${number}`);
    const failing = await eventually(
      status,
      ({ failures, pausedUntil }) => failures >= 3 && pausedUntil !== null,
    );
    expect(failing.reason).toMatch(reason);
    expect(failing.pending).toBeGreaterThan(3);
    expect(failing.oldestPending).not.toBeNull();
    await mail.refuse();
    await mail.listen();
    await eventually(status, ({ failures, pending }) => failures === 0 && pending === 0);
    // Letters whose attempts were used up meanwhile have failed; none of the others has been lost.
    const sent = (await rows()).filter(({ state }) => state === 1).length;
    expect(sent).toBe(mail.letters.length);
    expect(sent).toBeGreaterThan(3);
  });

  it('finds no password in the reason of a failure, nor in the status', async () => {
    mail.answers = { password: 'right' };
    const url = `smtp://tracker:hidden-word@127.0.0.1:${mail.port}`;
    const other = await World.start({
      ...QUICK,
      ...mail.settings,
      WEBHOOK_CIRCUIT_FAILURES: '100',
      WEBHOOK_CIRCUIT_PAUSES: '60',
      SMTP_URL: url,
      SMTP_CONCURRENCY: '1',
    });
    try {
      await other.admin.api.post('/invitations', {
        mailAddresses: ['a@example.com', 'b@example.com'],
        roleType: 2,
      });
      const found = await eventually(
        async () => (await other.admin.api.get<MailStatusDto>('/space/mail')).body,
        ({ failures }) => failures > 0,
      );
      expect(found.reason).toMatch(/^The mail server refuses the login: 535 /);
      expect(found.server).toBe(`127.0.0.1:${mail.port}`);
      expect(JSON.stringify(found)).not.toMatch(/hidden-word|tracker:/);
      // A wrong login fails for every letter: a single failure pauses them all.
      expect(found.pausedUntil).not.toBeNull();
      expect(found).toMatchObject({ failures: 1, pending: 2 });
    } finally {
      await other.stop();
    }
  });

  it('closes a connection that the server has closed meanwhile, and opens another', async () => {
    await notify('first');
    // The server has taken a letter before the service knows.
    await eventually(rows, (letters) => letters.some(({ state }) => state === 1));
    await mail.refuse();
    await mail.listen();
    await notify('second');
    await mail.taken(2);
    const sent = await eventually(rows, (letters) => letters.every(({ state }) => state === 1));
    expect(sent.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('sends no letter twice from two dispatchers', async () => {
    const second = anotherDispatcher(world);
    await second.onApplicationBootstrap();
    await mail.refuse();
    for (let number = 0; number < 30; number++) await notify(`letter ${number}`);
    await mail.listen();
    await mail.taken(30);
    await eventually(rows, (letters) => letters.every(({ state }) => state === 1));
    await second.beforeApplicationShutdown();
    const ids = mail.letters.map(({ headers }) => headers.get('message-id'));
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });
});
