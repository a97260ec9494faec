import { attachmentOf, type AttachmentSubject } from '../attachments/attachment.resolver';
import { ISSUE_FILES } from './issue-files';
import { IssueResolver, type IssueSubject } from './issue.resolver';

/** A file of an issue that the path names. */
export type IssueAttachmentSubject = AttachmentSubject<IssueSubject>;

/** Finds the file of `/issues/{issueIdOrKey}/attachments/{attachmentId}`. */
export const IssueAttachmentResolver = attachmentOf(IssueResolver, ISSUE_FILES);
