import { type EntityRunner, inList } from '../../database/sql/statements';
import { type NotificationRow } from '../../notifications/data/notification.repository';
import {
  hydrateNotifications,
  NO_NOTIFICATION_COLUMNS,
  NOTIFICATION_COLUMNS,
  selectNotifications,
} from '../../notifications/data/notification-sql';
import { NO_STAR_COLUMNS, selectStars, STAR_COLUMNS, type StarRow } from '../../stars/data/star-sql';
import { type JoinedUser } from '../../users/user.mapper';

/** A star on a comment or a notification of it, with its user. */
export type StarOrNotification = { commentId: number; star: number } & StarRow & NotificationRow & JoinedUser;

export const isStar = (item: StarOrNotification): boolean => item.star === 1;

/**
 * Returns the stars and the notifications of comments, each oldest first, in one query.
 * @param limit the maximum number of rows of both kinds
 */
export async function findStarsAndNotifications(
  runner: EntityRunner,
  commentIds: readonly number[],
  limit: number,
): Promise<StarOrNotification[]> {
  const list = inList(commentIds);
  const rows = await runner.query<StarOrNotification[]>(
    `${selectStars(`1 AS star, ${STAR_COLUMNS}, ${NO_NOTIFICATION_COLUMNS}`, list.sql)}
     UNION ALL
     ${selectNotifications(`0 AS star, ${NO_STAR_COLUMNS}, ${NOTIFICATION_COLUMNS}`, list.sql)}
     LIMIT ${limit}`,
    [...list.parameters, ...list.parameters],
  );
  await hydrateNotifications(runner, rows);
  return rows.sort((one, other) => one.id - other.id);
}
