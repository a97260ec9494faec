import { HttpStatus } from '@nestjs/common';
import { type Response } from 'express';

/** A path of this host: browsers take two slashes, or a slash and a backslash, for the beginning of another host. */
const LOCAL_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** Maximum length of a path to go to, as single sign-on stores it. */
const MAX_PATH = 2000;

/** Returns a path to go to after a form, unless it could lead to another host, or is too long. */
export const localPath = (path: string | undefined, otherwise: string): string =>
  path !== undefined && path.length <= MAX_PATH && LOCAL_PATH.test(path) ? path : otherwise;

/** Leads the browser to another page by GET. */
export function goTo(response: Response, path: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.redirect(HttpStatus.SEE_OTHER, path);
}
