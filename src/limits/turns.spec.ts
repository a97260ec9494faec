import { setTimeout as sleep } from 'node:timers/promises';
import { Turns, type TurnsOptions } from './turns';

describe(Turns.name, () => {
  const make = (options: Partial<TurnsOptions> = {}): Turns<string> =>
    new Turns({
      atOnce: 2,
      maxWaiting: 2,
      maxWaitMs: 60_000,
      refusal: () => new Error('Refused.'),
      ...options,
    });

  it('grants turns below the limit of a key immediately, without a promise', () => {
    const turns = make();
    expect([turns.take('a'), turns.take('a'), turns.take('b')]).toEqual([undefined, undefined, undefined]);
  });

  it('admits the waiters of a key in the order of arrival', async () => {
    const turns = make();
    const order: string[] = [];
    void turns.take('a');
    void turns.take('a');
    const first = turns.take('a')?.then(() => order.push('first'));
    const second = turns.take('a')?.then(() => order.push('second'));
    expect(turns.take('b')).toBeUndefined();
    turns.release('a');
    await first;
    expect(order).toEqual(['first']);
    turns.release('a');
    await second;
    expect(order).toEqual(['first', 'second']);
  });

  it('grants released turns again, but no more than the limit', async () => {
    const turns = make();
    void turns.take('a');
    void turns.take('a');
    const waiting = turns.take('a');
    turns.release('a');
    await waiting;
    turns.release('a');
    turns.release('a');
    expect([turns.take('a'), turns.take('a')]).toEqual([undefined, undefined]);
    const next = turns.take('a');
    turns.release('a');
    await next;
  });

  it('refuses immediately when too many are waiting', async () => {
    const turns = make();
    const taken = Promise.all(Array.from({ length: 4 }, async () => turns.take('a')));
    expect(() => turns.take('a')).toThrow('Refused.');
    for (let count = 0; count < 4; count++) turns.release('a');
    await taken;
  });

  it('refuses a waiter after the maximum wait and frees its place', async () => {
    const turns = make({ maxWaitMs: 5, maxWaiting: 1 });
    void turns.take('a');
    void turns.take('a');
    await expect(turns.take('a')).rejects.toThrow('Refused.');
    // The place in the queue is free again.
    await expect(turns.take('a')).rejects.toThrow('Refused.');
    turns.release('a');
    expect(turns.take('a')).toBeUndefined();
  });

  it('removes an aborted waiter from the queue', async () => {
    const turns = make({ maxWaiting: 1 });
    void turns.take('a');
    void turns.take('a');
    const gone = new AbortController();
    const left = turns.take('a', () => gone.signal);
    gone.abort(new Error('Gone.'));
    await expect(left).rejects.toThrow('Gone.');
    await expect(turns.take('a', () => gone.signal)).rejects.toThrow('Gone.');
    const next = turns.take('a');
    turns.release('a');
    await next;
  });

  it('grants any number of turns with a limit of 0', () => {
    const turns = make({ atOnce: 0 });
    for (let count = 0; count < 10; count++) expect(turns.take('a')).toBeUndefined();
    turns.release('a');
  });

  it('releases the turn when the work succeeds or fails', async () => {
    const turns = make({ atOnce: 1 });
    let running = 0;
    const work = async (fails: boolean): Promise<void> => {
      expect(++running).toBe(1);
      await sleep(1);
      running--;
      if (fails) throw new Error('Failed.');
    };
    const runs = [true, false, true].map((fails) => turns.run('a', () => work(fails)));
    const results = await Promise.allSettled(runs);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(turns.take('a')).toBeUndefined();
  });
});
