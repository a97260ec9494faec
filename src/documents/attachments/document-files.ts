import { type AttachmentLink } from '../../attachments/attachment-link';

/** The table that links attachments to documents. */
export const DOCUMENT_FILES: AttachmentLink = {
  table: 'document_attachment',
  owner: 'document_id',
  owners: 'document',
};
