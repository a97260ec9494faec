import { columnsOf } from '../database/statements';
import { JOINED_USER_COLUMNS } from '../users/user.mapper';
import { joinUser } from '../users/user-sql';

/** Stars as `s`, for statements of other modules that look up what a star is on. */
export const STARS = 'star s';

/** What responses show of a star besides its id. */
export const STAR_KEYS = ['presenterId', 'comment', 'url', 'title', 'created'] as const;

/** The columns of `STAR_KEYS`. */
export const STAR_COLUMNS = columnsOf('s', STAR_KEYS);

/** Stands for `STAR_COLUMNS`, in their order, in the rows of a UNION that are no stars. */
export const NO_STAR_COLUMNS = "0 AS presenterId, '' AS comment, '' AS url, '' AS title, 0 AS created";

/**
 * Selects the stars on comments with the users who have given them, as a part of a UNION: the star's id, the comment's, the
 * columns asked for, and the user's.
 * @param commentIds which comments: `IN (?)`
 */
export const selectStars = (columns: string, commentIds: string): string =>
  `SELECT s.id AS id, s.comment_id AS commentId, ${columns}, ${JOINED_USER_COLUMNS}
     FROM ${STARS} ${joinUser('s.presenter_id')} WHERE s.comment_id ${commentIds}`;
