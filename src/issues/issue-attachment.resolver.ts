import { childOf } from '../projects/project-resource';
import { IssueResolver, type IssueSubject } from './issue.resolver';

/** A file of an issue that the path names. */
export interface IssueAttachmentSubject extends IssueSubject {
  attachmentId: number;
}

/** Finds the file of `/issues/{issueIdOrKey}/attachments/{attachmentId}`. */
export const IssueAttachmentResolver = childOf<IssueSubject, IssueAttachmentSubject>(
  IssueResolver,
  { parameter: 'attachmentId', what: 'attachment' },
  async (dataSource, issue, attachmentId) => {
    const rows = await dataSource.query<unknown[]>(
      'SELECT attachment_id FROM issue_attachment WHERE issue_id = ? AND attachment_id = ?',
      [issue.id, attachmentId],
    );
    return rows.length > 0 ? { ...issue, attachmentId } : undefined;
  },
);
