import { DigestsService } from '../../src/mail/notified/digests.service';
import { useMailServer } from '../support/mail';
import { eventually } from '../support/webhooks';
import { type Person, type ProjectFixture, type World, useWorld } from '../support/world';

const DAY_MS = 24 * 60 * 60_000;

describe('the daily letter', () => {
  const mail = useMailServer();
  const tested = useWorld(() => ({ WEBHOOK_POLL_INTERVAL: '20', ...mail.settings }));
  let world: World;
  let project: ProjectFixture;
  let author: Person;
  let reader: Person;
  let address: string;

  beforeEach(async () => {
    ({ world } = tested);
    mail.clear();
    project = await world.addProject();
    author = await world.addMember(project);
    reader = await world.addMember(project);
    address = (await reader.api.get<{ mailAddress: string }>('/users/myself')).body.mailAddress;
    await reader.api.patch(`/users/${reader.id}/mailSettings`, {
      mode: 'digest',
      digestHour: 8,
      timeZone: 'Asia/Tokyo',
    });
  });

  const notify = (content: string): Promise<unknown> =>
    author.api.post(`/issues/${project.issueKey}/comments`, { content, notifiedUserId: [reader.id] });

  /** Writes the digests that are due after some days. */
  const writeAfter = (days: number): Promise<number> =>
    world.service(DigestsService).writeDue(100, Date.now() + days * DAY_MS);

  const settled = (): Promise<unknown> =>
    eventually(
      () =>
        world.dataSource.query<[{ count: number | string }]>(
          'SELECT COUNT(*) AS count FROM mail_letter WHERE state = 0',
        ),
      ([{ count }]) => Number(count) === 0,
    );

  it('contains the notifications of its day, and takes the place of single letters', async () => {
    await notify('one');
    await notify('two');
    await settled();
    expect(mail.letters).toEqual([]);
    expect(await writeAfter(1)).toBeGreaterThan(0);
    const letter = await mail.to(address);
    expect(letter.headers.get('subject')).toBe('2 notifications');
    expect(letter.text.match(new RegExp(`\\[${project.issueKey}\\]`, 'g'))).toHaveLength(2);
    expect(letter.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    await settled();
    expect(mail.letters).toHaveLength(1);
  });

  it('is not sent when nothing has happened, nor twice for the same day', async () => {
    await notify('once');
    await writeAfter(1);
    await mail.to(address);
    expect(await writeAfter(1)).toBe(0);
    // Also for users of other tests.
    expect(await writeAfter(2)).toBeGreaterThan(0);
    await settled();
    expect(mail.letters.filter(({ to }) => to === address)).toHaveLength(1);
    const rows = await world.dataSource.query('SELECT id FROM mail_letter WHERE user_id = ? AND state <> 1', [
      reader.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('is due at the hour of the time zone', async () => {
    const [{ due }] = await world.dataSource.query<[{ due: number | string }]>(
      'SELECT digest_due AS due FROM mail_setting WHERE user_id = ?',
      [reader.id],
    );
    expect(new Date(Number(due)).toISOString()).toMatch(/T23:00:00\.000Z$/);
    expect(Number(due) - Date.now()).toBeLessThanOrEqual(DAY_MS);
  });

  it('shows nothing of a project that the user has left', async () => {
    await notify('secret');
    await world.admin.api.delete(`/projects/${project.key}/users`, { userId: reader.id });
    await writeAfter(1);
    await settled();
    expect(mail.letters).toEqual([]);
  });

  it('is written once by two processes', async () => {
    await notify('once');
    await Promise.all([writeAfter(1), writeAfter(1)]);
    await mail.to(address);
    await settled();
    expect(mail.letters).toHaveLength(1);
  });

  it('refuses an unknown time zone and hour', async () => {
    for (const body of [
      { timeZone: 'Mars/Olympus' },
      { digestHour: 24 },
      { mode: 'weekly' },
      { paused: true },
    ]) {
      const answer = await reader.api.patch(`/users/${reader.id}/mailSettings`, body);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain(Object.keys(body)[0]);
    }
    expect((await reader.api.get(`/users/${reader.id}/mailSettings`)).body).toMatchObject({
      mode: 'digest',
      timeZone: 'Asia/Tokyo',
      digestHour: 8,
    });
  });
});
