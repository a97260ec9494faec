import { readEnvironment } from '../config/environment';
import { GitStore } from '../git/git-store';
import { RestoredRepositories } from './restored-repositories';

const MINUTE_MS = 60_000;

describe(RestoredRepositories.name, () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('keeps touching its folder each minute until it ends, also after a failure', () => {
    const touch = vi.spyOn(GitStore.prototype, 'touchRestore').mockImplementation(() => undefined);
    touch.mockImplementationOnce(() => {
      throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    });
    const end = new RestoredRepositories(readEnvironment({}), false).keepAlive();
    vi.advanceTimersByTime(3 * MINUTE_MS);
    expect(touch).toHaveBeenCalledTimes(3);
    end();
    vi.advanceTimersByTime(MINUTE_MS);
    expect(touch).toHaveBeenCalledTimes(3);
  });
});
