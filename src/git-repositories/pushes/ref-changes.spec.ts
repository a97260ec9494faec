import { BRANCHES, NO_HASH } from '../refs/ref-names';
import { findAdoptedBranch, findRefChanges } from './ref-changes';

const MAIN = 'refs/heads/main';

/** `ab` is a push of the branch from the commit `a` to the commit `b`; `0` stands for no commit. */
const changesOf = (recorded: string, present: string, ...pushes: string[]): string[] => {
  const toHash = (letter = '0'): string => (letter === '0' ? NO_HASH : letter);
  const toRefs = (letter: string): Map<string, string> => new Map(letter === '0' ? [] : [[MAIN, letter]]);
  const changes = findRefChanges(
    toRefs(recorded),
    toRefs(present),
    pushes.map(([oldHash, newHash], index) => ({
      id: index + 1,
      updates: [{ ref: MAIN, oldHash: toHash(oldHash), newHash: toHash(newHash) }],
    })),
  );
  return changes.map(
    ({ oldHash, newHash, pushId }) =>
      `${pushId ?? '-'}:${oldHash === NO_HASH ? '0' : oldHash}${newHash === NO_HASH ? '0' : newHash}`,
  );
};

describe('the search for ref changes', () => {
  it.each([
    ['no change of an unchanged branch', changesOf('a', 'a'), []],
    ['one push', changesOf('a', 'b', 'ab'), ['1:ab']],
    ['two pushes', changesOf('a', 'c', 'ab', 'bc'), ['1:ab', '2:bc']],
    ['two pushes announced in reverse order', changesOf('a', 'c', 'bc', 'ab'), ['2:ab', '1:bc']],
    ['the accepted one of several competing pushes', changesOf('a', 'c', 'ab', 'ac', 'ad'), ['2:ac']],
    ['one change for a push announced twice', changesOf('a', 'b', 'ab', 'ab'), ['1:ab']],
    ['no change for a rejected push', changesOf('a', 'a', 'ab'), []],
    ['the accepted one of two successive pushes', changesOf('a', 'b', 'ab', 'bc'), ['1:ab']],
    ['a push and its reversal', changesOf('a', 'a', 'ab', 'ba'), ['1:ab', '2:ba']],
    [
      'the creation, deletion and recreation of a branch',
      changesOf('0', 'b', '0a', 'a0', '0b'),
      ['1:0a', '2:a0', '3:0b'],
    ],
    ['the creation and deletion of a branch', changesOf('0', '0', '0a', 'a0'), ['1:0a', '2:a0']],
    ['a manual change', changesOf('a', 'b'), ['-:ab']],
    ['a manual change beside a rejected push', changesOf('a', 'b', 'ac'), ['-:ab']],
    ['a manual change followed by a push', changesOf('a', 'c', 'bc'), ['-:ab', '1:bc']],
    ['no change for a push of the same commit', changesOf('a', 'a', 'aa'), []],
  ])('finds %s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('finds the 1,000 changes of one push in their order', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `refs/tags/${index}`);
    const updates = names.map((ref) => ({ ref, oldHash: NO_HASH, newHash: 'a' }));
    const present = new Map(names.map((name) => [name, 'a']));
    const changes = findRefChanges(new Map(), present, [{ id: 1, updates }]);
    expect(changes.map(({ ref, index }) => [ref, index])).toEqual(names.map((name, index) => [name, index]));
  });

  it('finds a path from the recorded to the present hash among 400 updates', () => {
    const letters = [...'abcdefghijklmnopqrst'];
    const tangle = letters.flatMap((one) => letters.map((other) => one + other));
    const changes = changesOf('a', 't', ...tangle);
    expect(changes[0]).toMatch(/:a/);
    expect(changes.at(-1)).toMatch(/t$/);
  });
});

describe(findAdoptedBranch.name, () => {
  it.each([
    ['the only branch if it is new', ['trunk'], 'trunk', 'trunk'],
    ['the only branch with a slash in its name', ['a/b'], 'a/b', 'a/b'],
    ['no branch if there are others', ['next', 'trunk'], 'trunk', undefined],
    ['no branch if the default branch exists', ['main', 'trunk'], 'trunk', undefined],
    ['no branch if the only one is the default branch', ['main'], 'main', undefined],
    ['no branch if the only one is not new', ['trunk'], 'gone', undefined],
    ['no branch if the repository has none', [], 'trunk', undefined],
  ])('returns %s', (_, present, made, expected) => {
    const refs = [...present.map((name) => BRANCHES + name), 'refs/tags/v1'];
    const change = { ref: BRANCHES + made, oldHash: NO_HASH, newHash: 'a', pushId: 1, index: 0 };
    expect(findAdoptedBranch('main', new Map(refs.map((ref) => [ref, 'a'])), [change])).toBe(expected);
  });
});
