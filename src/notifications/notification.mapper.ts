import { type UserDto } from '../users/dto/user.dto';
import { type NotificationRow } from './data/notification.repository';
import { type NotificationDto } from './dto/notification.dto';

/** A comment's notification as responses show it (`docs/protocol.md#comment`). */
export const toNotificationDto = (
  row: NotificationRow,
  users: ReadonlyMap<number, UserDto>,
): NotificationDto => ({
  id: row.id,
  alreadyRead: row.alreadyRead,
  reason: row.reason,
  // Exists, because of the foreign key.
  user: users.get(row.userId) as UserDto,
  resourceAlreadyRead: row.resourceAlreadyRead,
});
