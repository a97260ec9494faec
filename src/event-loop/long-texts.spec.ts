import fc from 'fast-check';
import { changeInPieces, MAX_PIECE, piecesOf } from './long-texts';
import { loopTurns } from './loop-turns';

describe('piecesOf', () => {
  it('yields short texts whole', () => {
    for (const text of ['', 'a b', 'a'.repeat(MAX_PIECE)]) expect([...piecesOf(text, ' ')]).toEqual([text]);
  });

  it('divides before the last of the characters that a piece can have', () => {
    const text = `${'a'.repeat(MAX_PIECE - 3)} b,cd`;
    expect([...piecesOf(text, ' ')]).toEqual(['a'.repeat(MAX_PIECE - 3), ' b,cd']);
    expect([...piecesOf(text, ' ,')]).toEqual([`${'a'.repeat(MAX_PIECE - 3)} b`, ',cd']);
  });

  it('divides anywhere where there is no such character', () => {
    const text = ` ${'a'.repeat(2 * MAX_PIECE)}`;
    expect([...piecesOf(text, ' ')].map(({ length }) => length)).toEqual([MAX_PIECE, MAX_PIECE, 1]);
  });

  it('loses nothing of any text', () => {
    const words = fc.array(
      fc
        .tuple(fc.constantFrom('a', ' ', '\n', 'b '), fc.nat({ max: MAX_PIECE }))
        .map(([word, times]) => word.repeat(times)),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        const pieces = [...piecesOf(text, ' \n')];
        expect(pieces.join('') === text).toBe(true);
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(MAX_PIECE);
      }),
      { numRuns: 20 },
    );
  });
});

describe('changeInPieces', () => {
  it('lets other work have its turn after each piece', async () => {
    const pause = vi.spyOn(loopTurns, 'pauseInBackground');
    const changed = await changeInPieces('a '.repeat(MAX_PIECE), ' ', (piece) => piece.replaceAll('a', 'b'));
    expect(changed === 'b '.repeat(MAX_PIECE)).toBe(true);
    expect(pause.mock.calls.length).toBeGreaterThanOrEqual(2);
  });
});
