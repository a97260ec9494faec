import { FirstLinesLogger } from './first-lines-logger';

describe(FirstLinesLogger.name, () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('logs the first line of each key, however many lines another one has', () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const lines = new FirstLinesLogger(logger);
    for (let number = 0; number < 1000; number++) lines.warn('busy', { number }, 'Too much');
    lines.warn('rare', { number: 0 }, 'Too much');
    const logged = logger.warn.mock.calls.map(([details]) => (details as { number: number }).number);
    expect(logged).toEqual([...Array(21).keys(), 0]);
  });

  it('logs a bounded number of lines for any number of keys', () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const lines = new FirstLinesLogger(logger);
    for (let number = 0; number < 10_000; number++) lines.warn(String(number), {}, 'Too much');
    expect(logger.warn).toHaveBeenCalledTimes(200);
  });
});
