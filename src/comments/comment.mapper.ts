import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type CommentRow } from './data/comment.repository';
import { type NotificationRow } from './data/notification.repository';
import { type StarRow } from './data/star.repository';
import { type CommentDto, type NotificationDto, type StarDto } from './dto/comment.dto';

/** What a response shows of a comment besides its own row. */
export interface CommentParts {
  users: ReadonlyMap<number, UserDto>;
  stars: readonly StarRow[];
  notifications: readonly NotificationRow[];
}

/** A comment as responses show it (`docs/protocol.md#comment`). */
export function toCommentDto(row: CommentRow, { users, stars, notifications }: CommentParts): CommentDto {
  return {
    id: row.id,
    content: row.content,
    changeLog: row.changeLog,
    createdUser: userOf(users, row.createdUserId),
    created: toTimestamp(row.created),
    updated: toTimestamp(row.updated),
    stars: stars.map((star) => toStarDto(star, users)),
    notifications: notifications.map((notification) => toNotificationDto(notification, users)),
  };
}

/** A star as responses show it (`docs/protocol.md#comment`). */
export const toStarDto = (row: StarRow, users: ReadonlyMap<number, UserDto>): StarDto => ({
  id: row.id,
  comment: row.comment,
  url: row.url,
  title: row.title,
  presenter: userOf(users, row.presenterId),
  created: toTimestamp(row.created),
});

/** A comment's notification as responses show it (`docs/protocol.md#comment`). */
export const toNotificationDto = (
  row: NotificationRow,
  users: ReadonlyMap<number, UserDto>,
): NotificationDto => ({
  id: row.id,
  alreadyRead: row.alreadyRead,
  reason: row.reason,
  user: userOf(users, row.userId),
  resourceAlreadyRead: row.resourceAlreadyRead,
});

/** Every user that a row names exists, because of its foreign key. */
const userOf = (users: ReadonlyMap<number, UserDto>, id: number): UserDto => users.get(id) as UserDto;
