import { ActivityType } from '../activities/activity-type';
import { comment, file } from '../activities/sample-values';
import { limitPerProject } from '../limits/count-limit';
import { type IdPlaces, type Manifest } from '../manifest';
import { NotificationReason } from '../notifications/notification-reason';
import { uidParameter } from '../openapi/path-parameters';
import { DOCUMENT_FILES } from './attachments/document-files';
import { DocumentAttachment } from './entities/document-attachment.entity';
import { DocumentComment } from './entities/document-comment.entity';
import { DocumentTag } from './entities/document-tag.entity';
import { DocumentTagging } from './entities/document-tagging.entity';
import { DocumentTree } from './entities/document-tree.entity';
import { Document } from './entities/document.entity';

const document = { id: '0123456789abcdef0123456789abcdef', title: 'Sample document' };
const attachments = [{ id: file.id, name: file.name, size: file.size }];
const commented = {
  ...document,
  comment: { id: 'fedcba9876543210fedcba9876543210', content: comment.content },
};

const ids: IdPlaces = { id: 'document.uid' };
const commentedIds: IdPlaces = { ...ids, 'comment.id': 'documentComment.uid' };

export const documentsManifest = {
  entities: [Document, DocumentAttachment, DocumentComment, DocumentTag, DocumentTree],
  disposable: [DocumentTagging],
  counters: {
    document: {
      table: 'document',
      ...limitPerProject('MAX_DOCUMENTS', 'documents, including those in the trash'),
    },
  },
  countLimits: {
    documentComment: {
      fixed: 500,
      message: (most) => `A document can have at most ${most} comments, including replies.`,
    },
    documentTag: { fixed: 50, message: (most) => `A document can have at most ${most} tags.` },
  },
  diskUsage: { document: DOCUMENT_FILES },
  activities: {
    [ActivityType.DocumentCreated]: document,
    [ActivityType.DocumentDeleted]: document,
    [ActivityType.DocumentTitleUpdated]: document,
    [ActivityType.DocumentUpdated]: document,
    [ActivityType.DocumentAttachmentAdded]: { ...document, attachments },
    [ActivityType.DocumentsBulkCreated]: { documents: [document] },
    [ActivityType.MentionedInDocument]: commented,
  },
  developerActivities: {
    [ActivityType.DocumentCommentCreated]: commented,
    [ActivityType.DocumentCommentUpdated]: commented,
    [ActivityType.DocumentCommentDeleted]: commented,
    [ActivityType.DocumentReplyCreated]: commented,
    [ActivityType.DocumentReplyUpdated]: commented,
    [ActivityType.DocumentReplyDeleted]: commented,
  },
  activityIds: {
    [ActivityType.DocumentCreated]: ids,
    [ActivityType.DocumentDeleted]: ids,
    [ActivityType.DocumentTitleUpdated]: ids,
    [ActivityType.DocumentUpdated]: ids,
    [ActivityType.DocumentAttachmentAdded]: { ...ids, 'attachments[].id': 'attachment' },
    [ActivityType.DocumentsBulkCreated]: { 'documents[].id': 'document.uid' },
    [ActivityType.MentionedInDocument]: commentedIds,
    [ActivityType.DocumentCommentCreated]: commentedIds,
    [ActivityType.DocumentCommentUpdated]: commentedIds,
    [ActivityType.DocumentCommentDeleted]: commentedIds,
    [ActivityType.DocumentReplyCreated]: commentedIds,
    [ActivityType.DocumentReplyUpdated]: commentedIds,
    [ActivityType.DocumentReplyDeleted]: commentedIds,
  },
  developerReasons: [NotificationReason.DocumentCommented, NotificationReason.DocumentCommentReplied],
  tags: { Documents: 'Documents, with their tree, tags, files and comments.' },
  pathParameters: {
    documentId: uidParameter('document', 'Id of the document.', '019a8f2f6c0070008000000000000001'),
    documentCommentId: uidParameter(
      'document comment',
      'Id of the comment on the document, or of a reply to one.',
      '019a8f2f6c0070008000000000000002',
    ),
  },
  archived: {
    document: {
      by: ['projectId'],
      refersTo: { parentId: 'document' },
      inside: { uid: { '': 'document.uid' } },
      texts: ['json', 'plain'],
    },
    documentTag: { by: ['projectId'] },
    documentTagging: { by: ['documentId'], within: 'document' },
    documentAttachment: { by: ['documentId'], within: 'document' },
    documentComment: {
      by: ['commentId'],
      within: 'comment',
      refersTo: { parentId: 'comment' },
      inside: { uid: { '': 'documentComment.uid' } },
      texts: ['json'],
    },
  },
} satisfies Manifest;
