import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { ISSUE_FILES } from './issue-files';
import { IssueLoader, type IssueResource } from '../issue.loader';

/** The file of an issue that the path names. */
export type IssueAttachmentResource = AttachmentResource<IssueResource>;

/** Finds the file of `/issues/{issueIdOrKey}/attachments/{attachmentId}`. */
export const IssueAttachmentLoader = attachmentOf(IssueLoader, ISSUE_FILES);
