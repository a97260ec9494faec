import { toTimestamp } from '../http/request/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type WebhookRow } from './data/webhook.repository';
import { type HealthRow } from './data/webhook-health.repository';
import { type WebhookDto, type WebhookHealthDto } from './dto/webhook.dto';

/** The health of a webhook that has just been added. */
const HEALTHY: Omit<HealthRow, 'webhookId'> = {
  enabled: true,
  failures: 0,
  failingSince: null,
  pausedUntil: 0,
  reason: '',
};

/** Maps a webhook row to its API representation (`docs/protocol.md#webhook`). */
export const toWebhookDto = (
  row: WebhookRow,
  users: ReadonlyMap<number, UserDto>,
  health: Omit<HealthRow, 'webhookId'> = HEALTHY,
): WebhookDto => ({
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
  health: toHealthDto(health),
});

const toHealthDto = (row: Omit<HealthRow, 'webhookId'>): WebhookHealthDto => ({
  enabled: row.enabled,
  pausedUntil: row.enabled && row.pausedUntil > 0 ? toTimestamp(row.pausedUntil) : null,
  failures: row.failures,
  failingSince: row.failingSince === null ? null : toTimestamp(row.failingSince),
  reason: row.reason,
});
