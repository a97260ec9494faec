import { STYLE_PATH } from './style';

/** The page on which users set up a second factor. */
export const FACTORS_PATH = '/account/factors';

/** The paths of the pages for people, which are outside the base path of the API. */
export const PAGE_PATHS: readonly string[] = [
  STYLE_PATH,
  'sign-in',
  'sign-in/confirm',
  'sign-in/new-password',
  'sign-in/second-factor',
  'sign-out',
  'password/:token',
  'password/forgotten',
  'mail/unsubscribe/:token',
  'mail/unsubscribe/:token/undo',
  'invitation/:token',
  'account',
  'account/*rest',
  'view/:issueIdOrKey',
  'alias/wiki/:wikiId',
  'document/:projectKey/:documentId',
  'git/:projectIdOrKey/:repoIdOrName/pullRequests/:number',
  'user/:userId',
  // Matches only a route whose parameter has this name: an operation of the API has the same path with another one.
  'projects/\\:projectKey',
];
