import { type Type } from '@nestjs/common';
import { type AccessResource, type ResourceLoader } from '../access/access';
import { childOf } from '../projects/project-resource';

/** A comment that the path names, and the thing that it is on. */
export interface CommentResource<Parent> extends AccessResource {
  commentId: number;
  parent: Parent;
}

/** A loader for a comment on what the path names before it: `/issues/{issueIdOrKey}/comments/{commentId}`. */
export const commentOf = <Parent extends AccessResource & { threadId: number }>(
  parent: Type<ResourceLoader<Parent>>,
): Type<ResourceLoader<CommentResource<Parent>>> =>
  childOf<Parent, CommentResource<Parent>>(
    parent,
    { parameter: 'commentId', what: 'comment' },
    async (dataSource, thing, commentId) => {
      const [row] = await dataSource.query<{ ownerId: number }[]>(
        'SELECT created_user_id AS ownerId FROM comment WHERE id = ? AND thread_id = ?',
        [commentId, thing.threadId],
      );
      if (!row) return undefined;
      const { isProjectAdministrator } = thing;
      return { commentId, ownerId: row.ownerId, isProjectAdministrator, parent: thing };
    },
  );
