import { createPatch, OMIT_HEADERS } from 'diff';

/** Lines added and removed, beyond which looking for the shortest difference would keep everybody waiting. */
const MAX_CHANGED_LINES = 1000;

/** What has changed in a page, as the hunks of a unified diff; empty for nothing, and for too much. */
export function contentDiff(before: string, after: string): string {
  if (before === after) return '';
  const options = { headerOptions: OMIT_HEADERS, maxEditLength: MAX_CHANGED_LINES };
  return createPatch('', before, after, undefined, undefined, options) ?? '';
}
