import { hydrateRows } from '../../database/sql/rows';
import { columnsOf, type EntityRunner } from '../../database/sql/statements';
import { JOINED_USER_COLUMNS } from '../../users/user.mapper';
import { joinUser } from '../../users/data/user-sql';
import { Notification } from '../entities/notification.entity';

/** Notifications as `n`, for statements of other modules that write something for each. */
export const NOTIFICATIONS = 'notification n';

/** The properties of a comment's notification that responses show besides its id. */
export const NOTIFICATION_KEYS = ['userId', 'reason', 'alreadyRead', 'resourceAlreadyRead'] as const;

/** The columns of `NOTIFICATION_KEYS`. */
export const NOTIFICATION_COLUMNS = columnsOf('n', NOTIFICATION_KEYS);

/** Replaces `NOTIFICATION_COLUMNS`, in their order, in the rows of a UNION that are not notifications. */
export const NO_NOTIFICATION_COLUMNS = '0 AS userId, 0 AS reason, 0 AS alreadyRead, 0 AS resourceAlreadyRead';

/**
 * Selects the notifications of comments with the notified users, as a part of a UNION: the ids of the notification and its
 * comment, the given columns, and the columns of the user.
 * @param commentIds condition on the comments: `IN (?)`
 */
export const selectNotifications = (columns: string, commentIds: string): string =>
  `SELECT n.id AS id, n.comment_id AS commentId, ${columns}, ${JOINED_USER_COLUMNS}
     FROM notification n ${joinUser('n.user_id')} WHERE n.comment_id ${commentIds}`;

/** Converts rows with `NOTIFICATION_COLUMNS` to the types of the entity. */
export async function hydrateNotifications(
  runner: EntityRunner,
  rows: Pick<Notification, (typeof NOTIFICATION_KEYS)[number]>[],
): Promise<void> {
  await hydrateRows(runner, Notification, ['alreadyRead', 'resourceAlreadyRead'], rows);
}
