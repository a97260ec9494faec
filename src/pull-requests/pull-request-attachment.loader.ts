import { attachmentOf, type AttachmentSubject } from '../attachments/attachment.loader';
import { PULL_REQUEST_FILES } from './pull-request-files';
import { PullRequestLoader, type PullRequestSubject } from './pull-request.loader';

/** A file of a pull request that the path names, and the pull request. */
export type PullRequestAttachmentSubject = AttachmentSubject<PullRequestSubject>;

/** Finds the file of `…/pullRequests/{number}/attachments/{attachmentId}`. */
export const PullRequestAttachmentLoader = attachmentOf(PullRequestLoader, PULL_REQUEST_FILES);
