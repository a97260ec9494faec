import { type Manifest } from '../manifest';

/** Notifications about projects. */
export const notificationsManifest = {
  archived: {
    notification: { by: ['projectId'], refersTo: { senderId: 'user', watchedCommentId: 'comment' } },
  },
} satisfies Manifest;
