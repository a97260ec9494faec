import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { LogSync, LogSyncError } from './log-sync';

type Done = (error: NodeJS.ErrnoException | null) => void;

describe('LogSync', () => {
  const folder = new TemporaryFolder();
  /** The syncs that have begun and not ended. */
  const syncs: Done[] = [];
  let log: LogSync;

  beforeEach(() => {
    fs.writeFileSync(folder.file('log'), 'x');
    syncs.length = 0;
    vi.spyOn(fs, 'fdatasync').mockImplementation((_, done) => void syncs.push(done));
    vi.spyOn(Logger.prototype, 'fatal').mockReturnValue();
    log = new LogSync(folder.file('log'), 100);
  });

  afterEach(async () => {
    for (const done of syncs.splice(0)) done(null);
    await log.close();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  afterAll(() => folder.remove());

  /** Ends the oldest sync. */
  const end = async (error: NodeJS.ErrnoException | null = null): Promise<void> => {
    syncs.shift()?.(error);
    await nextTurn();
  };

  it('syncs once for all commits made during another sync, and not before that has ended', async () => {
    const order: string[] = [];
    const commit = (name: string) => log.synced().then(() => order.push(name));
    const first = commit('first');
    await nextTurn();
    const others = Promise.all([commit('second'), commit('third')]);
    await nextTurn();
    expect(syncs).toHaveLength(1);
    await end();
    expect(order).toEqual(['first']);
    expect(syncs).toHaveLength(1);
    await end();
    expect(order).toEqual(['first', 'second', 'third']);
    await Promise.all([first, others]);
    expect(fs.fdatasync).toHaveBeenCalledTimes(2);
  });

  it('rejects the commits of a failed sync, and every later one', async () => {
    const commits = [log.synced(), log.synced()];
    await nextTurn();
    const later = log.synced();
    const results = Promise.allSettled([...commits, later]);
    await end(new Error('I/O error'));
    for (const { status } of await results) expect(status).toBe('rejected');
    await expect(log.synced()).rejects.toBeInstanceOf(LogSyncError);
    expect(() => log.refuseUnhealthy()).toThrow(LogSyncError);
    expect(log.isHealthy).toBe(false);
    expect(fs.fdatasync).toHaveBeenCalledTimes(1);
  });

  it('rejects commits whose sync hangs, starts no other sync, and recovers when it ends', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    await expect(log.synced()).rejects.toThrow('takes too long');
    await expect(log.synced()).rejects.toThrow('takes too long');
    expect(fs.fdatasync).toHaveBeenCalledTimes(1);
    now.mockReturnValue(2000);
    expect(log.isHealthy).toBe(false);
    await end();
    await end();
    expect(log.isHealthy).toBe(true);
    const commit = log.synced();
    await nextTurn();
    await end();
    await commit;
  });

  describe('with a commit that waits for a sync', () => {
    let commit: () => void;
    let made: Promise<void>;

    const begin = (): void => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      made = log.madeAfterSync(new Promise((resolve) => (commit = resolve)));
    };

    it('rejects it if the sync hangs', async () => {
      const synced = log.synced();
      await nextTurn();
      begin();
      vi.advanceTimersByTime(100);
      await expect(made).rejects.toThrow('takes too long');
      await end();
      await synced;
    });

    it('waits for a transaction that delays it after the sync', async () => {
      const synced = log.synced();
      await nextTurn();
      begin();
      await end();
      await synced;
      vi.advanceTimersByTime(1000);
      commit();
      await made;
    });
  });

  it('stops working while a sync of another file hangs, and for good if that fails', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    let fail: (error: Error) => void = () => undefined;
    const sync = log.watch(() => new Promise((_, reject) => (fail = reject)));
    expect(log.isHealthy).toBe(true);
    now.mockReturnValue(2000);
    expect(log.isHealthy).toBe(false);
    fail(new Error('I/O error'));
    await expect(sync).rejects.toBeInstanceOf(LogSyncError);
    await expect(log.synced()).rejects.toBeInstanceOf(LogSyncError);
    expect(log.isHealthy).toBe(false);
    expect(fs.fdatasync).not.toHaveBeenCalled();
  });
});
