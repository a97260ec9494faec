import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { type IssueSubject } from './issue.resolver';

/** One change as activities tell of it. */
export interface ActivityChange {
  field: string;
  new_value: string;
  old_value: string;
  type: 'standard';
}

/** A change that adds something, such as a file. */
export const addition = (field: string, value: string): ActivityChange => ({
  field,
  new_value: value,
  old_value: '',
  type: 'standard',
});

/** Content of the activities about an issue's comment, in the family's names (3 and 17). */
export const issueCommentActivity = (
  issue: IssueSubject,
  comment: { id: number; content: string },
  changes: readonly ActivityChange[],
  attachments: readonly AttachmentDto[] = [],
): object => ({
  id: issue.id,
  key_id: issue.keyId,
  summary: issue.summary,
  description: issue.description,
  comment: { id: comment.id, content: comment.content },
  changes,
  attachments,
  shared_files: [],
});
