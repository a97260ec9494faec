const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;

/**
 * Whether a JSON text has more than `max` entries: values in lists and objects, at any depth. An empty list or object counts as
 * one additional entry. Only scans the bytes, so that nothing is built from a refused text.
 */
export function hasMoreEntriesThan(json: Uint8Array, max: number): boolean {
  // Each entry takes at least one byte.
  if (json.length <= max) return false;
  let count = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      isInString = !isInString;
    } else if (isInString) {
      if (byte === BACKSLASH) at++;
    } else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++count > max) return true;
    }
  }
  return false;
}
