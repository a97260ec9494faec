import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRows } from '../../database/sql/rows';
import { affectedRows, inList } from '../../database/sql/statements';
import { WebhookEvent } from '../entities/webhook-event.entity';

/** Repository of events, the content of deliveries. */
@Injectable()
export class WebhookEventRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Inserts an event and returns the id. */
  insert(manager: EntityManager, event: Omit<WebhookEvent, 'id' | 'activity'>): Promise<number> {
    return insertRow(manager, WebhookEvent, event);
  }

  /** Returns those of the activities that have an event. */
  async findActivityIds(manager: EntityManager, activityIds: readonly number[]): Promise<number[]> {
    const list = inList(activityIds);
    const rows = await manager.query<{ activityId: number }[]>(
      `SELECT activity_id AS activityId FROM webhook_event WHERE activity_id ${list.sql}`,
      list.parameters,
    );
    return rows.map(({ activityId }) => activityId);
  }

  /** Returns the oldest events: ids are in order of time. */
  findOldest(limit: number): Promise<Pick<WebhookEvent, 'id' | 'created'>[]> {
    return selectRows(this.dataSource, WebhookEvent, ['id', 'created'], 'ORDER BY id LIMIT ?', [limit]);
  }

  /** Removes the events that have no deliveries left, and returns their number. */
  removeUndelivered(manager: EntityManager, ids: readonly number[]): Promise<number> {
    const list = inList(ids);
    return affectedRows(
      manager,
      `DELETE FROM webhook_event WHERE id ${list.sql}
        AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = webhook_event.id)`,
      list.parameters,
    );
  }
}
