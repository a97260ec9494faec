import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { DocumentLoader } from '../document.loader';
import { type DocumentResource } from '../document-resource';
import { DOCUMENT_FILES } from './document-files';

/** A file of a document that the path names. */
export type DocumentAttachmentResource = AttachmentResource<DocumentResource>;

/** Finds the file of `/documents/{documentId}/attachments/{attachmentId}`. */
export const DocumentAttachmentLoader = attachmentOf(DocumentLoader, DOCUMENT_FILES);
