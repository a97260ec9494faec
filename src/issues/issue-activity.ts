import { type ActivityChange, type ActivityContents } from '../activities/activity-content';
import { type ActivityType } from '../activities/activity-type';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { type IssueSubject } from './issue.resolver';

/** Content of the activities about an issue's comment, in the family's names (3 and 17). */
export const issueCommentActivity = (
  issue: IssueSubject,
  comment: { id: number; content: string },
  changes: ActivityChange[],
  attachments: AttachmentDto[] = [],
): ActivityContents[ActivityType.IssueCommented] => ({
  id: issue.id,
  key_id: issue.keyId,
  summary: issue.summary,
  description: issue.description,
  comment: { id: comment.id, content: comment.content },
  changes,
  attachments,
  shared_files: [],
});
