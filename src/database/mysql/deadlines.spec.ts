import { Deadlines } from './deadlines';

describe(Deadlines.name, () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('expires a deadline once, shortly after its time', () => {
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

  it('does not expire a deadline that has ended or is infinite', () => {
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

  it('expires a deadline in the past at the next tick', () => {
    const deadlines = new Deadlines();
    const expire = vi.fn();
    deadlines.begin(-10, expire);
    vi.advanceTimersByTime(50);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('keeps a timer only while deadlines are open', () => {
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
