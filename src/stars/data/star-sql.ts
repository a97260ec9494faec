import { type Select } from '../../database/sql/select-together';
import { columnsOf } from '../../database/sql/statements';
import { JOINED_USER_COLUMNS } from '../../users/user.mapper';
import { joinUser } from '../../users/data/user-sql';
import { type Star } from '../entities/star.entity';

/** Stars as `s`, for statements of other modules that look up the subject of a star. */
export const STARS = 'star s';

/** The fields of a star that responses show besides its id. */
export const STAR_KEYS = ['presenterId', 'comment', 'url', 'title', 'created'] as const;

/** The columns of `STAR_KEYS`. */
export const STAR_COLUMNS = columnsOf('s', STAR_KEYS);

/** Placeholders for `STAR_COLUMNS`, in their order, in the rows of a UNION that are not stars. */
export const NO_STAR_COLUMNS = "0 AS presenterId, '' AS comment, '' AS url, '' AS title, 0 AS created";

/**
 * Selects the stars on comments with their presenters, as a part of a UNION: the ids of the star and the comment, the requested columns,
 * and those of the user.
 * @param commentIds the condition on the comment ids: `IN (?)`
 */
export const selectStars = (columns: string, commentIds: string): string =>
  `SELECT s.id AS id, s.comment_id AS commentId, ${columns}, ${JOINED_USER_COLUMNS}
     FROM ${STARS} ${joinUser('s.presenter_id')} WHERE s.comment_id ${commentIds}`;

/** A star, with the fields that responses show. */
export type StarRow = Pick<Star, 'id' | (typeof STAR_KEYS)[number]>;

/** Selects the stars on threads, not on their comments, oldest first. */
export const starsOfThreads = (ids: readonly number[]): Select<StarRow & { threadId: number }> => ({
  alias: 's',
  keys: ['id', ...STAR_KEYS, 'threadId'],
  from: STARS,
  column: 's.thread_id',
  ids,
});
