import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopTurns } from './loop-turns';

describe(LoopTurns.name, () => {
  let now = 0;
  let turns: LoopTurns;
  let order: string[];

  beforeEach(() => {
    now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    turns = new LoopTurns();
    order = [];
    void turns.nextSlice();
  });
  afterEach(() => vi.restoreAllMocks());

  /** A request that blocks the loop for a number of milliseconds. */
  const request = async (userId: number, name: string, ms: number): Promise<void> => {
    const turn = turns.enter(userId);
    if (turn) await turn;
    order.push(name);
    now += ms;
  };

  it('begin at once while the turn is young, without a promise', () => {
    expect([turns.enter(1), turns.enter(1), turns.enter(2)]).toEqual([undefined, undefined, undefined]);
  });

  it('come one a turn of the loop to those that take long, users in turn', async () => {
    await request(1, '1a', 20);
    await Promise.all([request(1, '1b', 20), request(1, '1c', 20), request(2, '2a', 20)]);
    expect(order).toEqual(['1a', '1b', '2a', '1c']);
  });

  it('come as many a turn as its time allows, whatever the ones before took', async () => {
    const starts = Array.from({ length: 10 }, (_, index) => request(1, `${index}`, 2));
    const counts = [order.length];
    while (order.length < 10) {
      await nextTurn();
      counts.push(order.length);
    }
    expect(counts.filter((count, index) => count !== counts[index - 1])).toEqual([5, 10]);
    await Promise.all(starts);
  });

  it('leave the loop to everything else after a long one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await request(1, '1a', 60);
      const second = request(1, '1b', 1);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      vi.advanceTimersByTime(59);
      await nextTurn();
      expect(order).toEqual(['1a']);
      vi.advanceTimersByTime(1);
      await second;
      expect(order).toEqual(['1a', '1b']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('give work that goes on one slice a turn', async () => {
    const work = async (name: string): Promise<void> => {
      await turns.nextSlice();
      order.push(name);
    };
    await nextTurn();
    await nextTurn();
    void work('a');
    void work('b');
    const counts: number[] = [];
    while (order.length < 2) {
      await nextTurn();
      counts.push(order.length);
    }
    expect(counts.filter((count, index) => count !== counts[index - 1])).toEqual([1, 2]);
  });

  it('are not asked for while nothing takes long', async () => {
    turns = new LoopTurns();
    for (let index = 0; index < 10; index++) await request(1, `${index}`, 100);
    expect(order).toHaveLength(10);
  });

  it('are free again when nobody waits', async () => {
    await request(1, '1a', 1);
    await nextTurn();
    await nextTurn();
    now += 1000;
    expect(turns.enter(1)).toBeUndefined();
  });
});
