import { Deadlines } from './deadlines';

describe(Deadlines.name, () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('expire once, not before their time and soon after it', () => {
    const deadlines = new Deadlines();
    const expire = jest.fn();
    const deadline = deadlines.begin(1000, expire);
    jest.advanceTimersByTime(1000);
    expect(expire).not.toHaveBeenCalled();
    jest.advanceTimersByTime(100);
    expect(expire).toHaveBeenCalledTimes(1);
    expect(deadlines.end(deadline)).toBe(false);
    jest.advanceTimersByTime(5000);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('do not expire when they are kept, or without a limit', () => {
    const deadlines = new Deadlines();
    const expire = jest.fn();
    const kept = deadlines.begin(1000, expire);
    const endless = deadlines.begin(Infinity, expire);
    jest.advanceTimersByTime(500);
    expect(deadlines.end(kept)).toBe(true);
    jest.advanceTimersByTime(100_000);
    expect(expire).not.toHaveBeenCalled();
    expect(deadlines.end(endless)).toBe(true);
  });

  it('expire at the next tick when their time is over already', () => {
    const deadlines = new Deadlines();
    const expire = jest.fn();
    deadlines.begin(-10, expire);
    jest.advanceTimersByTime(50);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  it('keep a timer only while there are any', () => {
    const deadlines = new Deadlines();
    deadlines.end(deadlines.begin(1000, jest.fn()));
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(50);
    expect(jest.getTimerCount()).toBe(0);
    deadlines.begin(10, jest.fn());
    jest.advanceTimersByTime(200);
    expect(jest.getTimerCount()).toBe(0);
  });
});
