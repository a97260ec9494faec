import { PasswordHasherService } from '../../src/users/passwords/password-hasher.service';
import { SignInAttemptsService } from '../../src/sign-in/sign-in-attempts.service';
import { type Attempt } from '../../src/sign-in/sign-in-attempts.service';
import { TooManyRequestsError } from '../../src/errors/domain-errors';
import { allStatementsOf } from '../support/records';
import { Browser, type PageAnswer, PASSWORD, signedIn } from '../support/sessions';
import { type Person, useWorld } from '../support/world';

const WRONG = 'a wrong guess';

describe('guessing passwords', () => {
  const tested = useWorld({ TRUST_PROXY: '1', MAX_PASSWORD_CHANGES: '1000' });
  let person: Person;
  let loginName: string;

  beforeEach(async () => {
    person = await tested.world.addUser();
    await tested.world.admin.api.patch(`/users/${person.id}`, { password: PASSWORD });
    const { body } = await person.api.get<{ userId: string }>('/users/myself');
    loginName = body.userId;
    // Waits end only when a test ends them.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  });
  afterEach(() => vi.restoreAllMocks());

  /** Sends a form from an address. */
  const guess = (name: string, password: string, address: string) =>
    new Browser(tested.world).submit('/sign-in', { name, password }, { 'X-Forwarded-For': address });

  /** Makes the waits of all subjects end. */
  const endWaits = async (): Promise<void> => {
    await tested.world.dataSource.query('UPDATE sign_in_failures SET waits_until = 0');
    const attempts = tested.world.service(SignInAttemptsService) as unknown as {
      waits?: Map<string, number>;
    };
    attempts.waits?.clear();
  };

  it('has to wait after five failures for one name, from any address', async () => {
    for (let number = 1; number <= 5; number++) {
      expect((await guess(loginName, WRONG, `192.0.2.${number}`)).status).toBe(400);
    }
    const refused = await guess(loginName, PASSWORD, '192.0.2.99');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.text).toContain('Too many attempts. Try again in 1 second.');
    expect(refused.text).toContain(`value="${loginName}"`);
    await endWaits();
    expect((await guess(loginName, PASSWORD, '192.0.2.99')).status).toBe(303);
    expect((await guess(loginName, WRONG, '192.0.2.99')).status).toBe(400);
  });

  it('has to wait for names that nobody has, too', async () => {
    for (let number = 1; number <= 5; number++) await guess('nobody.here', WRONG, `198.51.100.${number}`);
    expect((await guess('nobody.here', WRONG, '198.51.100.6')).status).toBe(429);
  });

  it('has to wait after twenty failures from one address, for any name', async () => {
    for (let number = 1; number <= 20; number++) {
      expect((await guess(`nobody${number}`, WRONG, `2001:db8::${number}`)).status).toBe(400);
    }
    expect((await guess(loginName, PASSWORD, '2001:db8::ffff')).status).toBe(429);
    expect((await guess(loginName, PASSWORD, '2001:db8:0:1::1')).status).toBe(303);
  });

  it('costs the database nothing while the address has to wait', async () => {
    for (let number = 1; number <= 21; number++) await guess(`nobody${number}`, WRONG, '203.0.113.9');
    const statements = await allStatementsOf(tested.world, async () => {
      expect((await guess(loginName, PASSWORD, '203.0.113.9')).status).toBe(429);
    });
    expect(statements).toEqual([]);
  });

  it('does not reset the failures of an address by a success', async () => {
    for (let number = 1; number <= 19; number++) await guess(`other${number}`, WRONG, '203.0.113.7');
    expect((await guess(loginName, PASSWORD, '203.0.113.7')).status).toBe(303);
    expect((await guess('other20', WRONG, '203.0.113.7')).status).toBe(400);
    expect((await guess('other21', WRONG, '203.0.113.7')).status).toBe(429);
  });

  it('does not keep out users at an address from which they have signed in', async () => {
    const fields = { name: loginName, password: PASSWORD };
    const here = { 'X-Forwarded-For': '192.0.2.200' };
    expect((await new Browser(tested.world).submit('/sign-in', fields, here)).status).toBe(303);
    for (let number = 1; number <= 6; number++) await guess(loginName, WRONG, `198.51.100.10${number}`);
    expect((await guess(loginName, PASSWORD, '198.51.100.110')).status).toBe(429);
    expect((await new Browser(tested.world).submit('/sign-in', fields, here)).status).toBe(303);
  });

  it('does not keep out users at their address by guesses for a name that ends in it', async () => {
    const here = { 'X-Forwarded-For': '192.0.2.210' };
    const fields = { name: loginName, password: PASSWORD };
    expect((await new Browser(tested.world).submit('/sign-in', fields, here)).status).toBe(303);
    const name = `${loginName} at 192.0.2.210`;
    for (let number = 1; number <= 6; number++) await guess(name, WRONG, `198.51.100.12${number}`);
    expect((await new Browser(tested.world).submit('/sign-in', fields, here)).status).toBe(303);
  });

  it('does not keep out users who have signed in from another address of their IPv6 network', async () => {
    const fields = { name: loginName, password: PASSWORD };
    const from = (address: string): Promise<PageAnswer> =>
      new Browser(tested.world).submit('/sign-in', fields, { 'X-Forwarded-For': address });
    expect((await from('2001:db8:1::1')).status).toBe(303);
    for (let number = 1; number <= 6; number++) await guess(loginName, WRONG, `198.51.100.13${number}`);
    expect((await from('2001:db8:1:1::1')).status).toBe(429);
    expect((await from('2001:db8:1::2')).status).toBe(303);
  });

  it('counts the current password of a user who has signed in', async () => {
    const browser = await signedIn(tested.world, person.id);
    for (let number = 1; number <= 5; number++) {
      expect((await browser.submit('/sign-in/confirm', { password: WRONG })).status).toBe(400);
    }
    const change = await browser.submit('/account/password', {
      password: PASSWORD,
      newPassword: 'another good password',
    });
    expect(change.status).toBe(429);
    expect((await browser.open('/account')).status).toBe(200);
  });

  it('checks few of many guesses at the same time', async () => {
    const verify = vi.spyOn(tested.world.service(PasswordHasherService), 'verify');
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, number) => guess(loginName, WRONG, `203.0.113.${100 + (number % 50)}`)),
    );
    expect(verify.mock.calls.length).toBe(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(195);
  });

  it('checks at most 100 of 10,000 guesses for a name from 50 addresses', async () => {
    const attempts = tested.world.service(SignInAttemptsService);
    let checked = 0;
    const start = Date.now();
    const clock = vi.mocked(Date.now);
    for (let number = 0; number < 10_000; number++) {
      // Ten guesses a second, for a quarter of an hour.
      clock.mockReturnValue(start + number * 100);
      const attempt: Attempt = {
        name: 'guessed',
        address: `10.0.0.${number % 50}`,
        isKnownAddress: false,
      };
      try {
        await attempts.begin(attempt);
        checked++;
      } catch (error) {
        expect(error).toBeInstanceOf(TooManyRequestsError);
      }
    }
    expect(checked).toBeGreaterThan(5);
    expect(checked).toBeLessThanOrEqual(100);
  });

  it('is forgotten after a day', async () => {
    for (let number = 1; number <= 5; number++) await guess(loginName, WRONG, `192.0.2.${number}`);
    await tested.world.dataSource.query('UPDATE sign_in_failures SET expires = ?', [Date.now()]);
    await endWaits();
    expect((await guess(loginName, WRONG, '192.0.2.6')).status).toBe(400);
    expect((await guess(loginName, WRONG, '192.0.2.6')).status).toBe(400);
    await tested.world.dataSource.query('UPDATE sign_in_failures SET expires = ?', [Date.now()]);
    tested.world.startBackgroundWork();
    await tested.world.whenIdle();
    expect(await tested.world.dataSource.query('SELECT subject FROM sign_in_failures')).toEqual([]);
  });
});
