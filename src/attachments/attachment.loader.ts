import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';
import { type AttachmentLink } from './attachment-link';
import { isAttached } from './data/attachment-link.repository';

/** The file of a request's path, with its owner. */
export type AttachmentResource<Parent> = Parent & { attachmentId: number };

/** Returns a loader for a file attached to the parent in the path, such as `/wikis/{wikiId}/attachments/{attachmentId}`. */
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
