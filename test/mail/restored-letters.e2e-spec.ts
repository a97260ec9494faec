import { discardRestoredLetters } from '../../src/mail/data/restored-letters';
import { MailServer } from '../support/mail';
import { eventually } from '../support/webhooks';
import { useWorld } from '../support/world';

describe('the letters of a restored backup', () => {
  const mail = new MailServer();
  beforeAll(() => mail.listen());
  afterAll(() => mail.refuse());
  const tested = useWorld(() => ({ WEBHOOK_POLL_INTERVAL: '20', ...mail.settings }));

  it('leaves those that waited unsent, and begins the next digests after the restore', async () => {
    const { world } = tested;
    mail.answers = { letter: '451 4.3.0 Later' };
    const user = await world.addUser();
    await user.api.patch(`/users/${user.id}/mailSettings`, { mode: 'digest' });
    await world.admin.api.patch(`/users/${user.id}`, { password: 'quite another password' });
    const rows = (): Promise<{ state: number; attempt: number; error: string }[]> =>
      world.dataSource.query('SELECT state, attempt, error FROM mail_letter');
    await eventually(rows, ([letter]) => letter?.attempt === 1);
    const now = Date.now() + 1000;
    await world.write((manager) => discardRestoredLetters(manager, now));
    mail.answers = {};
    expect(await rows()).toMatchObject([{ state: 2, error: 'Not sent: a backup was restored.' }]);
    const [setting] = await world.dataSource.query<[{ lastEnd: number | string }]>(
      'SELECT digest_after AS lastEnd FROM mail_setting',
    );
    expect(Number(setting.lastEnd)).toBe(now);
    expect((await world.admin.api.get('/space/mail')).body).toMatchObject({ pending: 0, failures: 0 });
    await user.api.post(`/users/${user.id}/apiKeys`, { name: 'later' });
    await mail.taken(1);
    expect(mail.letters).toHaveLength(1);
  });
});
