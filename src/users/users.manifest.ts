import { type Manifest } from '../manifest';

/** Users, without what they sign in with. */
export const usersManifest = {
  archived: {
    user: { without: ['passwordHash', 'lastLoginTime'], isOfSpace: true },
    agent: { id: 'keyId' },
  },
} satisfies Manifest;
