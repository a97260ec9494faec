import { SCRIPT_PATH } from './script';
import { STYLE_PATH } from './style';

/** The page on which users set up a second factor. */
export const FACTORS_PATH = '/account/factors';

/** The page on which users connect identity providers. */
export const IDENTITIES_PATH = '/account/identities';

/** The page on which Administrators see whether mail arrives. */
export const MAIL_STATUS_PATH = '/account/mail';

/** The paths of the pages for people, which are outside the base path of the API. */
export const PAGE_PATHS: readonly string[] = [
  STYLE_PATH,
  SCRIPT_PATH,
  'sign-in',
  'sign-in/passkey',
  'sign-in/confirm',
  'sign-in/confirm/passkey',
  'sign-in/confirm/sso/:providerKey',
  'sign-in/new-password',
  'sign-in/second-factor',
  'sign-in/second-factor/passkey',
  'sign-in/sso/:providerKey',
  'sign-in/sso/:providerKey/callback',
  'sign-out',
  'password/:token',
  'password/forgotten',
  'mail/unsubscribe/:token',
  'mail/unsubscribe/:token/undo',
  'invitation/:token',
  'invitation/:token/sso/:providerKey',
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

/** Whether projects have pages: without a base path, the API has their addresses. */
export const hasProjectPages = (basePath: string): boolean => basePath !== '' && basePath !== '/';

/** Returns the path of the page of a project. */
export const projectPath = (projectKey: string): string => `/projects/${projectKey}`;
