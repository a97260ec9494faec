import { repositoryKey } from './repository-key';

describe(repositoryKey.name, () => {
  const keyOf = (projects?: string[], given: [string, string][] = []): string =>
    repositoryKey('github:o/my-app', 'o/my-app', { projects, projectKeys: new Map(given) });

  it('returns a key of the name of the repository', () => {
    expect([keyOf(), keyOf(['my-app']), keyOf(['MY_APP'])]).toEqual(['MY_APP', 'MY_APP', 'MY_APP']);
  });

  it.each(['my-app', 'MY_APP'])('returns the key that is given to %s', (name) => {
    expect(keyOf([name], [[name, 'APP']])).toBe('APP');
  });

  it('refuses another project', () => {
    expect(() => keyOf(['my-app', 'other'])).toThrow(/is the project MY_APP/);
  });

  it('refuses a key that is not valid', () => {
    expect(() => keyOf(['my-app'], [['my-app', 'app']])).toThrow(/my-app:app has no valid key/);
  });
});
