import { type AttachmentLink } from '../../attachments/attachment-link';

/** The table that links files to pull requests. */
export const PULL_REQUEST_FILES: AttachmentLink = {
  table: 'pull_request_attachment',
  owner: 'pull_request_id',
  owners: 'pull_request',
};
