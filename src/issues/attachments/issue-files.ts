import { type AttachmentLink } from '../../attachments/attachment-links.service';

/** Where it is kept which files are attached to issues. */
export const ISSUE_FILES: AttachmentLink = { table: 'issue_attachment', owner: 'issue_id', owners: 'issue' };
