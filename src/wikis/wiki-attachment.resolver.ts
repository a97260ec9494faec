import { childOf } from '../projects/project-resource';
import { WikiResolver, type WikiSubject } from './wiki.resolver';

/** A file of a wiki page that the path names. */
export interface WikiAttachmentSubject extends WikiSubject {
  attachmentId: number;
}

/** Finds the file of `/wikis/{wikiId}/attachments/{attachmentId}`. */
export const WikiAttachmentResolver = childOf<WikiSubject, WikiAttachmentSubject>(
  WikiResolver,
  { parameter: 'attachmentId', what: 'attachment' },
  async (dataSource, wiki, attachmentId) => {
    const rows = await dataSource.query<unknown[]>(
      'SELECT attachment_id FROM wiki_attachment WHERE wiki_id = ? AND attachment_id = ?',
      [wiki.id, attachmentId],
    );
    return rows.length > 0 ? { ...wiki, attachmentId } : undefined;
  },
);
