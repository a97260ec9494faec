import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type WebhookRow } from './data/webhook.repository';
import { type WebhookDto } from './dto/webhook.dto';

/** Maps a webhook row to its API representation (`docs/protocol.md#webhook`). */
export const toWebhookDto = (row: WebhookRow, users: ReadonlyMap<number, UserDto>): WebhookDto => ({
  id: row.id,
  name: row.name,
  description: row.description,
  hookUrl: row.hookUrl,
  allEvent: row.allEvent,
  activityTypeIds: row.activityTypeIds,
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
});
