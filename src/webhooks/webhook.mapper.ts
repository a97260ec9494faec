import { columnsOf } from '../database/statements';
import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type WebhookDto } from './dto/webhook.dto';

/** A webhook as read from the database, without what nobody is shown. */
export interface WebhookRow {
  id: number;
  name: string;
  description: string;
  hookUrl: string;
  allEvent: number | boolean;
  /** JSON text. */
  activityTypeIds: string;
  createdUserId: number;
  created: number;
  updatedUserId: number;
  updated: number;
}

/** The columns of `WebhookRow`, of the table `w`. */
export const WEBHOOK_COLUMNS = columnsOf('w', [
  'id',
  'name',
  'description',
  'hookUrl',
  'allEvent',
  'activityTypeIds',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
]);

/** A webhook as the wire shows it (`docs/protocol.md#webhook`). */
export const toWebhookDto = (row: WebhookRow, users: ReadonlyMap<number, UserDto>): WebhookDto => ({
  id: row.id,
  name: row.name,
  description: row.description,
  hookUrl: row.hookUrl,
  allEvent: Boolean(row.allEvent),
  activityTypeIds: JSON.parse(row.activityTypeIds) as number[],
  createdUser: users.get(row.createdUserId) as UserDto,
  created: toTimestamp(row.created),
  updatedUser: users.get(row.updatedUserId) as UserDto,
  updated: toTimestamp(row.updated),
});
