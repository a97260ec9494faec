import { ExclusiveLock, LockTimeoutError } from './exclusive-lock';

describe(ExclusiveLock.name, () => {
  it('grants one holder at a time, in the order of requests', async () => {
    const lock = new ExclusiveLock(1000);
    const events: string[] = [];
    await Promise.all(
      [1, 2, 3, 4].map(async (caller) => {
        await lock.acquire();
        events.push(`${caller} in`);
        await Promise.resolve();
        events.push(`${caller} out`);
        lock.release();
      }),
    );
    expect(events).toEqual(['1 in', '1 out', '2 in', '2 out', '3 in', '3 out', '4 in', '4 out']);
  });

  it('grants a released lock to the waiter before a newcomer', async () => {
    const lock = new ExclusiveLock(1000);
    const order: string[] = [];
    await lock.acquire();
    const waiter = lock.acquire().then(() => order.push('waiter'));
    lock.release();
    const newcomer = lock.acquire().then(() => order.push('newcomer'));
    await waiter;
    expect(order).toEqual(['waiter']);
    lock.release();
    await newcomer;
    expect(order).toEqual(['waiter', 'newcomer']);
  });

  describe('when it is not released in time', () => {
    beforeEach(() => vi.useFakeTimers());
    afterEach(() => vi.useRealTimers());

    it('refuses each waiter with SQLITE_BUSY after its own timeout', async () => {
      const lock = new ExclusiveLock(100);
      await lock.acquire();
      const first = lock.acquire();
      const refused = expect(first).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
      vi.advanceTimersByTime(60);
      const granted = vi.fn();
      const second = lock.acquire().then(granted);
      vi.advanceTimersByTime(40);
      await refused;
      await expect(first).rejects.toBeInstanceOf(LockTimeoutError);
      expect(granted).not.toHaveBeenCalled();
      lock.release();
      await second;
      expect(granted).toHaveBeenCalled();
    });

    it('becomes free when released after every waiter has timed out', async () => {
      const lock = new ExclusiveLock(100);
      await lock.acquire();
      const waiters = Promise.allSettled([lock.acquire(), lock.acquire()]);
      vi.advanceTimersByTime(100);
      expect((await waiters).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      lock.release();
      await expect(lock.acquire()).resolves.toBeUndefined();
    });

    it('leaves a granted lock with its holder after the timeout', async () => {
      const lock = new ExclusiveLock(100);
      await lock.acquire();
      const waiter = lock.acquire();
      lock.release();
      vi.advanceTimersByTime(1000);
      await expect(waiter).resolves.toBeUndefined();
    });
  });
});
