import { type Admitted, type Deferred, RecipientDomains } from './recipient-domains';

const TIMEOUT_MS = 40_000;
const QUICK = { duration: 100, now: 0 };

describe('the domains of recipients: the sender', () => {
  let domains: RecipientDomains;
  let now: number;

  beforeEach(() => {
    now = 1000;
    domains = new RecipientDomains({ timeout: TIMEOUT_MS, concurrency: 4, circuitPauses: [60_000, 120_000] });
  });

  const enter = (domain = 'slow.example'): Admitted | Deferred => domains.enter(domain, now);

  const admitted = (domain?: string): Admitted => {
    const admission = enter(domain);
    if ('until' in admission) throw new Error(`Deferred: ${admission.error}`);
    return admission;
  };

  const hang = (admission: Admitted, domain = 'slow.example'): void =>
    domains.leave(domain, admission, { hung: 'no answer' }, { duration: TIMEOUT_MS, now });

  it('gives a mail server a quarter of the time of an attempt to answer to a recipient', () => {
    expect(admitted()).toEqual({ recipientTimeout: 10_000, isTrial: false });
  });

  it('lets one letter try a domain that has hung, with all the time', () => {
    hang(admitted());
    expect(admitted()).toEqual({ recipientTimeout: TIMEOUT_MS, isTrial: true });
    expect(enter()).toEqual({ until: now + TIMEOUT_MS, error: 'no answer' });
    expect(admitted('other.example').isTrial).toBe(false);
  });

  it('pauses a domain for longer each time that a trial hangs', () => {
    hang(admitted());
    for (const pause of [60_000, 120_000, 120_000]) {
      hang(admitted());
      expect(enter()).toEqual({ until: now + pause, error: 'no answer' });
      now += pause;
    }
  });

  it('counts attempts that hang at the same time as one', () => {
    const attempts = [admitted(), admitted(), admitted()];
    for (const attempt of attempts) hang(attempt);
    expect(admitted().isTrial).toBe(true);
  });

  it('forgets a domain after an answer in time, and lets one letter at a time try it after a late one', () => {
    hang(admitted());
    hang(admitted());
    now += 60_000;
    domains.leave('slow.example', admitted(), 'answered', { duration: TIMEOUT_MS / 2, now });
    expect(admitted().isTrial).toBe(true);
    domains.leave('slow.example', { recipientTimeout: TIMEOUT_MS, isTrial: true }, 'answered', QUICK);
    expect(admitted().isTrial).toBe(false);
  });

  it('takes no attempt into account that did not get as far as the recipient', () => {
    hang(admitted());
    const trial = admitted();
    domains.leave('slow.example', trial, 'unasked', QUICK);
    expect(admitted().isTrial).toBe(true);
  });

  it('uses at most half of the connections for domains that hang', () => {
    const names = ['a.example', 'b.example', 'c.example'];
    for (const name of names) hang(admitted(name), name);
    const entered = names.map((name) => enter(name));
    expect(entered.filter((admission) => 'isTrial' in admission)).toHaveLength(2);
    expect(entered[2]).toEqual({ until: now + TIMEOUT_MS, error: 'no answer' });
  });

  it('forgets the domain that hung first when there are more than a thousand', () => {
    for (let number = 0; number <= 1000; number++) {
      const name = `${number}.example`;
      hang(admitted(name), name);
    }
    expect(admitted('0.example').isTrial).toBe(false);
    expect(admitted('1.example').isTrial).toBe(true);
  });
});
