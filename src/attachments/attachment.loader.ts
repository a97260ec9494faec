import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';
import { type AttachmentLink } from './attachment-links.service';

/** A file that the path names, and the thing that it is attached to. */
export type AttachmentResource<Parent> = Parent & { attachmentId: number };

/** A loader for a file of what the path names before it: `/wikis/{wikiId}/attachments/{attachmentId}`. */
export const attachmentOf = <Parent extends AccessResource & { id: number }>(
  parent: Type<ResourceLoader<Parent>>,
  { table, owner }: AttachmentLink,
): Type<ResourceLoader<AttachmentResource<Parent>>> =>
  childOf<Parent, AttachmentResource<Parent>>(
    parent,
    { parameter: 'attachmentId', what: 'attachment' },
    async (dataSource, thing, attachmentId) => {
      const rows = await dataSource.query<unknown[]>(
        `SELECT attachment_id FROM ${table} WHERE ${owner} = ? AND attachment_id = ?`,
        [thing.id, attachmentId],
      );
      return rows.length > 0 ? { ...thing, attachmentId } : undefined;
    },
  );
