import { setImmediate } from 'node:timers/promises';
import { ServiceUnavailableError, TooManyRequestsError } from '../errors/domain-errors';
import { UserTurns, type UserTurnsLimits } from './user-turns';

describe(UserTurns.name, () => {
  const LIMITS: UserTurnsLimits = {
    name: 'searches',
    atOnce: 2,
    waiting: 5,
    waitingOfUser: 3,
    waitMs: 60_000,
  };
  const gone = new Error('gone');

  /** Searches that end when the test ends them. */
  class Office {
    readonly begun: string[] = [];
    private readonly ends = new Map<string, () => void>();
    private readonly turns: UserTurns;

    constructor(limits: Partial<UserTurnsLimits> = {}) {
      this.turns = new UserTurns({ ...LIMITS, ...limits });
    }

    /** @param name the user's number and a letter */
    ask(name: string, signal = new AbortController().signal): Promise<string> {
      const searcher = { userId: Number.parseInt(name, 10), signal };
      return this.turns.run(searcher, () => {
        this.begun.push(name);
        return new Promise((resolve) => this.ends.set(name, () => resolve(name)));
      });
    }

    async end(name: string): Promise<void> {
      this.ends.get(name)?.();
      await setImmediate();
    }
  }

  it('runs at most two searches at once and one per user', async () => {
    const office = new Office();
    const all = ['1a', '1b', '2a', '3a'].map((name) => office.ask(name));
    await setImmediate();
    expect(office.begun).toEqual(['1a', '2a']);
    await office.end('1a');
    expect(office.begun).toEqual(['1a', '2a', '1b']);
    await office.end('2a');
    expect(office.begun).toEqual(['1a', '2a', '1b', '3a']);
    await office.end('1b');
    await office.end('3a');
    expect(await Promise.all(all)).toEqual(['1a', '1b', '2a', '3a']);
  });

  it('alternates between waiting users', async () => {
    const office = new Office({ atOnce: 1 });
    const all = ['1a', '1b', '1c', '1d', '2a', '3a'].map((name) => office.ask(name));
    for (const name of ['1a', '1b', '2a', '3a', '1c', '1d']) await office.end(name);
    expect(office.begun).toEqual(['1a', '1b', '2a', '3a', '1c', '1d']);
    await Promise.all(all);
  });

  it('skips a waiting user who already runs a search', async () => {
    const office = new Office();
    const all = ['1a', '1b', '2a', '3a'].map((name) => office.ask(name));
    await setImmediate();
    await office.end('2a');
    expect(office.begun).toEqual(['1a', '2a', '3a']);
    for (const name of ['3a', '1a', '1b']) await office.end(name);
    await Promise.all(all);
  });

  it('refuses searches beyond the queue limits per user and in total', async () => {
    const office = new Office({ atOnce: 1 });
    void ['1a', '1b', '1c', '1d'].map((name) => office.ask(name));
    await expect(office.ask('1e')).rejects.toBeInstanceOf(TooManyRequestsError);
    void ['2a', '2b'].map((name) => office.ask(name));
    await expect(office.ask('2c')).rejects.toBeInstanceOf(ServiceUnavailableError);
    for (const name of ['1a', '1b', '2a', '1c', '2b', '1d']) await office.end(name);
    expect(office.begun).toEqual(['1a', '1b', '2a', '1c', '2b', '1d']);
  });

  it('refuses a search that has waited for the maximum time', async () => {
    const office = new Office({ atOnce: 1, waitMs: 1 });
    void office.ask('1a');
    await expect(office.ask('2a')).rejects.toBeInstanceOf(ServiceUnavailableError);
    await office.end('1a');
    expect(office.begun).toEqual(['1a']);
  });

  it('removes an aborted search from the queue', async () => {
    const office = new Office({ atOnce: 1, waitingOfUser: 1 });
    const controller = new AbortController();
    void office.ask('1a');
    const leaving = office.ask('2a', controller.signal);
    controller.abort(gone);
    await expect(leaving).rejects.toBe(gone);
    const staying = office.ask('2b');
    await office.end('1a');
    expect(office.begun).toEqual(['1a', '2b']);
    await office.end('2b');
    expect(await staying).toBe('2b');
    await expect(office.ask('2c', controller.signal)).rejects.toBe(gone);
  });

  it('keeps the place of an aborted search until that search has ended', async () => {
    const office = new Office({ atOnce: 1 });
    const controller = new AbortController();
    const leaving = office.ask('1a', controller.signal);
    const next = office.ask('2a');
    controller.abort(gone);
    await expect(leaving).rejects.toBe(gone);
    expect(office.begun).toEqual(['1a']);
    await office.end('1a');
    expect(office.begun).toEqual(['1a', '2a']);
    await office.end('2a');
    await next;
  });

  it('continues after a failed search', async () => {
    const turns = new UserTurns({ ...LIMITS, atOnce: 1 });
    const { signal } = new AbortController();
    const failing = turns.run({ userId: 1, signal }, () => Promise.reject(new Error('failed')));
    const next = turns.run({ userId: 1, signal }, () => Promise.resolve('found'));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('found');
  });
});
