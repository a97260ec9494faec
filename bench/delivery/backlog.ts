import { type DataSource } from 'typeorm';
import { ActivityType } from '../../src/activities/activity-type';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/connections/data-source';
import { insertRows } from '../../src/database/sql/rows';
import { placeholders } from '../../src/database/sql/statements';
import { newMessageId } from '../../src/webhooks/sending/delivery';
import { DeliveryState } from '../../src/deliveries/delivery-state';
import { WebhookDelivery } from '../../src/webhooks/entities/webhook-delivery.entity';
import { WebhookEvent } from '../../src/webhooks/entities/webhook-event.entity';

const EVENTS_PER_TRANSACTION = 200;

/** Inserts due deliveries into a database while no service runs on it. */
export class Backlog {
  private constructor(private readonly dataSource: DataSource) {}

  static async open(databaseUrl: string): Promise<Backlog> {
    const dataSource = createDataSource({ DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: 1 }, entities);
    await dataSource.initialize();
    return new Backlog(dataSource);
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  /** Adds events, each with one delivery to every webhook. */
  async add(events: number, webhookIds: readonly number[]): Promise<void> {
    const [row] = await this.dataSource.query<{ last: number | null }[]>(
      'SELECT MAX(id) AS last FROM webhook_event',
    );
    const first = (row?.last ?? 0) + 1;
    for (let start = first; start < first + events; start += EVENTS_PER_TRANSACTION) {
      const length = Math.min(EVENTS_PER_TRANSACTION, first + events - start);
      await this.addEvents(
        Array.from({ length }, (_, offset) => start + offset),
        webhookIds,
      );
    }
  }

  /** Removes webhooks together with their deliveries. */
  async removeWebhooks(ids: readonly number[]): Promise<void> {
    await this.dataSource.query(`DELETE FROM webhook WHERE id IN (${placeholders(ids)})`, [...ids]);
  }

  private async addEvents(ids: readonly number[], webhookIds: readonly number[]): Promise<void> {
    const created = Date.now();
    await this.dataSource.transaction(async (manager) => {
      await insertRows(
        manager,
        WebhookEvent,
        ids.map((id) => ({
          id,
          activityId: null,
          activityType: ActivityType.IssueCommented,
          payload: payloadOf(id),
          created,
        })),
      );
      await insertRows(
        manager,
        WebhookDelivery,
        ids.flatMap((eventId) =>
          webhookIds.map((webhookId) => ({
            eventId,
            webhookId,
            messageId: newMessageId(),
            state: DeliveryState.Pending,
            attempt: 0,
            nextAt: created,
            leaseUntil: 0,
            leaseToken: null,
            created,
            finished: null,
          })),
        ),
      );
    });
  }
}

/** Returns a payload of the length of a comment's. */
const payloadOf = (id: number): string =>
  JSON.stringify({
    id,
    project: { id: 1, projectKey: 'BENCH', name: 'Bench' },
    type: ActivityType.IssueCommented,
    content: {
      id: 1,
      key_id: 1,
      summary: 'Issue 1',
      description: 'The loop reads past the end of the list when the last page is short. '.repeat(4),
      comment: { id, content: 'Fixed on the branch, please look again at the second half of the change.' },
      changes: [],
      attachments: [],
      shared_files: [],
      external_file_links: [],
    },
    notifications: [],
    createdUser: { id: 1, userId: 'admin', name: 'Administrator', roleType: 1, lang: 'en' },
    created: '2026-01-01T00:00:00Z',
  });
