/** Returns the length as databases and users count it: in code points, not UTF-16 units. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    // A surrogate pair is one character.
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length--;
      at++;
    }
  }
  return length;
}

/** Whether a text has at most `max` characters; a huge text takes no longer than one at the limit. */
export const isNoLongerThan = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && codePointLength(text) <= max);

/** Whether a text is well-formed Unicode without NUL (`docs/decisions/0005-requests.md`). */
export const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
