import { type AttachmentLink } from '../../attachments/attachment-links.service';

/** The table that records which files are attached to which pull requests. */
export const PULL_REQUEST_FILES: AttachmentLink = {
  table: 'pull_request_attachment',
  owner: 'pull_request_id',
  owners: 'pull_request',
};
