import { type ClaimedLetter, MailLetterRepository } from '../../src/mail/data/mail-letter.repository';
import { MailServerRepository } from '../../src/mail/data/mail-server.repository';
import { type MailStatusDto } from '../../src/mail/dto/mail-status.dto';
import { MailDispatcherService } from '../../src/mail/sending/mail-dispatcher.service';
import { MailQueue } from '../../src/mail/sending/mail-queue';
import { MailSettings } from '../../src/mail/sending/mail-settings';
import { itOnServer } from '../support/engines';
import { delayStatement } from '../support/late-statements';
import { MailServer } from '../support/mail';
import { Browser } from '../support/sessions';
import { eventually } from '../support/webhooks';
import { type Person, type ProjectFixture, type Started, useWorld, type World } from '../support/world';
import { anotherDispatcher } from './another-dispatcher';

/** Letters a second, and their distance in milliseconds. */
const [RATE, DISTANCE_MS] = [10, 100];
/** Letters a second at which each takes the whole time that a test waits for something. */
const SLOWEST_RATE = 0.1;
/** Letters that may go before an urgent one, of 60: those that are being sent, and those that are sent while the test looks. */
const FEW = 10;

describe('the pace of letters', () => {
  const mail = new MailServer();
  beforeAll(() => mail.listen());
  afterAll(() => mail.refuse());
  let world: World;
  let project: ProjectFixture;
  let author: Person;
  let readers: Person[];

  const useRate = (rate: number): Started =>
    useWorld(() => ({ ...mail.settings, WEBHOOK_POLL_INTERVAL: '20', SMTP_RATE: String(rate) }));

  /** Adds what each test needs. Its first letter waits for none of the test before. */
  function useReaders(tested: Started): void {
    beforeEach(async () => {
      mail.clear();
      ({ world } = tested);
      await world.dataSource.query('UPDATE mail_server SET next_at = 0');
      project = await world.addProject();
      author = await world.addMember(project);
      readers = [];
      for (let number = 0; number < 10; number++) readers.push(await world.addMember(project));
    });
    afterEach(() => void vi.restoreAllMocks());
  }

  /** Comments `count` times, for each of the readers. */
  const notify = async (count: number, to: readonly Person[] = readers): Promise<void> => {
    for (let number = 0; number < count; number++) {
      await author.api.post(`/issues/${project.issueKey}/comments`, {
        content: `Comment ${number}`,
        notifiedUserId: to.map(({ id }) => id),
      });
    }
  };

  const status = async (): Promise<MailStatusDto> =>
    (await world.admin.api.get<MailStatusDto>('/space/mail')).body;

  const settled = (): Promise<MailStatusDto> => eventually(status, ({ pending }) => pending === 0);

  const called = ({ mock }: { mock: { calls: readonly unknown[] } }): Promise<number> =>
    eventually(
      () => Promise.resolve(mock.calls.length),
      (count) => count > 0,
    );

  /** Watches the places that are taken, and returns when. */
  const watchPlaces = (): number[] => {
    const times: number[] = [];
    const servers = world.service(MailServerRepository);
    const take = servers.takePlace.bind(servers);
    vi.spyOn(servers, 'takePlace').mockImplementation((manager, distance, now) => {
      times.push(now);
      return take(manager, distance, now);
    });
    return times;
  };

  describe('at an even rate', () => {
    useReaders(useRate(RATE));

    it.each([
      ['one process', 1],
      ['two processes together', 2],
    ])('is kept by %s, one letter at each place', async (_who, processes) => {
      const others: MailDispatcherService[] = [];
      for (let count = 1; count < processes; count++) others.push(anotherDispatcher(world));
      const times = watchPlaces();
      await Promise.all(others.map((dispatcher) => dispatcher.onApplicationBootstrap()));
      await notify(2);
      await mail.taken(20);
      await settled();
      await Promise.all(others.map((dispatcher) => dispatcher.beforeApplicationShutdown()));
      expect(mail.letters).toHaveLength(20);
      expect(times).toHaveLength(20);
      const distances = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(Math.min(...distances)).toBeGreaterThanOrEqual(DISTANCE_MS);
    });

    it('lets what somebody waits for go first, and says how long the others take', async () => {
      const { api } = await world.addUser();
      const { mailAddress } = (await api.get<{ mailAddress: string }>('/users/myself')).body;
      await notify(6);
      await new Browser(world).submit('/password/forgotten', { name: mailAddress });
      const before = mail.letters.length;
      const { pending, pendingSeconds } = await status();
      expect(pendingSeconds).toBe(Math.ceil(pending / RATE));
      await mail.to(mailAddress);
      const place = mail.letters.findIndex(({ to }) => to === mailAddress);
      expect(place - before).toBeLessThanOrEqual(FEW);
      await mail.taken(61);
      await settled();
      expect(mail.letters).toHaveLength(61);
    });

    // The last one: the service sends nothing afterwards.
    itOnServer('takes no place for a letter that another process has just taken', async () => {
      await world.service(MailDispatcherService).beforeApplicationShutdown();
      await notify(1, readers.slice(0, 2));
      const [queue, servers] = [world.service(MailQueue), world.service(MailServerRepository)];
      const target = await servers.findDue(Date.now());
      if (!target) throw new Error('No letter is due.');
      const claim = (): Promise<ClaimedLetter[]> => queue.claim([{ target, count: 1 }]);
      const letters = world.service(MailLetterRepository);
      const findLeased = letters.findLeased.bind(letters);
      let commit!: () => void;
      const committing = new Promise<void>((resolve) => (commit = resolve));
      const lease = vi.spyOn(letters, 'findLeased').mockImplementationOnce(async (...of) => {
        await committing;
        return findLeased(...of);
      });
      const first = claim();
      await called(lease);
      const taken = Date.now();
      await eventually(
        () => Promise.resolve(Date.now()),
        (now) => now > taken + DISTANCE_MS,
      );
      const lock = vi.spyOn(servers, 'lockPlace');
      const second = claim();
      await called(lock);
      commit();
      const claimed = [...(await first), ...(await second)].map(({ id }) => id);
      expect(new Set(claimed).size).toBe(2);
    });
  });

  describe('at the lowest rate', () => {
    useReaders(useRate(SLOWEST_RATE));

    it('ignores a place that a process with a wrong clock has taken', async () => {
      const later = Date.now() + 24 * 60 * 60_000;
      await world.dataSource.query('UPDATE mail_server SET next_at = ?', [later]);
      await notify(1, readers.slice(0, 1));
      await mail.taken(1);
    });

    // The last one: the service sends nothing afterwards.
    it('counts no letter that nobody is to get', async () => {
      await mail.refuse();
      await world.service(MailDispatcherService).beforeApplicationShutdown();
      await notify(1);
      for (const reader of readers)
        await reader.api.patch(`/users/${reader.id}/mailSettings`, { mode: 'none' });
      const last = await world.addMember(project);
      await notify(1, [last]);
      await mail.listen();
      const later = anotherDispatcher(world);
      await later.onApplicationBootstrap();
      await mail.taken(1);
      await settled();
      await later.beforeApplicationShutdown();
      expect(mail.letters).toHaveLength(1);
    });

    it('counts a lease from the end of the wait for its place', async () => {
      await world.service(MailDispatcherService).beforeApplicationShutdown();
      await notify(1, readers.slice(0, 1));
      const target = await world.service(MailServerRepository).findDue(Date.now());
      if (!target) throw new Error('No letter is due.');
      const endOfWait = delayStatement(world, /^SELECT next_at AS nextAt FROM mail_server/);
      const [letter] = await world.service(MailQueue).claim([{ target, count: 1 }]);
      const { lease } = world.service(MailSettings);
      expect(letter?.leaseUntil).toBeGreaterThanOrEqual(endOfWait() + lease);
    });
  });
});
