import { type AttachmentLink } from '../../attachments/attachment-link';

/** The table that links attachments to issues. */
export const ISSUE_FILES: AttachmentLink = { table: 'issue_attachment', owner: 'issue_id', owners: 'issue' };
