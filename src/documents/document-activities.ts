import { type FileContent } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { comment, file } from '../activities/sample-values';

/** A document in activities. */
export interface DocumentContent {
  /** The id in the API. */
  id: string;
  title: string;
}

export interface DocumentCommentContent extends DocumentContent {
  /** The content is plain text. */
  comment: { id: string; content: string };
}

const document: DocumentContent = { id: '0123456789abcdef0123456789abcdef', title: 'Sample document' };
const commented: DocumentCommentContent = {
  ...document,
  comment: { id: 'fedcba9876543210fedcba9876543210', content: comment.content },
};
const attachments: FileContent[] = [{ id: file.id, name: file.name, size: file.size }];

/** Sample content of the activities of documents. */
export const documentActivities = {
  [ActivityType.DocumentCreated]: document,
  [ActivityType.DocumentDeleted]: document,
  [ActivityType.DocumentTitleUpdated]: document,
  [ActivityType.DocumentUpdated]: document,
  [ActivityType.DocumentAttachmentAdded]: { ...document, attachments },
  [ActivityType.DocumentsBulkCreated]: { documents: [document] },
  [ActivityType.MentionedInDocument]: commented,
};

export const documentCommentActivities = {
  [ActivityType.DocumentCommentCreated]: commented,
  [ActivityType.DocumentCommentUpdated]: commented,
  [ActivityType.DocumentCommentDeleted]: commented,
  [ActivityType.DocumentReplyCreated]: commented,
  [ActivityType.DocumentReplyUpdated]: commented,
  [ActivityType.DocumentReplyDeleted]: commented,
};
