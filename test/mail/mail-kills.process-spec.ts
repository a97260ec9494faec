import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../support/child';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { MailServer } from '../support/mail';
import { isWhole } from '../support/thoroughness';
import { World } from '../support/world';

/** The long form of the checks sends 1,000 letters. */
const [READERS, COMMENTS, KILLS] = isWhole ? [50, 20, 20] : [25, 4, 4];
/** How the mail server behaves during the lives of the process, in turn. */
const MODES = ['listen', 'refuse', 'listen', 'hang'] as const;
/**
 * A letter comes twice if a kill hits the time between its acceptance and its record. Letters have a distance of 100 ms, so that each kill while the
 * mail server takes letters hits one at most, however busy the machine is: half of all kills.
 */
const MOST_TWICE = KILLS / 2;
/** Milliseconds of a life after it has begun to send. */
const [SHORTEST_MS, LONGEST_MS] = [50, 600];
/** How long a life waits for its first letter, in milliseconds: the circuit may be open. */
const LATEST_MS = 10_000;
const LONGEST_WAIT_MS = 240_000;
const TEST_TIMEOUT_MS = 900_000;

const SETTINGS = {
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  WEBHOOK_POLL_INTERVAL: '50',
  WEBHOOK_RETRY_DELAYS: Array(40).fill('0.3').join(),
  WEBHOOK_CIRCUIT_PAUSES: '0.2',
  SMTP_TIMEOUT: '1',
};

/** The default, at which the promise about letters that come twice holds. */
const PACE = { SMTP_RATE: '10' };

/** Random numbers from 0 to 1, the same in each run. */
function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

describe('mail of a process that is killed', () => {
  const mail = new MailServer();
  let database: LastingTestDatabase;

  beforeAll(async () => {
    database = await createLastingTestDatabase();
    await mail.listen();
  });

  afterAll(async () => {
    await mail.refuse();
    await database.drop();
  });

  const start = async (): Promise<Child> => {
    const child = new Child(
      'serve',
      database.url,
      JSON.stringify({ ...SETTINGS, ...mail.settings, ...PACE }),
    );
    expect(await child.nextLine()).toBe('ready');
    return child;
  };

  it(
    'loses no letter, and sends hardly any twice',
    async () => {
      await mail.refuse();
      const world = await World.start({ ...SETTINGS, ...mail.settings, DATABASE_URL: database.url });
      const project = await world.addProject();
      const author = await world.addMember(project);
      const readers: number[] = [];
      for (let number = 0; number < READERS; number++) readers.push((await world.addMember(project)).id);
      for (let number = 0; number < COMMENTS; number++) {
        await author.api.post(`/issues/${project.issueKey}/comments`, {
          content: `Comment ${number}`,
          notifiedUserId: readers,
        });
      }
      await world.server.close();
      const random = randomNumbers(20_261_126);
      for (let kill = 0; kill < KILLS; kill++) {
        await mail.refuse();
        const mode = MODES[kill % MODES.length] ?? 'listen';
        await mail[mode]();
        const before = mail.letters.length;
        const child = await start();
        const latest = Date.now() + LATEST_MS;
        while (mode === 'listen' && mail.letters.length === before && Date.now() < latest) await sleep(5);
        await sleep(SHORTEST_MS + random.next().value * (LONGEST_MS - SHORTEST_MS));
        await child.kill();
      }
      const beforeLast = mail.letters.length;
      await mail.refuse();
      await mail.listen();
      const last = await start();
      const ids = (): Set<string | undefined> =>
        new Set(mail.letters.map(({ headers }) => headers.get('message-id')));
      const end = Date.now() + LONGEST_WAIT_MS;
      while (ids().size < READERS * COMMENTS && Date.now() < end) await sleep(100);
      last.go();
      await last.restOfLines();
      const twice = mail.letters.length - ids().size;
      console.log(
        `${ids().size} letters arrived, ${beforeLast} before the last start, ${twice} of them twice, with ${KILLS} kills`,
      );
      expect(ids().size).toBe(READERS * COMMENTS);
      expect(twice).toBeLessThanOrEqual(MOST_TWICE);
    },
    TEST_TIMEOUT_MS,
  );
});
