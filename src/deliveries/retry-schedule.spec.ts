import fc from 'fast-check';
import { Environment } from '../config/environment';
import { type FailedAttempt, retryDelay } from './retry-schedule';
import { DeliverySettings } from './delivery-settings';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-01-31T09:30:00Z');

const { retries: policy } = new DeliverySettings(new Environment());
const delayOf = (attempt: FailedAttempt, random = 0.5): number | undefined =>
  retryDelay(policy, attempt, NOW, () => random);

describe('the pause after a failed attempt', () => {
  it.each([
    [1, 5 * SECOND],
    [2, 5 * MINUTE],
    [3, 30 * MINUTE],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 14 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
  ])('has the documented length after attempt %d, varied by up to a fifth', (number, delay) => {
    expect(delayOf({ number })).toBe(delay);
    expect(delayOf({ number }, 0)).toBe(delay * 0.8);
    expect(delayOf({ number }, 1)).toBe(delay * 1.2);
  });

  it('spreads the attempts over 75 hours and 35 minutes', () => {
    const delays = Array.from({ length: 9 }, (_item, index) => delayOf({ number: index + 1 }) ?? NaN);
    const minutes = Math.floor(delays.reduce((sum, delay) => sum + delay) / MINUTE);
    expect(minutes).toBe(75 * 60 + 35);
  });

  it.each<[string, Partial<FailedAttempt>]>([
    ['the tenth attempt', {}],
    ['the tenth attempt with Retry-After', { retryAfter: '60' }],
    ['the tenth attempt with status 429', { status: 429 }],
  ])('is undefined after %s', (_what, attempt) => {
    expect(delayOf({ number: 10, ...attempt })).toBeUndefined();
  });

  it.each<[string, number]>([
    ['120', 2 * MINUTE],
    ['1', SECOND],
    ['0', SECOND],
    ['86400', DAY],
    ['86401', DAY],
    ['99999999999999999999', DAY],
    ['Sat, 31 Jan 2026 09:32:00 GMT', 2 * MINUTE],
    ['Sat, 31 Jan 2026 09:29:00 GMT', SECOND],
    ['Mon, 02 Feb 2026 09:30:01 GMT', DAY],
    ['Saturday, 31-Jan-26 09:32:00 GMT', 2 * MINUTE],
  ])('follows Retry-After %j, between a second and a day', (retryAfter, expected) => {
    expect(delayOf({ number: 3, retryAfter, status: 503 })).toBe(expected);
    expect(delayOf({ number: 3, retryAfter, status: 503 }, 0)).toBe(expected);
  });

  it.each(['', 'soon', '-1', '1.5', '5 seconds', 'Sat, 99 Foo 2026'])(
    'has the usual length for the invalid Retry-After %j',
    (retryAfter) => {
      expect(delayOf({ number: 2, retryAfter })).toBe(5 * MINUTE);
    },
  );

  it.each([429, 502, 504])('lasts at least a minute after status %d without Retry-After', (status) => {
    expect(delayOf({ number: 1, status })).toBe(MINUTE);
    expect(delayOf({ number: 2, status }, 0)).toBe(4 * MINUTE);
    expect(delayOf({ number: 1, status, retryAfter: '2' })).toBe(2 * SECOND);
  });

  it.each([400, 500, 503])('has the usual length after status %d', (status) => {
    expect(delayOf({ number: 1, status })).toBe(5 * SECOND);
  });

  it('is a whole number of milliseconds within its bounds, whatever the receiver sends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 100, max: 599 }),
        fc.option(fc.oneof(fc.string(), fc.nat().map(String), fc.date().map(String)), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (number, status, retryAfter, random) => {
          const delay = delayOf({ number, status, retryAfter }, random) as number;
          expect(Number.isSafeInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(SECOND);
          expect(delay).toBeLessThanOrEqual(DAY * 1.2);
        },
      ),
    );
  });
});
