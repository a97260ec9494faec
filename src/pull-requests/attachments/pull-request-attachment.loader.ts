import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { PULL_REQUEST_FILES } from './pull-request-files';
import { PullRequestLoader, type PullRequestResource } from '../pull-request.loader';

/** The file of a pull request in a request's path, with the pull request. */
export type PullRequestAttachmentResource = AttachmentResource<PullRequestResource>;

/** Finds the file of `…/pullRequests/{number}/attachments/{attachmentId}`. */
export const PullRequestAttachmentLoader = attachmentOf(PullRequestLoader, PULL_REQUEST_FILES);
