import { Deadlines } from './deadlines';

describe(Deadlines.name, () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('expire once, not before their time and soon after it', () => {
    const deadlines = new Deadlines();
    const expire = vi.fn();
    const deadline = deadlines.begin(1000, expire);
    vi.advanceTimersByTime(1000);
    expect(expire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(expire).toHaveBeenCalledTimes(1);
    expect(deadlines.end(deadline)).toBe(false);
    vi.advanceTimersByTime(5000);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('do not expire when they are kept, or without a limit', () => {
    const deadlines = new Deadlines();
    const expire = vi.fn();
    const kept = deadlines.begin(1000, expire);
    const endless = deadlines.begin(Infinity, expire);
    vi.advanceTimersByTime(500);
    expect(deadlines.end(kept)).toBe(true);
    vi.advanceTimersByTime(100_000);
    expect(expire).not.toHaveBeenCalled();
    expect(deadlines.end(endless)).toBe(true);
  });

  it('expire at the next tick when their time is over already', () => {
    const deadlines = new Deadlines();
    const expire = vi.fn();
    deadlines.begin(-10, expire);
    vi.advanceTimersByTime(50);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('keep a timer only while there are any', () => {
    const deadlines = new Deadlines();
    deadlines.end(deadlines.begin(1000, vi.fn()));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(50);
    expect(vi.getTimerCount()).toBe(0);
    deadlines.begin(10, vi.fn());
    vi.advanceTimersByTime(200);
    expect(vi.getTimerCount()).toBe(0);
  });
});
