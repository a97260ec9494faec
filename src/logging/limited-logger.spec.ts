import { LimitedLogger } from './limited-logger';

describe(LimitedLogger.name, () => {
  const logger = { warn: vi.fn(), error: vi.fn() };

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
  });
  afterEach(() => vi.useRealTimers());

  it('logs a limited number of lines per window, then the number left out', () => {
    const limited = new LimitedLogger(logger, 2, 1000);
    for (let number = 1; number <= 1000; number++) limited.warn({ number }, 'Too much');
    expect(logger.warn.mock.calls).toEqual([
      [{ number: 1 }, 'Too much'],
      [{ number: 2 }, 'Too much'],
    ]);
    vi.advanceTimersByTime(1000);
    expect(logger.warn).toHaveBeenLastCalledWith(
      { leftOut: 998 },
      'Too much (998 more lines like this were suppressed)',
    );
    limited.error({}, 'Again');
    expect(logger.error).toHaveBeenCalledTimes(1);
  });

  it('logs no summary for a window within the limit, and keeps no timer', () => {
    const limited = new LimitedLogger(logger, 2, 1000);
    limited.warn({}, 'One');
    vi.advanceTimersByTime(5000);
    expect(logger.warn).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
