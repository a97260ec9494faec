import { AttemptWriter } from './attempt-writer';
import { type Attempted, type DeliveryResult } from './delivery';

type Attempt = Attempted<string, number, DeliveryResult>;

const FAILED: Attempt = {
  delivery: 1,
  target: 'receiver',
  started: 0,
  duration: 0,
  result: { error: 'unreachable' },
};

describe(AttemptWriter.name, () => {
  let finished: number[];
  let released: number[];

  const writer = (): AttemptWriter<string, number, DeliveryResult> =>
    new AttemptWriter<string, number, DeliveryResult>(
      {
        finish: (attempts) => {
          finished.push(...attempts.map(({ delivery }) => delivery));
          return Promise.resolve(false);
        },
        release: (deliveries) => {
          released.push(...deliveries);
          return Promise.resolve();
        },
      },
      0,
    );

  beforeEach(() => {
    finished = [];
    released = [];
  });

  it('releases what is given back after an attempt whose write has begun', async () => {
    const tested = writer();
    tested.add(FAILED);
    tested.giveBack([2, 3]);
    await tested.settle();
    expect([finished, released]).toEqual([[1], [2, 3]]);
  });

  it('releases what is given back without an attempt', async () => {
    const tested = writer();
    tested.giveBack([2]);
    await tested.settle();
    expect([finished, released]).toEqual([[], [2]]);
  });

  it('says to its listener that what it has released may be due', async () => {
    const tested = writer();
    const listener = vi.fn();
    tested.onWritten(listener);
    tested.giveBack([2]);
    await tested.settle();
    expect(listener.mock.calls).toEqual([[true]]);
  });
});
