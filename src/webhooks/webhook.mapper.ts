import { toTimestamp } from '../http/timestamp';
import { type UserDto } from '../users/dto/user.dto';
import { type WebhookDto } from './dto/webhook.dto';
import { type Webhook } from './entities/webhook.entity';

/** What of a webhook the wire shows. */
export type WebhookFields = Omit<Webhook, 'secret' | 'previousSecret' | 'previousSecretExpires'>;

/** A webhook as the wire shows it (spec, section 2.7). */
export const toWebhookDto = (webhook: WebhookFields, users: ReadonlyMap<number, UserDto>): WebhookDto => ({
  id: webhook.id,
  name: webhook.name,
  description: webhook.description,
  hookUrl: webhook.hookUrl,
  allEvent: webhook.allEvent,
  activityTypeIds: webhook.activityTypeIds,
  createdUser: users.get(webhook.createdUserId) as UserDto,
  created: toTimestamp(webhook.created),
  updatedUser: users.get(webhook.updatedUserId) as UserDto,
  updated: toTimestamp(webhook.updated),
});
