import { hydrateRows } from '../../database/rows';
import { type EntityRunner, inList } from '../../database/statements';
import { JOINED_USER_COLUMNS, type JoinedUser } from '../../users/user.mapper';
import { joinUser } from '../../users/user-sql';
import { Notification } from '../entities/notification.entity';
import { type NotificationRow } from './notification.repository';
import { type StarRow } from './star.repository';

/** A star on a comment, or a notification of one, with its user. */
export type StarOrNotification = { commentId: number; star: number } & StarRow & NotificationRow & JoinedUser;

export const isStar = (item: StarOrNotification): boolean => item.star === 1;

/**
 * The stars and the notifications of comments, each oldest first, in one query.
 * @param limit the most rows to read, whichever they are
 */
export async function findStarsAndNotifications(
  runner: EntityRunner,
  commentIds: readonly number[],
  limit: number,
): Promise<StarOrNotification[]> {
  const list = inList(commentIds);
  const rows = await runner.query<StarOrNotification[]>(
    `SELECT 1 AS star, s.id AS id, s.comment_id AS commentId, s.presenter_id AS presenterId, s.comment AS comment,
            s.url AS url, s.title AS title, s.created AS created, s.presenter_id AS userId, 0 AS reason,
            0 AS alreadyRead, 0 AS resourceAlreadyRead, ${JOINED_USER_COLUMNS}
       FROM star s ${joinUser('s.presenter_id')} WHERE s.comment_id ${list.sql}
     UNION ALL
     SELECT 0, n.id, n.comment_id, n.user_id, '', '', '', n.created, n.user_id, n.reason, n.already_read,
            n.resource_already_read, ${JOINED_USER_COLUMNS}
       FROM notification n ${joinUser('n.user_id')} WHERE n.comment_id ${list.sql}
     LIMIT ${limit}`,
    [...list.parameters, ...list.parameters],
  );
  hydrateRows(runner, Notification, ['alreadyRead', 'resourceAlreadyRead'], rows);
  return rows.sort((one, other) => one.id - other.id);
}
