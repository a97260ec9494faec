import { TooManyRequestsError } from '../errors/domain-errors';
import { RateLimit } from './rate-limit';

describe(RateLimit.name, () => {
  const countMany = async (limit: RateLimit, keys: Iterable<string>): Promise<void> => {
    for (const key of keys) await limit.count(key);
  };

  it('counts keys separately and reports when a refused key may retry', async () => {
    const limit = new RateLimit('read_rate', 2, 60);
    await countMany(limit, ['a', 'a', 'b']);
    expect(limit.isExceeded(() => 'a')).toBe(false);
    const error = (await limit.count('a').catch((reason: unknown) => reason)) as TooManyRequestsError;
    expect(error).toBeInstanceOf(TooManyRequestsError);
    expect(error).toMatchObject({ limit: 2, remaining: 0, retryAfter: 60 });
    expect(Math.abs(error.reset - (Date.now() / 1000 + 60))).toBeLessThan(3);
    expect([limit.isExceeded(() => 'a'), limit.isExceeded(() => 'b')]).toEqual([true, false]);
    await limit.count('b');
  });

  it('computes no key while none exceeds the limit', () => {
    const key = vi.fn(() => 'a');
    expect(new RateLimit('read_rate', 1, 60).isExceeded(key)).toBe(false);
    expect(key).not.toHaveBeenCalled();
  });

  it('allows any number of requests with a limit of 0', async () => {
    const limit = new RateLimit('read_rate', 0, 60);
    await countMany(limit, Array<string>(50).fill('a'));
    expect(limit.isExceeded(() => 'a')).toBe(false);
  });

  it('forgets the oldest of more than 10,000 keys', async () => {
    const limit = new RateLimit('read_rate', 1, 60);
    await limit.count('a');
    await countMany(
      limit,
      Array.from({ length: 10_000 }, (_, number) => `key ${number}`),
    );
    await limit.count('a');
  });
});
