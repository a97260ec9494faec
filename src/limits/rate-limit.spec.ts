import { TooManyRequestsError } from '../errors/domain-errors';
import { RateLimit } from './rate-limit';

describe(RateLimit.name, () => {
  const countMany = async (limit: RateLimit, keys: Iterable<string>): Promise<void> => {
    for (const key of keys) await limit.count(key);
  };

  it('counts each key for itself, and says when there is room again', async () => {
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

  it('looks at no key while none is past the limit', () => {
    const key = vi.fn(() => 'a');
    expect(new RateLimit('read_rate', 1, 60).isExceeded(key)).toBe(false);
    expect(key).not.toHaveBeenCalled();
  });

  it('has no limit at 0', async () => {
    const limit = new RateLimit('read_rate', 0, 60);
    await countMany(limit, Array<string>(50).fill('a'));
    expect(limit.isExceeded(() => 'a')).toBe(false);
  });

  it('remembers a bounded number of keys, and forgets those of long ago', async () => {
    const limit = new RateLimit('read_rate', 1, 60);
    await limit.count('a');
    await countMany(
      limit,
      Array.from({ length: 10_000 }, (_, number) => `key ${number}`),
    );
    await limit.count('a');
  });
});
