import { attachmentOf, type AttachmentSubject } from '../attachments/attachment.resolver';
import { WIKI_FILES } from './wiki-files';
import { WikiResolver, type WikiSubject } from './wiki.resolver';

/** A file of a wiki page that the path names. */
export type WikiAttachmentSubject = AttachmentSubject<WikiSubject>;

/** Finds the file of `/wikis/{wikiId}/attachments/{attachmentId}`. */
export const WikiAttachmentResolver = attachmentOf(WikiResolver, WIKI_FILES);
