import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type ChangeLogEntry } from './change-log';
import { type CommentDto, type NotificationDto, type StarDto } from './dto/comment.dto';

/** A comment as read from the database. */
export interface CommentRow {
  id: number;
  content: string;
  /** JSON text. */
  changeLog: string;
  createdUserId: number;
  created: number;
  updated: number;
}

/** A star as read from the database. */
export interface StarRow {
  id: number;
  /** Null for one on what a thread belongs to. */
  commentId: number | null;
  comment: string;
  url: string;
  title: string;
  presenterId: number;
  created: number;
}

/** A notification of a comment as read from the database. */
export interface NotificationRow {
  id: number;
  commentId: number;
  userId: number;
  reason: number;
  alreadyRead: number | boolean;
  resourceAlreadyRead: number | boolean;
}

/** What a comment's answer is made of besides its own row. */
export interface CommentParts {
  users: ReadonlyMap<number, UserDto>;
  stars: readonly StarRow[];
  notifications: readonly NotificationRow[];
}

/** A comment as the wire shows it (`docs/protocol.md#comment`). */
export function toCommentDto(row: CommentRow, { users, stars, notifications }: CommentParts): CommentDto {
  return {
    id: row.id,
    content: row.content,
    changeLog: row.changeLog === '[]' ? [] : (JSON.parse(row.changeLog) as ChangeLogEntry[]),
    createdUser: userOf(users, row.createdUserId),
    created: toTimestamp(row.created),
    updated: toTimestamp(row.updated),
    stars: stars.map((star) => toStarDto(star, users)),
    notifications: notifications.map((notification) => toNotificationDto(notification, users)),
  };
}

/** A star as the wire shows it (`docs/protocol.md#comment`). */
export const toStarDto = (row: StarRow, users: ReadonlyMap<number, UserDto>): StarDto => ({
  id: row.id,
  comment: row.comment,
  url: row.url,
  title: row.title,
  presenter: userOf(users, row.presenterId),
  created: toTimestamp(row.created),
});

/** A comment's notification as the wire shows it (`docs/protocol.md#comment`). */
export const toNotificationDto = (
  row: NotificationRow,
  users: ReadonlyMap<number, UserDto>,
): NotificationDto => ({
  id: row.id,
  alreadyRead: Boolean(row.alreadyRead),
  reason: row.reason,
  user: userOf(users, row.userId),
  resourceAlreadyRead: Boolean(row.resourceAlreadyRead),
});

/** Every user that a row names exists: the database keeps the reference. */
const userOf = (users: ReadonlyMap<number, UserDto>, id: number): UserDto => users.get(id) as UserDto;
