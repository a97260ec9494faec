import { Allowances } from './allowances';

const HOUR = 3600;

describe(Allowances.name, () => {
  const waitAfter = (headers: Record<string, string>): unknown => {
    const allowances = new Allowances(['key'], () => 0);
    allowances.note('key', 'read', 429, headers);
    return allowances.take('read');
  };

  it.each([
    ['until the window ends, if no requests remain', { remaining: 0, reset: HOUR }, HOUR],
    ['until the window ends, if it does not say how many remain', { reset: HOUR }, HOUR],
    ['for a minute, if requests remain', { remaining: 9, reset: HOUR }, 60],
    ['until the window ends, if that is sooner', { remaining: 9, reset: 5 }, 5],
  ])('waits after a refusal %s', (_what, limits, seconds) => {
    const headers = Object.entries(limits).map(([name, value]) => [`x-ratelimit-${name}`, String(value)]);
    expect(waitAfter(Object.fromEntries(headers) as Record<string, string>)).toEqual({
      waitMs: seconds * 1000,
    });
  });
});
