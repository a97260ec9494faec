import { DialectMigration } from './dialect-migration';

/** Indexes with what the filters of the delivery log read. Older processes write them, and read the log as before. */
export class DeliveryFilters1795886400000 extends DialectMigration {
  readonly name = 'DeliveryFilters1795886400000';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'CREATE INDEX "ix_webhook_event_id_activity_type_activity_id" ON "webhook_event" ("id", "activity_type", "activity_id") ',
      'CREATE INDEX "ix_webhook_delivery_webhook_id_id_event_id_created" ON "webhook_delivery" ("webhook_id", "id", "event_id", "created") ',
      'DROP INDEX "ix_webhook_delivery_webhook_id_id"',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE INDEX `ix_webhook_event_id_activity_type_activity_id` ON `webhook_event` (`id`, `activity_type`, `activity_id`)',
      'CREATE INDEX `ix_webhook_delivery_webhook_id_id_event_id_created` ON `webhook_delivery` (`webhook_id`, `id`, `event_id`, `created`)',
      'DROP INDEX `ix_webhook_delivery_webhook_id_id` ON `webhook_delivery`',
    ],
    down: [
      'CREATE INDEX `ix_webhook_delivery_webhook_id_id` ON `webhook_delivery` (`webhook_id`, `id`)',
      'DROP INDEX `ix_webhook_delivery_webhook_id_id_event_id_created` ON `webhook_delivery`',
      'DROP INDEX `ix_webhook_event_id_activity_type_activity_id` ON `webhook_event`',
    ],
  };
}
