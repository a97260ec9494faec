import { type Agent } from '../access/agent';
import { toTimestamp } from '../http/request/timestamp';
import { type NotificationRow } from '../notifications/data/notification.repository';
import { toNotificationDto } from '../notifications/notification.mapper';
import { type StarRow } from '../stars/data/star-sql';
import { toStarDto } from '../stars/star.mapper';
import { type UserDto } from '../users/dto/user.dto';
import { type CommentRow } from './data/comment.repository';
import { type CommentDto } from './dto/comment.dto';

/** The parts of a comment's response that are not in its row. */
export interface CommentParts {
  users: ReadonlyMap<number, UserDto>;
  /** Set if an agent wrote the comment. */
  agent?: Agent;
  stars: readonly StarRow[];
  notifications: readonly NotificationRow[];
}

/** Converts a comment to its response (`docs/protocol.md#comment`). */
export function toCommentDto(
  row: Omit<CommentRow, 'agentKeyId'>,
  { users, agent, stars, notifications }: CommentParts,
): CommentDto {
  return {
    id: row.id,
    content: row.content,
    changeLog: row.changeLog,
    // Exists because of the foreign key.
    createdUser: users.get(row.createdUserId) as UserDto,
    ...(agent && { agent }),
    created: toTimestamp(row.created),
    updated: toTimestamp(row.updated),
    stars: stars.map((star) => toStarDto(star, users)),
    notifications: notifications.map((notification) => toNotificationDto(notification, users)),
  };
}
