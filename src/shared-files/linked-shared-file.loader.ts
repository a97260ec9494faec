import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';
import { isLinked, type SharedFileLink } from './data/shared-file-link.repository';

/** A shared file that the path names, with the thing that it is linked to. */
export type LinkedSharedFileResource<Parent> = Parent & { sharedFileId: number };

/** A loader for a file that is linked to what the path names before it: `/wikis/{wikiId}/sharedFiles/{sharedFileId}`. */
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
