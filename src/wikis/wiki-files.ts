import { type AttachmentLink } from '../attachments/attachment-links.service';

/** Where it is kept which files are attached to wiki pages. */
export const WIKI_FILES: AttachmentLink = { table: 'wiki_attachment', owner: 'wiki_id', owners: 'wiki' };
