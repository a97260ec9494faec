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
    turns.noteLongWork();
  });
  afterEach(() => vi.restoreAllMocks());

  /** A request that blocks the loop for a number of milliseconds. */
  const request = async (userId: number, name: string, ms: number): Promise<void> => {
    const turn = turns.enter(userId);
    if (turn) await turn;
    order.push(name);
    now += ms;
  };

  it('returns no promise while the turn has time left', () => {
    expect([turns.enter(1), turns.enter(1), turns.enter(2)]).toEqual([undefined, undefined, undefined]);
  });

  it('alternates between users when requests take long', async () => {
    await request(1, '1a', 20);
    await Promise.all([request(1, '1b', 20), request(1, '1c', 20), request(2, '2a', 20)]);
    expect(order).toEqual(['1a', '1b', '2a', '1c']);
  });

  it('starts as many requests in a turn as its time allows', async () => {
    const starts = Array.from({ length: 10 }, (_, index) => request(1, `${index}`, 1));
    const counts = [order.length];
    while (order.length < 10) {
      await nextTurn();
      counts.push(order.length);
    }
    expect(counts.filter((count, index) => count !== counts[index - 1])).toEqual([5, 10]);
    await Promise.all(starts);
  });

  it('delays the next request by the duration of a long one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    turns = new LoopTurns({ setImmediate, setTimeout });
    turns.noteLongWork();
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

  /** Work of some steps that never waits for anything else, each of which takes a number of milliseconds. */
  const work = async (name: string, steps: number, ms: number): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      const pause = turns.pause();
      if (pause) await pause;
      order.push(name);
      now += ms;
    }
  };

  /** Records the number of steps so far in each turn of the loop while work goes on. */
  const countsDuring = async (start: () => Promise<unknown>): Promise<number[]> => {
    const counts: number[] = [];
    let isOver = false;
    const count = (): void => {
      if (isOver) return;
      counts.push(order.length);
      setImmediate(count);
    };
    setImmediate(count);
    await start();
    isOver = true;
    return counts.filter((steps, index) => steps !== counts[index - 1]);
  };

  it('yields to the event loop between the steps of work that never waits', async () => {
    expect(await countsDuring(() => work('a', 10, 2))).toEqual([3, 6, 9]);
  });

  it('alternates between pieces of work whose steps each take a whole turn', async () => {
    await Promise.all([work('a', 3, 5), work('b', 3, 5)]);
    expect(order).toEqual(['a', 'a', 'b', 'a', 'b', 'b']);
  });

  it('runs steps of several pieces of work in one turn as time allows', async () => {
    const counts = await countsDuring(() =>
      Promise.all([work('a', 1, 5), ...'bcdef'.split('').map((name) => work(name, 1, 1.5))]),
    );
    expect(order.join('')).toBe('abcdef');
    expect(counts).toEqual([1, 5]);
  });

  it('prioritizes work that blocks others, without starving the rest', async () => {
    const hold = async (): Promise<void> => {
      for (let step = 0; step < 20; step++) {
        await turns.pause(true);
        order.push('held');
        now += 1;
      }
    };
    await request(1, 'first', 10);
    const others = Array.from({ length: 200 }, () => work('read', 1, 10));
    await hold();
    expect(order.filter((name) => name === 'read').length).toBeGreaterThan(0);
    expect(order.filter((name) => name === 'read').length).toBeLessThan(5);
    await Promise.all(others);
  });

  it('alternates between requests and work', async () => {
    await request(1, 'first', 10);
    await Promise.all([work('work', 3, 10), ...['a', 'b', 'c'].map((name) => request(1, name, 10))]);
    expect(order).toEqual(['first', 'a', 'work', 'b', 'work', 'c', 'work']);
  });

  /** Work in the background whose steps each take a millisecond. */
  const background = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      const pause = turns.pauseInBackground();
      if (pause) await pause;
      order.push('background');
      now += 1;
    }
  };

  it('gives background work a third of the time while others need the loop', async () => {
    let isDone = false;
    const load = (): void => {
      if (isDone) return;
      order.push('other');
      now += 2;
      setImmediate(load);
    };
    setImmediate(load);
    await background(100);
    isDone = true;
    const busy = order.filter((name) => name === 'other').length * 2;
    expect(busy).toBeGreaterThanOrEqual(2 * 95);
    expect(busy).toBeLessThan(3 * 100);
  });

  it('gives background work the whole time while nobody else needs the loop', async () => {
    expect(await countsDuring(() => background(10))).toEqual([5]);
    expect(order).toHaveLength(10);
  });

  it('continues after a long request while a test uses fake timers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await request(1, '1a', 60);
      await request(1, '1b', 1);
      expect(order).toEqual(['1a', '1b']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('skips the delay after a long step while there are no requests', async () => {
    // A rest would never end.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    turns = new LoopTurns({ setImmediate, setTimeout });
    try {
      await work('a', 2, 60);
      expect(order).toEqual(['a', 'a']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reports a slice as over after 5 ms', async () => {
    await turns.nextSlice();
    now += 4;
    expect(turns.isOver()).toBe(false);
    now += 1;
    expect(turns.isOver()).toBe(true);
  });

  it('runs requests while no long work has been noted', async () => {
    turns = new LoopTurns();
    for (let index = 0; index < 10; index++) await request(1, `${index}`, 100);
    expect(order).toHaveLength(10);
  });

  it('returns no promise again once nothing waits', async () => {
    await request(1, '1a', 1);
    await nextTurn();
    await nextTurn();
    now += 1000;
    expect(turns.enter(1)).toBeUndefined();
  });
});
