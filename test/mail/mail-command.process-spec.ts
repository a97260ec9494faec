import { Commands } from '../support/pms';
import { MailServer } from '../support/mail';

describe('pms mail test', () => {
  const mail = new MailServer();
  const commands = new Commands();
  beforeAll(() => mail.listen());
  afterAll(async () => {
    await commands.stop();
    await mail.refuse();
  });
  beforeEach(() => mail.clear());

  const test = (
    settings: Record<string, string> = {},
    address = 'robin@example.com',
  ): ReturnType<Commands['run']> =>
    commands.run(['mail', 'test', address], {
      DATABASE_URL: 'sqlite::memory:',
      SMTP_TIMEOUT: '2',
      ...mail.settings,
      ...settings,
    });

  const urlWith = (login: string, options = ''): Record<string, string> => ({
    SMTP_URL: `smtp://${login}127.0.0.1:${mail.port}${options}`,
  });

  it('sends a letter, and prints the dialogue', async () => {
    mail.answers = { password: 'hidden-word' };
    const { exitCode, stdout } = await test(urlWith('tracker:hidden-word@'));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/< 220 .*\n> EHLO /);
    expect(stdout).toContain('> RCPT TO:<robin@example.com>');
    expect(stdout).toContain('The mail server has taken the letter to robin@example.com.');
    expect(stdout).toMatch(/^> AUTH PLAIN \*\*\*$/m);
    expect(stdout).not.toMatch(/hidden-word|aGlkZGVuLXdvcm/);
    expect(mail.letters[0]?.headers.get('subject')).toBe('Test of the mail settings');
  });

  it.each<[string, () => Promise<void> | void, () => Record<string, string>, RegExp]>([
    [
      'a wrong password',
      () => void (mail.answers = { password: 'right' }),
      () => urlWith('tracker:hidden-word@'),
      /refuses the login: 535 .*Check the user and the password/s,
    ],
    [
      'a refused sender',
      () => void (mail.answers = { sender: '550 5.7.1 Not yours' }),
      () => ({}),
      /refuses the sender: 550 5\.7\.1 Not yours.*MAIL_FROM/s,
    ],
    [
      'a missing login',
      () => void (mail.answers = { sender: '530 5.7.0 Authentication required' }),
      () => ({}),
      /refuses the login: 530 5\.7\.0 Authentication required.*Check the user and the password/s,
    ],
    [
      'a refused recipient',
      () => void (mail.answers = { recipients: { 'robin@example.com': '550 5.1.1 Unknown' } }),
      () => ({}),
      /refuses the recipient: 550 5\.1\.1 Unknown/,
    ],
    [
      'a refused letter',
      () => void (mail.answers = { letter: '554 5.6.0 Spam' }),
      () => ({}),
      /refuses the letter: 554 5\.6\.0 Spam/,
    ],
    [
      'TLS that the server does not speak',
      () => undefined,
      () => ({ SMTP_URL: `smtps://127.0.0.1:${mail.port}` }),
      /No encrypted connection to the mail server: .*Check smtp:\/\/ or smtps:\/\//is,
    ],
    [
      'a refused connection',
      () => undefined,
      () => ({ SMTP_URL: 'smtp://127.0.0.1:1' }),
      /No connection to the mail server: .*ECONNREFUSED/,
    ],
  ])('fails with the reason in words for %s', async (_what, prepare, settings, reason) => {
    await prepare();
    const { exitCode, stdout, stderr } = await test(settings());
    expect(stderr).toMatch(reason);
    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).not.toContain('hidden-word');
  });

  it('fails when the server hangs, within SMTP_TIMEOUT', async () => {
    await mail.hang();
    const { exitCode, stderr } = await test();
    await mail.refuse();
    await mail.listen();
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/ETIMEDOUT: no answer within 2 s/);
  });

  it('needs the settings, and a mail address', async () => {
    expect((await test({ SMTP_URL: '', MAIL_FROM: '' })).stderr).toContain(
      'SMTP_URL and MAIL_FROM are not set',
    );
    expect((await test({}, 'nobody')).stderr).toContain('"nobody" is not a mail address');
    expect((await test({ SMTP_URL: '' })).stderr).toContain('SMTP_URL must be set as well');
    expect((await test({ SMTP_URL: 'smtp://mail.example.com' })).stderr).toContain(
      'PUBLIC_URL must be set as well',
    );
    expect((await test({ SMTP_URL: 'smtp://127.0.0.1:25?ca=missing.pem' })).stderr).toContain(
      'The file missing.pem of SMTP_URL cannot be read',
    );
  });
});
