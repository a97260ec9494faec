import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';
import { type AttachmentLink, isAttached } from './data/attachment-link.repository';

/** A file that the path names, with the thing that it is attached to. */
export type AttachmentResource<Parent> = Parent & { attachmentId: number };

/** A loader for a file that is attached to what the path names before it: `/wikis/{wikiId}/attachments/{attachmentId}`. */
export const attachmentOf = <Parent extends AccessResource & { id: number }>(
  parent: Type<ResourceLoader<Parent>>,
  link: AttachmentLink,
): Type<ResourceLoader<AttachmentResource<Parent>>> =>
  childOf<Parent, AttachmentResource<Parent>>(
    parent,
    { parameter: 'attachmentId', what: 'attachment' },
    async (dataSource, thing, attachmentId) =>
      (await isAttached(dataSource, link, thing.id, attachmentId)) ? { ...thing, attachmentId } : undefined,
  );
