import { createHash } from 'node:crypto';
import { isCleanText, isNoLongerThan } from '../http/request/text';

/** Maximum number of nested folders. */
export const MAX_DEPTH = 20;
/** Maximum length of a folder's path, including the slashes at both ends, in characters. */
export const MAX_PATH_LENGTH = 1000;
/** Maximum length of the name of a folder or file, in characters. */
export const MAX_NAME_LENGTH = 255;

/** The names along a path, from the top; empty for the top folder itself. */
export type SharedPath = readonly string[];

/** Path separators of any system, control characters and line breaks. */
const FORBIDDEN = /[/\\\p{Cc}\p{Zl}\p{Zp}]/u;

/** Characters that change the order in which others are shown: they make `fdp.exe` look like `exe.pdf`. */
const REORDERING = /\p{Bidi_Control}/u;

/** Names of devices on Windows, which cannot be files there, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|:|$)/i;

/**
 * Parses a path, with or without a slash at each end. Paths are data, and never used as names in a file system. They are compared in
 * Unicode's normal form C and are case-sensitive (`docs/decisions/0040-shared-files.md`).
 * @returns undefined when the path is invalid
 */
export function parsePath(text: string): SharedPath | undefined {
  // Rejects huge texts before any work proportional to their length.
  if (text.length > MAX_PATH_LENGTH * 4 || !isCleanText(text)) return undefined;
  if (text === '' || text === '/') return [];
  const names = text.normalize('NFC').replace(/^\//, '').replace(/\/$/, '').split('/');
  const isValid =
    names.length <= MAX_DEPTH && names.every(isName) && isNoLongerThan(folderOf(names), MAX_PATH_LENGTH);
  return isValid ? names : undefined;
}

/** Returns the name of a file or folder in its stored form, or undefined when it is invalid. */
export function parseName(text: string): string | undefined {
  if (!isNoLongerThan(text, MAX_NAME_LENGTH * 4)) return undefined;
  const name = text.normalize('NFC');
  return isName(name) ? name : undefined;
}

const isName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  name.trim() === name &&
  isCleanText(name) &&
  !FORBIDDEN.test(name) &&
  isNoLongerThan(name, MAX_NAME_LENGTH);

/**
 * Whether a new file or folder may have a name that `parseName` or `parsePath` has accepted: it is shown as it is, and can be stored on any
 * system. Files of earlier versions may have other names.
 */
export const isPortable = (name: string): boolean => !REORDERING.test(name) && !DEVICE.test(name);

/** Returns the `dir` of a folder, with a slash at both ends. */
export const folderOf = (path: SharedPath): string => (path.length === 0 ? '/' : `/${path.join('/')}/`);

/** Returns the key of a path in the database. */
export const pathKeyOf = (path: SharedPath): string =>
  createHash('sha256')
    .update(`/${path.join('/')}`)
    .digest('base64url');
