import { type Manifest } from '../manifest';

/** Threads and comments. */
export const commentsManifest = {
  archived: {
    commentThread: { by: ['projectId'], removedBy: { table: 'removed_thread', column: 'threadId' } },
    comment: {
      by: ['threadId'],
      within: 'commentThread',
      refersTo: { agentKeyId: 'agent' },
      inside: {
        changeLog: { '[].attachmentInfo.id': 'attachment', '[].attributeInfo.id': 'customField' },
      },
      texts: ['content', 'changeLog'],
    },
  },
} satisfies Manifest;
