import { type UserDto } from '../users/dto/user.dto';
import { type NotificationRow } from './data/notification.repository';
import { type NotificationDto } from './dto/notification.dto';

/** Maps a comment's notification to its API representation (`docs/protocol.md#comment`). */
export const toNotificationDto = (
  row: NotificationRow,
  users: ReadonlyMap<number, UserDto>,
): NotificationDto => ({
  id: row.id,
  alreadyRead: row.alreadyRead,
  reason: row.reason,
  // The user exists because of the foreign key.
  user: users.get(row.userId) as UserDto,
  resourceAlreadyRead: row.resourceAlreadyRead,
});
