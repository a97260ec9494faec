import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';
import { findAuthorId } from './data/comment.repository';

/** A comment that the path identifies, with its parent resource. */
export interface CommentResource<Parent> extends AccessResource {
  commentId: number;
  parent: Parent;
}

/** Returns a loader for a comment of the parent in the path: `/issues/{issueIdOrKey}/comments/{commentId}`. */
export const commentOf = <Parent extends AccessResource & { threadId: number }>(
  parent: Type<ResourceLoader<Parent>>,
): Type<ResourceLoader<CommentResource<Parent>>> =>
  childOf<Parent, CommentResource<Parent>>(
    parent,
    { parameter: 'commentId', what: 'comment' },
    async (dataSource, thing, commentId) => {
      const ownerId = await findAuthorId(dataSource, commentId, thing.threadId);
      if (ownerId === undefined) return undefined;
      const { isProjectAdministrator } = thing;
      return { commentId, ownerId, isProjectAdministrator, parent: thing };
    },
  );
