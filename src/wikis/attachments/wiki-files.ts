import { type AttachmentLink } from '../../attachments/attachment-link';

/** The table that links attachments to wiki pages. */
export const WIKI_FILES: AttachmentLink = { table: 'wiki_attachment', owner: 'wiki_id', owners: 'wiki' };
