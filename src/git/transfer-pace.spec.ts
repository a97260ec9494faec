import { TooSlowError, TransferPace } from './transfer-pace';

const SECOND = 1000;

describe(TransferPace.name, () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const make = (rate = 1000): TransferPace => new TransferPace({ GIT_MIN_RATE: rate, GIT_MIN_RATE_TIME: 30 });
  const never = new Promise<never>(() => undefined);
  const pass = (seconds: number): void => void vi.advanceTimersByTime(seconds * SECOND);

  it('fails after 30 seconds for a client that sends nothing', async () => {
    const pace = make();
    const waiting = expect(pace.during(never)).rejects.toThrow(TooSlowError);
    pass(29);
    expect(pace.hasFailed).toBe(false);
    pass(1);
    expect(pace.hasFailed).toBe(true);
    await waiting;
    await expect(pace.during(never)).rejects.toThrow('less than 1000 bytes per second for 30 seconds');
  });

  it('ignores the time in which git works', () => {
    const pace = make();
    for (let times = 0; times < 10; times++) {
      const end = pace.wait();
      pass(2);
      end();
      pass(3600);
    }
    expect(pace.hasFailed).toBe(false);
  });

  it('fails for a client that sends one byte every 8 seconds', () => {
    const pace = make();
    pace.wait();
    for (let times = 0; times < 4; times++) {
      pass(8);
      pace.count(1);
    }
    expect(pace.hasFailed).toBe(true);
  });

  it('accepts a client at exactly the minimum rate', () => {
    const pace = make();
    pace.wait();
    for (let times = 0; times < 1000; times++) {
      pass(8);
      pace.count(8000);
    }
    expect(pace.hasFailed).toBe(false);
  });

  it('ignores the earlier speed of a client', () => {
    const pace = make();
    pace.count(1_000_000_000);
    pace.count(0);
    pace.wait();
    pass(30);
    expect(pace.hasFailed).toBe(true);
  });

  it('counts simultaneous waits in both directions once', () => {
    const pace = make();
    const [end, endOther] = [pace.wait(), pace.wait()];
    pass(20);
    end();
    pass(9);
    endOther();
    expect(pace.hasFailed).toBe(false);
    pace.wait();
    pass(1);
    expect(pace.hasFailed).toBe(true);
  });

  it('accepts any rate without a minimum', async () => {
    const pace = make(0);
    pace.wait();
    pace.count(1);
    pass(3600);
    expect(pace.hasFailed).toBe(false);
    expect(await pace.during(Promise.resolve(1))).toBe(1);
  });
});
