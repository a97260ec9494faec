import { SharedTurns, type SharedTurnsOptions } from './shared-turns';

describe(SharedTurns.name, () => {
  const make = (options: Partial<SharedTurnsOptions> = {}): SharedTurns<string> =>
    new SharedTurns({
      atOnce: 8,
      perKey: 4,
      maxWaiting: 2,
      maxWaitMs: 60_000,
      refusal: (limit) => new Error(`Refused: ${limit}.`),
      ...options,
    });
  const takeAll = (turns: SharedTurns<string>, keys: string): (Promise<void> | undefined)[] =>
    [...keys].map((key) => turns.take(key));

  it('grants a key its whole share immediately, without a promise', () => {
    expect(takeAll(make(), 'aaaa')).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('makes a key above its share wait even while turns are free', async () => {
    const turns = make();
    const [, , , , fifth] = takeAll(turns, 'aaaaa');
    expect(fifth).toBeInstanceOf(Promise);
    turns.release('a');
    await fifth;
  });

  it('reserves half of all turns for keys that have none', async () => {
    const turns = make();
    // Two first turns, and four that go beyond.
    expect(takeAll(turns, 'aaaabb')).not.toContainEqual(expect.any(Promise));
    const further = turns.take('b');
    expect(further).toBeInstanceOf(Promise);
    expect(takeAll(turns, 'cd')).toEqual([undefined, undefined]);
    const full = turns.take('e');
    expect(full).toBeInstanceOf(Promise);
    turns.release('a');
    await further;
    turns.release('c');
    await full;
  });

  it('passes the released first turn of a key to its next waiter', async () => {
    const turns = make({ atOnce: 4 });
    void takeAll(turns, 'aaa');
    expect(turns.take('b')).toBeUndefined();
    const waiting = turns.take('b');
    turns.release('b');
    await waiting;
  });

  it('admits waiters in the order of arrival', async () => {
    const turns = make({ atOnce: 1 });
    void turns.take('a');
    const order: string[] = [];
    const others = ['b', 'c', 'd'].map((key) => turns.take(key)?.then(() => order.push(key)));
    turns.release('a');
    await others[0];
    turns.release('b');
    await others[1];
    turns.release('c');
    await others[2];
    expect(order).toEqual(['b', 'c', 'd']);
  });

  it('refuses a key whose queue is full, but no other key', async () => {
    const turns = make({ perKey: 1 });
    void turns.take('a');
    const waiting = [turns.take('a'), turns.take('a')];
    expect(() => turns.take('a')).toThrow('Refused: perKey.');
    expect(turns.take('b')).toBeUndefined();
    turns.release('a');
    await waiting[0];
    turns.release('a');
    await waiting[1];
  });

  it('names the limit of all keys when refusing a key within its share', async () => {
    const turns = make({ atOnce: 2, maxWaiting: 0 });
    void takeAll(turns, 'ab');
    expect(() => turns.take('a')).toThrow('Refused: atOnce.');
    expect(() => turns.take('c')).toThrow('Refused: atOnce.');
    const late = make({ atOnce: 1, maxWaitMs: 1 });
    void late.take('a');
    await expect(late.take('b')).rejects.toThrow('Refused: atOnce.');
  });

  it('refuses a key whose shared queue is full of other keys', async () => {
    const turns = make({ atOnce: 1 });
    void turns.take('a');
    const queue = { name: 'queue', maxWaiting: 2 };
    const waiting = ['b', 'c'].map((key) => turns.take(key, { queue }));
    expect(() => turns.take('d', { queue })).toThrow('Refused: atOnce.');
    const other = turns.take('e');
    turns.release('a');
    await waiting[0];
    turns.release('b');
    await waiting[1];
    turns.release('c');
    await other;
  });

  it('refuses after the maximum wait, and forgets a waiter that has left', async () => {
    await expect(make({ perKey: 0, maxWaitMs: 1 }).take('a')).rejects.toThrow('Refused: perKey.');
    const turns = make({ perKey: 1, maxWaiting: 1 });
    void turns.take('a');
    const gone = new AbortController();
    const waiting = turns.take('a', { gone: gone.signal });
    gone.abort(new Error('Gone.'));
    await expect(waiting).rejects.toThrow('Gone.');
    const next = turns.take('a');
    turns.release('a');
    await next;
    turns.release('a');
    expect(turns.take('a')).toBeUndefined();
  });
});
