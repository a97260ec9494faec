import { type AttachmentLink } from '../../attachments/attachment-links.service';

/** The table that records which files are attached to issues. */
export const ISSUE_FILES: AttachmentLink = { table: 'issue_attachment', owner: 'issue_id', owners: 'issue' };
