import { BRANCHES, NO_HASH } from '../refs/git-refs.service';
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

describe('changes of refs', () => {
  it.each([
    ['nothing', changesOf('a', 'a'), []],
    ['one push', changesOf('a', 'b', 'ab'), ['1:ab']],
    ['two pushes', changesOf('a', 'c', 'ab', 'bc'), ['1:ab', '2:bc']],
    ['two pushes, the second announced first', changesOf('a', 'c', 'bc', 'ab'), ['2:ab', '1:bc']],
    ['one of several that wanted the same', changesOf('a', 'c', 'ab', 'ac', 'ad'), ['2:ac']],
    ['the same announced twice', changesOf('a', 'b', 'ab', 'ab'), ['1:ab']],
    ['a push that has not happened', changesOf('a', 'a', 'ab'), []],
    ['one that has happened, and one that has not', changesOf('a', 'b', 'ab', 'bc'), ['1:ab']],
    ['there and back', changesOf('a', 'a', 'ab', 'ba'), ['1:ab', '2:ba']],
    ['made, deleted and made', changesOf('0', 'b', '0a', 'a0', '0b'), ['1:0a', '2:a0', '3:0b']],
    ['made and deleted', changesOf('0', '0', '0a', 'a0'), ['1:0a', '2:a0']],
    ['by hand', changesOf('a', 'b'), ['-:ab']],
    ['by hand while somebody pushes', changesOf('a', 'b', 'ac'), ['-:ab']],
    ['by hand, then by a push', changesOf('a', 'c', 'bc'), ['-:ab', '1:bc']],
    ['nothing new by a push', changesOf('a', 'a', 'aa'), []],
  ])('finds %s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('finds many at once', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `refs/tags/${index}`);
    const updates = names.map((ref) => ({ ref, oldHash: NO_HASH, newHash: 'a' }));
    const present = new Map(names.map((name) => [name, 'a']));
    const changes = findRefChanges(new Map(), present, [{ id: 1, updates }]);
    expect(changes.map(({ ref, index }) => [ref, index])).toEqual(names.map((name, index) => [name, index]));
  });

  it('finds its way in a tangle', () => {
    const letters = [...'abcdefghijklmnopqrst'];
    const tangle = letters.flatMap((one) => letters.map((other) => one + other));
    const changes = changesOf('a', 't', ...tangle);
    expect(changes[0]).toMatch(/:a/);
    expect(changes.at(-1)).toMatch(/t$/);
  });
});

describe(findAdoptedBranch.name, () => {
  it.each([
    ['a branch that has been made alone', ['trunk'], 'trunk', 'trunk'],
    ['one below another name', ['a/b'], 'a/b', 'a/b'],
    ['none beside others', ['next', 'trunk'], 'trunk', undefined],
    ['none beside the default branch', ['main', 'trunk'], 'trunk', undefined],
    ['not the default branch', ['main'], 'main', undefined],
    ['none that has been there before', ['trunk'], 'gone', undefined],
    ['none of no branches', [], 'trunk', undefined],
  ])('is %s', (_, present, made, expected) => {
    const refs = [...present.map((name) => BRANCHES + name), 'refs/tags/v1'];
    const change = { ref: BRANCHES + made, oldHash: NO_HASH, newHash: 'a', pushId: 1, index: 0 };
    expect(findAdoptedBranch('main', new Map(refs.map((ref) => [ref, 'a'])), [change])).toBe(expected);
  });
});
