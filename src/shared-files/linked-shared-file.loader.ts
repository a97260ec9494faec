import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';
import { isLinked, type SharedFileLink } from './data/shared-file-link.repository';

/** The shared file of a request's path, with the owner to which it is linked. */
export type LinkedSharedFileResource<Parent> = Parent & { sharedFileId: number };

/** Returns a loader for a file linked to the parent in the path, such as `/wikis/{wikiId}/sharedFiles/{sharedFileId}`. */
export const sharedFileOf = <Parent extends AccessResource & { id: number }>(
  parent: Type<ResourceLoader<Parent>>,
  link: SharedFileLink,
): Type<ResourceLoader<LinkedSharedFileResource<Parent>>> =>
  childOf<Parent, LinkedSharedFileResource<Parent>>(
    parent,
    { parameter: 'sharedFileId', what: 'shared file' },
    async (dataSource, thing, sharedFileId) =>
      (await isLinked(dataSource, link, thing.id, sharedFileId)) ? { ...thing, sharedFileId } : undefined,
  );
