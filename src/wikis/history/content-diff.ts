import { createPatch, OMIT_HEADERS } from 'diff';

/**
 * Limits for computing the shortest difference. At the limits, the worst case takes about 20 ms, during which no other request is served;
 * twice as many changes would take five times as long.
 */
const MAX_CHANGED_LINES = 300;
const MAX_LINES = 20_000;

/**
 * Returns the difference between two contents of a page as the hunks of a unified diff; empty if there is none. Beyond the limits, the diff
 * replaces the entire content.
 */
export function contentDiff(before: string, after: string): string {
  if (before === after) return '';
  if (countLines(before) > MAX_LINES || countLines(after) > MAX_LINES) return replaceAll(before, after);
  const options = { headerOptions: OMIT_HEADERS, maxEditLength: MAX_CHANGED_LINES };
  return createPatch('', before, after, undefined, undefined, options) ?? replaceAll(before, after);
}

const replaceAll = (before: string, after: string): string =>
  `@@ -${range(before)} +${range(after)} @@\n${marked('-', before)}${marked('+', after)}`;

/** Formats the range of a text; a range without lines begins at 0. */
const range = (text: string): string => (text === '' ? '0,0' : `1,${countLines(text)}`);

function marked(sign: '-' | '+', text: string): string {
  if (text === '') return '';
  const isEnded = text.endsWith('\n');
  const lines = isEnded ? text.slice(0, -1) : text;
  return `${sign}${lines.replaceAll('\n', `\n${sign}`)}\n${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

function countLines(text: string): number {
  const ends = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}
