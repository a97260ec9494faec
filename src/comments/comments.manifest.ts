import { type Manifest } from '../manifest';

/** Threads and comments. */
export const commentsManifest = {
  archived: {
    commentThread: { by: ['projectId'] },
    comment: { by: ['threadId'], within: 'commentThread', without: ['agentKeyId'] },
  },
} satisfies Manifest;
