import { PROJECT_KEY } from '../projects/project-key';
import { projectKeys, toProjectKey } from './project-keys';

describe(toProjectKey.name, () => {
  it.each([
    ['my-app', 'MY_APP'],
    ['.github', 'GITHUB'],
    ['2048', 'P2048'],
    ['a.very-long-name-of-a-repository', 'A_VERY_LONG_NAME_OF_A_REP'],
    ['twenty-four-characters--x', 'TWENTY_FOUR_CHARACTERS__X'],
    ['Straße', 'STRASSE'],
    ['---', 'P'],
    ['', 'P'],
  ])('returns a key for %j', (name, key) => {
    expect(toProjectKey(name)).toBe(key);
    expect(key).toMatch(PROJECT_KEY);
    expect(toProjectKey(key)).toBe(key);
  });
});

describe(projectKeys.name, () => {
  const keysOf = (identifiers: string[], given: [string, string][] = []): string[] => [
    ...projectKeys(identifiers, new Map(given)).values(),
  ];

  it.each([
    [
      ['my-app', 'old_tools', 'web2'],
      ['MY_APP', 'OLD_TOOLS', 'WEB2'],
    ],
    [
      ['3d-tools', '_x', '-'],
      ['P3D_TOOLS', 'X', 'P'],
    ],
    [
      ['a-b', 'a_b', 'a--b'],
      ['A_B', 'A_B_2', 'A__B'],
    ],
    [
      ['x'.repeat(100), 'x'.repeat(99)],
      ['X'.repeat(25), `${'X'.repeat(23)}_2`],
    ],
  ])('returns the keys of %j', (identifiers, keys) => {
    expect(keysOf(identifiers)).toEqual(keys);
  });

  it('returns the keys that are given, and gives them to no other project', () => {
    expect(keysOf(['web', 'app'], [['app', 'WEB']])).toEqual(['WEB_2', 'WEB']);
  });

  it.each([
    [[['app', 'my-app']], /app:my-app has no valid key/],
    [[['app', '1']], /has no valid key/],
    [
      [
        ['app', 'A'],
        ['web', 'A'],
      ],
      /cannot have the same key A/,
    ],
  ] as [[string, string][], RegExp][])('refuses %j', (given, sentence) => {
    expect(() => keysOf(['app', 'web'], given)).toThrow(sentence);
  });
});
