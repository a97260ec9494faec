import { attachmentOf, type AttachmentSubject } from '../attachments/attachment.resolver';
import { PULL_REQUEST_FILES } from './pull-request-files';
import { PullRequestResolver, type PullRequestSubject } from './pull-request.resolver';

/** A file of a pull request that the path names, and the pull request. */
export type PullRequestAttachmentSubject = AttachmentSubject<PullRequestSubject>;

/** Finds the file of `…/pullRequests/{number}/attachments/{attachmentId}`. */
export const PullRequestAttachmentResolver = attachmentOf(PullRequestResolver, PULL_REQUEST_FILES);
