import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { ISSUE_FILES } from './issue-files';
import { IssueLoader, type IssueResource } from '../issue.loader';

/** The issue attachment that the path identifies. */
export type IssueAttachmentResource = AttachmentResource<IssueResource>;

/** Loads the attachment of `/issues/{issueIdOrKey}/attachments/{attachmentId}`. */
export const IssueAttachmentLoader = attachmentOf(IssueLoader, ISSUE_FILES);
