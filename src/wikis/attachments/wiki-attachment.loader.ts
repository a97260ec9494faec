import { attachmentOf, type AttachmentResource } from '../../attachments/attachment.loader';
import { WIKI_FILES } from './wiki-files';
import { WikiLoader, type WikiResource } from '../wiki.loader';

/** The wiki page attachment that the path identifies. */
export type WikiAttachmentResource = AttachmentResource<WikiResource>;

/** Loads the attachment of `/wikis/{wikiId}/attachments/{attachmentId}`. */
export const WikiAttachmentLoader = attachmentOf(WikiLoader, WIKI_FILES);
