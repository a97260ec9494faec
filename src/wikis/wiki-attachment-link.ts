import { type AttachmentLink } from '../attachments/attachment-links.service';

/** Where it is kept which files a page has. */
export const WIKI_ATTACHMENTS: AttachmentLink = {
  table: 'wiki_attachment',
  owner: 'wiki_id',
  owners: 'wiki',
};
