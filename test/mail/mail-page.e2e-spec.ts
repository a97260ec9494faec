import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { Environment } from '../../src/config/environment';
import { type Snapshot } from '../../src/database/snapshot/snapshot';
import { type Finding } from '../../src/doctor/finding';
import { checkMail } from '../../src/doctor/mail';
import { type MailStatusDto } from '../../src/mail/dto/mail-status.dto';
import { type TakenLetter, useMailServer } from '../support/mail';
import { Browser, signedIn } from '../support/sessions';
import { eventually } from '../support/webhooks';
import { type Person, type World, useWorld } from '../support/world';

const PATH = '/account/mail';
const JAPANESE = { 'Accept-Language': 'ja' };

describe('the page with mail', () => {
  const mail = useMailServer();
  const tested = useWorld(() => ({ WEBHOOK_POLL_INTERVAL: '20', ...mail.settings }));
  let world: World;
  let browser: Browser;
  let reader: Person;
  let address: string;

  beforeEach(async () => {
    ({ world } = tested);
    mail.clear();
    browser = await signedIn(world, world.admin.id);
    const project = await world.addProject();
    const author = await world.addMember(project);
    reader = await world.addMember(project);
    address = (await reader.api.get<{ mailAddress: string }>('/users/myself')).body.mailAddress;
    notify = () =>
      author.api.post(`/issues/${project.issueKey}/comments`, {
        content: 'Hello',
        notifiedUserId: [reader.id],
      });
  });
  let notify: () => Promise<unknown>;

  const status = async (): Promise<MailStatusDto> =>
    (await world.admin.api.get<MailStatusDto>('/space/mail')).body;

  const refuseReader = async (): Promise<void> => {
    mail.answers = { recipients: { [address]: '550 5.1.1 <b>No such user</b>' } };
    await notify();
    await eventually(status, ({ pausedAddresses }) =>
      pausedAddresses.some(({ userId }) => userId === reader.id),
    );
    mail.answers = {};
  };

  it('names the addresses that are refused, and resumes one of them', async () => {
    await refuseReader();
    const { text } = await browser.open(PATH);
    expect(text).toContain(mail.settings.SMTP_URL?.slice('smtp://'.length));
    expect(text).toContain(address);
    expect(text).toContain('550 5.1.1 &lt;b&gt;No such user&lt;/b&gt;');
    const japanese = (await browser.open(PATH, JAPANESE)).text;
    expect(japanese).toContain('メールサーバーが宛先を拒否しました: 550 5.1.1');
    expect(japanese).not.toContain('refuses');
    const { location } = await browser.submit(`${PATH}/${reader.id}/resume`, {});
    expect(location).toBe(PATH);
    expect((await browser.open(PATH)).text).not.toContain(address);
    await notify();
    await mail.to(address);
    const { body } = await world.admin.api.get<AuditLogEntryDto[]>('/space/auditLog?count=1');
    expect(body[0]).toMatchObject({ action: 'mailPause.delete', subjectId: reader.id });
  });

  it('names the addresses of invitations that were not sent', async () => {
    const [sent, refused] = ['sent@example.org', 'refused@example.org'];
    mail.answers = { recipients: { [refused]: '550 5.1.1 Nobody here' } };
    await world.admin.api.post('/invitations', { mailAddresses: [refused, sent], roleType: 2 });
    const { failedInvitations } = await eventually(
      status,
      ({ failedInvitations: failed }) => failed.length > 0,
    );
    await mail.to(sent);
    mail.answers = {};
    const reason = 'The mail server refuses the recipient: 550 5.1.1 Nobody here';
    expect(failedInvitations).toEqual([
      { mailAddress: refused, reason, failed: expect.any(String) as unknown },
    ]);
    const { text } = await browser.open(PATH);
    expect(text).toMatch(/Invitations that were not sent.*refused@example\.org.*550 5\.1\.1 Nobody here/s);
    expect(text).not.toContain(sent);
    expect((await browser.open(PATH, JAPANESE)).text).toContain('送信できなかった招待');
    const findings: Finding[] = [];
    for await (const finding of checkMail(
      world.dataSource as unknown as Snapshot,
      world.service(Environment),
    )) {
      findings.push(finding);
    }
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'mail invitation',
        message: expect.stringContaining(refused) as unknown,
      }),
    );
  });

  it('does not call a refused letter about a forgotten password an invitation', async () => {
    mail.answers = { recipients: { [address]: '550 5.1.1 Nobody here' } };
    const { failed } = await status();
    await new Browser(world).submit('/password/forgotten', { name: address });
    await eventually(status, (now) => now.failed > failed);
    mail.answers = {};
    expect(JSON.stringify((await status()).failedInvitations)).not.toContain(address);
  });

  it('resumes an address over the API, for its user and for Administrators', async () => {
    for (const { api } of [world.admin, reader]) {
      await refuseReader();
      const { body } = await api.delete<object>(`/users/${reader.id}/mailSettings/pause`);
      expect(body).toMatchObject({ mailAddress: address, paused: false, pausedReason: null });
      mail.clear();
      await notify();
      await mail.to(address);
    }
    // Once more, there is nothing to end or to record.
    const { body: before } = await world.admin.api.get<AuditLogEntryDto[]>('/space/auditLog?count=1');
    await reader.api.delete(`/users/${reader.id}/mailSettings/pause`);
    const { body: after } = await world.admin.api.get<AuditLogEntryDto[]>('/space/auditLog?count=1');
    expect(after).toEqual(before);
  });

  it('sends a test letter, and says why the mail server refuses it', async () => {
    const { mailAddress } = (await world.admin.api.get<{ mailAddress: string }>('/users/myself')).body;
    const taken = await browser.submit(`${PATH}/test`, {});
    expect(taken.text).toContain(`has taken the test letter to ${mailAddress}`);
    const isTest = ({ to, headers }: TakenLetter): boolean =>
      to === mailAddress && headers.get('subject') === 'Test of the mail settings';
    await eventually(
      () => Promise.resolve(mail.letters),
      (letters) => letters.some(isTest),
    );
    mail.answers = { sender: '550 5.7.1 Not yours' };
    const refused = await browser.submit(`${PATH}/test`, {}, JAPANESE);
    expect(refused.status).toBe(200);
    expect(refused.text).toContain('メールサーバーが差出人を拒否しました: 550 5.7.1 Not yours');
    const { body } = await world.admin.api.post('/space/mail/test');
    expect(body).toEqual({ mailAddress, reason: 'The mail server refuses the sender: 550 5.7.1 Not yours' });
    // A test says nothing about the letters of others.
    expect(await status()).toMatchObject({ failures: 0, pausedUntil: null });
  });

  it('is only for Administrators', async () => {
    const visitor = await signedIn(world, reader.id);
    expect((await visitor.open('/account')).text).not.toContain(`href="${PATH}"`);
    expect((await visitor.open(PATH)).status).toBe(403);
    expect((await visitor.submit(`${PATH}/test`, {})).status).toBe(403);
    expect((await visitor.submit(`${PATH}/${world.admin.id}/resume`, {})).status).toBe(403);
  });

  it('refuses users that do not exist', async () => {
    for (const id of ['999999', 'x'])
      expect((await browser.submit(`${PATH}/${id}/resume`, {})).status).toBe(404);
  });
});

describe('the page with mail without a mail server', () => {
  const tested = useWorld();

  it('says that no mail is sent, and sends none', async () => {
    const browser = await signedIn(tested.world, tested.world.admin.id);
    expect((await browser.open(PATH)).text).toContain('SMTP_URL is not set');
    const { text } = await browser.submit(`${PATH}/test`, {});
    expect(text).toContain('could not be sent');
    const { body } = await tested.world.admin.api.post<{ reason: string }>('/space/mail/test');
    expect(body.reason).toBe('No mail is sent: SMTP_URL is not set.');
  });
});
