/** The longest name, in bytes; file systems allow 255. */
export const MAX_NAME_BYTES = 80;

/** Not allowed on Windows, invisible, or no text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*\ufffd]/gu;
/** Names of devices on Windows, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:$|\.)/i;
/** Hidden files, and options of commands. */
const UNSAFE_START = /^[.-]/;

/**
 * Returns a name under which a file can be stored on every system: one level of a path, not hidden, no device of Windows and not longer than 80
 * bytes. An extension stays.
 */
export function safeName(name: string, maxBytes = MAX_NAME_BYTES): string {
  const { stem, extension } = splitName(name.toWellFormed().normalize('NFC').replace(UNSAFE, '_').trim());
  const short = cut(stem, maxBytes - Buffer.byteLength(extension) - 1);
  const whole = (short + extension).replace(/[. ]$/, '_');
  return whole === '' || DEVICE.test(whole) || UNSAFE_START.test(whole) ? `_${whole}` : whole;
}

/** Returns what is equal for names that some file system does not tell apart. */
export const foldedName = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase();

/** Splits a name before its extension, if it has a usual one. */
export function splitName(name: string): { stem: string; extension: string } {
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - extension.length), extension };
}

function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) return short;
    short += character;
  }
  return short;
}
