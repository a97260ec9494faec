import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopTurns } from './loop-turns';

describe(LoopTurns.name, () => {
  let now = 0;
  let turns: LoopTurns;
  let order: string[];

  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    turns = new LoopTurns();
    order = [];
  });
  afterEach(() => jest.restoreAllMocks());

  /** A request that holds the loop for some milliseconds. */
  const request = async (userId: number, name: string, ms: number): Promise<void> => {
    await turns.enter(userId);
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

  it('leave the loop to everything else after a long one', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance', 'nextTick', 'queueMicrotask'] });
    try {
      await request(1, '1a', 60);
      const second = request(1, '1b', 1);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      jest.advanceTimersByTime(59);
      await nextTurn();
      expect(order).toEqual(['1a']);
      jest.advanceTimersByTime(1);
      await second;
      expect(order).toEqual(['1a', '1b']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are free again when nobody waits', async () => {
    await request(1, '1a', 1);
    await nextTurn();
    await nextTurn();
    now += 1000;
    expect(turns.enter(1)).toBeUndefined();
  });
});
