import { loopTurns } from '../../event-loop/loop-turns';
import { eachInTurns } from './in-turns';

const rowsOf = (...lengths: number[]): { text: string | null; id: number }[] =>
  lengths.map((length, id) => ({ id, text: 'x'.repeat(length) }));

describe('eachInTurns', () => {
  afterEach(() => vi.restoreAllMocks());

  it('works on short texts and other values at once', () => {
    const turn = vi.spyOn(loopTurns, 'nextSlice');
    const done: number[] = [];
    const rows = [...rowsOf(100_000, 100_000), { id: 2, text: null }];
    expect(eachInTurns(rows, 'text', ({ id }) => done.push(id))).toBeUndefined();
    expect(eachInTurns(rows, 'id', ({ id }) => done.push(id))).toBeUndefined();
    expect(done).toEqual([0, 1, 2, 0, 1, 2]);
    expect(turn).not.toHaveBeenCalled();
  });

  it('works on a single long text at once', () => {
    const work = vi.fn();
    expect(eachInTurns(rowsOf(1_000_000), 'text', work)).toBeUndefined();
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('gives other work a turn before each further row if the texts are long', async () => {
    const events: (number | string)[] = [];
    vi.spyOn(loopTurns, 'nextSlice').mockImplementation(() => {
      events.push('turn');
      return Promise.resolve();
    });
    await eachInTurns(rowsOf(200_000, 10, 100_000, 10), 'text', ({ id }) => events.push(id));
    expect(events).toEqual([0, 1, 'turn', 2, 'turn', 3]);
  });

  it('rejects if the work fails in a later turn', async () => {
    const rest = eachInTurns(rowsOf(300_000, 1), 'text', ({ id }) => {
      if (id === 1) throw new Error('no JSON');
    });
    await expect(rest).rejects.toThrow('no JSON');
  });
});
