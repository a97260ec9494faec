import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { DocumentLoader } from '../document.loader';
import { type DocumentResource } from '../document-resource';
import { DOCUMENT_FILES } from './document-files';

/** The document attachment that the path identifies. */
export type DocumentAttachmentResource = AttachmentResource<DocumentResource>;

/** Loads the attachment of `/documents/{documentId}/attachments/{attachmentId}`. */
export const DocumentAttachmentLoader = attachmentOf(DocumentLoader, DOCUMENT_FILES);
