import { createPatch, OMIT_HEADERS } from 'diff';
import { changeInPieces } from '../../event-loop/long-texts';
import { loopTurns } from '../../event-loop/loop-turns';

/**
 * Limits for computing the shortest difference. At the limits, the worst case takes about 20 ms, during which no other request is served;
 * twice as many changes would take five times as long.
 */
const MAX_CHANGED_LINES = 300;
const MAX_LINES = 20_000;
const LINE_FEED = 10;

/**
 * Returns the difference between two contents of a page as the hunks of a unified diff; empty if there is none. Beyond the limits, the diff
 * replaces the entire content. The contents of an imported page can be so long that this takes several turns of the event loop, during which the
 * caller may hold its transaction.
 */
export async function contentDiff(before: string, after: string): Promise<string> {
  if (before === after) return '';
  if (countLines(before) > MAX_LINES || countLines(after) > MAX_LINES) return replaceAll(before, after);
  const options = { headerOptions: OMIT_HEADERS, maxEditLength: MAX_CHANGED_LINES };
  return createPatch('', before, after, undefined, undefined, options) ?? replaceAll(before, after);
}

async function replaceAll(before: string, after: string): Promise<string> {
  const lines = (await marked('-', before)) + (await marked('+', after));
  return `@@ -${range(before)} +${range(after)} @@\n${lines}`;
}

/** Formats the range of a text; a range without lines begins at 0. */
const range = (text: string): string => (text === '' ? '0,0' : `1,${countLines(text)}`);

async function marked(sign: '-' | '+', text: string): Promise<string> {
  if (text === '') return '';
  const isEnded = text.endsWith('\n');
  const lines = await changeInPieces(
    isEnded ? text.slice(0, -1) : text,
    '\n',
    // Takes a fraction of the time of `replaceAll`.
    (piece) => piece.split('\n').join(`\n${sign}`),
    () => loopTurns.pause(true),
  );
  return `${sign}${lines}\n${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

/** Counts lines without making a string of each, which takes many times as long. */
function countLines(text: string): number {
  let ends = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) === LINE_FEED) ends++;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}
