import { createHash } from 'node:crypto';
import { isCleanText, isNoLongerThan } from '../http/request/text';

/** Folders inside each other. */
export const MAX_DEPTH = 20;
/** Characters of a folder's path, with the slashes at both ends. */
export const MAX_PATH_LENGTH = 1000;
/** Characters of the name of a folder or file. */
export const MAX_NAME_LENGTH = 255;

/** The names of the folders from the top to what a path is about; none is the top folder itself. */
export type SharedPath = readonly string[];

/** Separators of any system, and what would break lines. */
const FORBIDDEN = /[/\\\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * The path that a text names, with or without a slash at each end. Paths are data: nothing in a file system ever has their names.
 * They are compared in Unicode's normal form C, and capitals matter (`docs/decisions/0040-shared-files.md`).
 * @returns undefined when no folder can have it
 */
export function parsePath(text: string): SharedPath | undefined {
  // Before anything is done for each character of it.
  if (text.length > MAX_PATH_LENGTH * 4 || !isCleanText(text)) return undefined;
  if (text === '' || text === '/') return [];
  const names = text.normalize('NFC').replace(/^\//, '').replace(/\/$/, '').split('/');
  const isValid =
    names.length <= MAX_DEPTH && names.every(isName) && isNoLongerThan(folderOf(names), MAX_PATH_LENGTH);
  return isValid ? names : undefined;
}

/** The name of a file or folder in the form in which it is stored, or undefined when none can have it. */
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

/** A folder as `dir` shows it: with a slash at both ends. */
export const folderOf = (path: SharedPath): string => (path.length === 0 ? '/' : `/${path.join('/')}/`);

/** What a path is found by in the database. */
export const pathKeyOf = (path: SharedPath): string =>
  createHash('sha256')
    .update(`/${path.join('/')}`)
    .digest('base64url');
