import { loopTurns } from './loop-turns';

/** Longest piece of a text, in characters: what is done with one takes a few milliseconds at most. */
export const MAX_PIECE = 32_768;

/**
 * Yields a text in pieces. Each but the first begins with one of some characters, unless there is none within the length of a piece.
 * @param beginnings characters before which the text may be divided
 */
export function* piecesOf(text: string, beginnings: string): Generator<string> {
  let start = 0;
  while (text.length - start > MAX_PIECE) {
    const piece = text.slice(start, start + MAX_PIECE);
    const last = Math.max(...[...beginnings].map((character) => piece.lastIndexOf(character)));
    const length = last > 0 ? last : MAX_PIECE;
    yield piece.slice(0, length);
    start += length;
  }
  yield text.slice(start);
}

/**
 * Returns a text whose pieces have been changed, with a pause after each.
 * @param pause lets other work have its turn; by default, that of background work
 */
export async function changeInPieces(
  text: string,
  beginnings: string,
  change: (piece: string) => string,
  pause: () => Promise<void> | undefined = () => loopTurns.pauseInBackground(),
): Promise<string> {
  // Joined at the end: a string that grows by small parts takes several times their memory until it is used.
  const changed: string[] = [];
  for (const piece of piecesOf(text, beginnings)) {
    changed.push(change(piece));
    const turn = pause();
    if (turn) await turn;
  }
  return changed.join('');
}
