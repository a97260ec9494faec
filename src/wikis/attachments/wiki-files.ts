import { type AttachmentLink } from '../../attachments/attachment-links.service';

/** The table that records which files are attached to which wiki pages. */
export const WIKI_FILES: AttachmentLink = { table: 'wiki_attachment', owner: 'wiki_id', owners: 'wiki' };
