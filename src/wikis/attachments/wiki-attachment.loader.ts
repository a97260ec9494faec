import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { WIKI_FILES } from './wiki-files';
import { WikiLoader, type WikiResource } from '../wiki.loader';

/** A file of a wiki page that the path names. */
export type WikiAttachmentResource = AttachmentResource<WikiResource>;

/** Finds the file of `/wikis/{wikiId}/attachments/{attachmentId}`. */
export const WikiAttachmentLoader = attachmentOf(WikiLoader, WIKI_FILES);
