import { createPatch, OMIT_HEADERS } from 'diff';

/**
 * Beyond these, looking for the shortest difference would keep everybody waiting: up to them the worst contents take some
 * 20 ms, twice as many changes take five times as long.
 */
const MAX_CHANGED_LINES = 300;
const MAX_LINES = 20_000;

/**
 * What has changed in a page, as the hunks of a unified diff; empty for nothing. Where too much has to be looked through, all
 * of the one content is replaced by all of the other.
 */
export function contentDiff(before: string, after: string): string {
  if (before === after) return '';
  if (countLines(before) > MAX_LINES || countLines(after) > MAX_LINES) return replaceAll(before, after);
  const options = { headerOptions: OMIT_HEADERS, maxEditLength: MAX_CHANGED_LINES };
  return createPatch('', before, after, undefined, undefined, options) ?? replaceAll(before, after);
}

const replaceAll = (before: string, after: string): string =>
  `@@ -${range(before)} +${range(after)} @@\n${marked('-', before)}${marked('+', after)}`;

/** No lines begin at 0. */
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
