import { isSignInName } from '../users/dto/user-fields';
import { repositoryNames, toRepositoryName, toUserId } from './names';

describe(toRepositoryName.name, () => {
  it.each([
    ['my-app', 'my-app'],
    ['.github', 'github'],
    ['2048', 'repo-2048'],
    ['tool.git', 'tool'],
    ['tool.git.git', 'tool'],
    ['...', 'repo'],
    ['x'.repeat(200), 'x'.repeat(100)],
    [`${'x'.repeat(96)}.git`, 'x'.repeat(96)],
    ['7'.repeat(100), `repo-${'7'.repeat(95)}`],
  ])('returns a name for %j', (name, expected) => {
    expect(toRepositoryName(name)).toBe(expected);
    expect(expected).toMatch(/^(?![0-9]+$)(?!.*\.git$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/);
  });
});

describe(repositoryNames.name, () => {
  const named = (...names: string[]) => names.map((name, index) => ({ id: index + 1, name }));

  it.each<[string[], string[]]>([
    [
      ['2024', 'repo-2024'],
      ['repo-2024-2', 'repo-2024'],
    ],
    [
      ['repo-2024', '2024', 'repo-2024-2', '.git', '...'],
      ['repo-2024', 'repo-2024-3', 'repo-2024-2', 'git', 'repo'],
    ],
    [
      ['a b', 'a+b', 'a-b'],
      ['a-b-2', 'a-b-3', 'a-b'],
    ],
    [
      ['7'.repeat(100), `repo-${'7'.repeat(95)}`],
      [`repo-${'7'.repeat(93)}-2`, `repo-${'7'.repeat(95)}`],
    ],
  ])('gives each of %j a name of its own', (names, expected) => {
    const repositories = named(...names);
    const found = repositoryNames(repositories);
    expect(repositories.map(({ id }) => found.get(id))).toEqual(expected);
    expect(repositoryNames(repositories.toReversed())).toEqual(found);
  });
});

describe(toUserId.name, () => {
  it.each([
    ['ada', 'ada'],
    ['build[bot]', 'build-bot'],
    ['_ada_', 'ada_'],
    ['ädä', 'd'],
    ['[]', 'user-7'],
    ['x'.repeat(300), 'x'.repeat(200)],
  ])('returns a name to sign in by for %j', (login, userId) => {
    expect(toUserId(login, 7)).toBe(userId);
    expect(isSignInName(userId)).toBe(true);
  });
});
