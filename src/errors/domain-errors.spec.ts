import { Environment } from '../config/environment';
import { LIMIT_NAMES, LIMIT_SETTINGS, TooManyRequestsError } from './domain-errors';

describe(TooManyRequestsError.name, () => {
  it('names a setting that exists, or none, for every limit', () => {
    const settings = Object.keys(new Environment());
    expect(Object.keys(LIMIT_SETTINGS)).toEqual([...LIMIT_NAMES]);
    for (const setting of Object.values(LIMIT_SETTINGS)) {
      if (setting !== null) expect(settings).toContain(setting);
    }
  });

  it('names the setting that was reached, where a limit has several', () => {
    const usual = TooManyRequestsError.after('git_processes', 4, 1000);
    expect(usual.details).toEqual({ limit: 'git_processes', setting: 'GIT_PROCESSES_PER_USER', most: 4 });
    const total = TooManyRequestsError.after('git_processes', 16, 1000, 'GIT_PROCESSES');
    expect(total.details).toEqual({ limit: 'git_processes', setting: 'GIT_PROCESSES', most: 16 });
    expect(TooManyRequestsError.after('git_processes', 1, 1000, null).details.setting).toBeNull();
  });
});
