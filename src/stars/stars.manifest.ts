import { type Manifest } from '../manifest';

/** Stars on issues, pull requests, wiki pages, documents and comments. */
export const starsManifest = {
  archived: { star: { by: ['projectId'], without: ['url'], refersTo: { receiverId: 'user' } } },
} satisfies Manifest;
