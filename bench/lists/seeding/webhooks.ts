import { ActivityType } from '../../../src/activities/activity-type';
import { insertRow } from '../../../src/database/sql/rows';
import { DeliveryState } from '../../../src/deliveries/delivery-state';
import { WebhookDelivery } from '../../../src/webhooks/entities/webhook-delivery.entity';
import { WebhookEvent } from '../../../src/webhooks/entities/webhook-event.entity';
import { WebhookHealth } from '../../../src/webhooks/entities/webhook-health.entity';
import { Webhook } from '../../../src/webhooks/entities/webhook.entity';
import { insertAll, type SeedDatabase } from '../../support/seed-database';
import { type Frame } from './frame';

/** Adds a webhook to the first project with recent deliveries, because old ones would be deleted. */
export function seedDeliveries(database: SeedDatabase, { population, projects }: Frame): Promise<number> {
  const now = Date.now();
  const createdUserId = population.userId('busy');
  return database.write(async (manager) => {
    const webhookId = await insertRow(manager, Webhook, {
      projectId: projects[0]?.id,
      name: 'Receiver',
      description: '',
      hookUrl: 'https://receiver.invalid/',
      allEvent: true,
      activityTypeIds: [],
      secret: null,
      previousSecrets: null,
      createdUserId,
      created: now,
      updatedUserId: createdUserId,
      updated: now,
    });
    await insertAll(manager, WebhookHealth, [webhookId], (id) => ({
      webhookId: id,
      enabled: true,
      failures: 0,
      failingSince: null,
      pausedUntil: 0,
      pauses: 0,
    }));
    const events = Array.from({ length: population.amounts.deliveries }, (_, index) => index + 1);
    await insertAll(manager, WebhookEvent, events, (id) => ({
      id,
      activityId: id,
      activityType: id % 6 === 1 ? ActivityType.IssueCreated : ActivityType.IssueCommented,
      payload: '{}',
      created: now,
    }));
    await insertAll(manager, WebhookDelivery, events, (eventId) => ({
      eventId,
      webhookId,
      state: eventId % 50 === 0 ? DeliveryState.Failed : DeliveryState.Delivered,
      attempt: 1,
      nextAt: now,
      leaseUntil: 0,
      leaseToken: null,
      created: now,
      finished: now,
    }));
    await manager.query(
      "UPDATE project_counter SET used = 1, last_number = 1 WHERE project_id = ? AND name = 'webhook'",
      [projects[0]?.id],
    );
    return webhookId;
  });
}
