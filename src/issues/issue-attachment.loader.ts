import { attachmentOf, type AttachmentSubject } from '../attachments/attachment.loader';
import { ISSUE_FILES } from './issue-files';
import { IssueLoader, type IssueSubject } from './issue.loader';

/** A file of an issue that the path names. */
export type IssueAttachmentSubject = AttachmentSubject<IssueSubject>;

/** Finds the file of `/issues/{issueIdOrKey}/attachments/{attachmentId}`. */
export const IssueAttachmentLoader = attachmentOf(IssueLoader, ISSUE_FILES);
