import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hydrateRows, insertRow, selectRow, selectRows, updateRow } from '../../database/rows';
import { affectedRows, type EntityRunner, lockRow } from '../../database/statements';
import { isDeveloper } from '../../users/developer-condition';
import { Webhook } from '../entities/webhook.entity';

const SHOWN_PROPERTIES = [
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
] as const;

/** The part of a webhook that the wire shows: all but its secrets. */
export type WebhookRow = Pick<Webhook, (typeof SHOWN_PROPERTIES)[number]>;

/** Which events a webhook is sent. */
export type SubscriptionRow = Pick<Webhook, 'id' | 'allEvent' | 'activityTypeIds'>;

/** The table of webhooks, without their secrets. */
@Injectable()
export class WebhookRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The webhooks of a project, ordered by id. */
  findOfProject(projectId: number): Promise<WebhookRow[]> {
    const rest = 'WHERE project_id = ? AND deleted = 0 ORDER BY id';
    return selectRows(this.dataSource, Webhook, SHOWN_PROPERTIES, rest, [projectId]);
  }

  /** One webhook. */
  find(id: number, runner: EntityRunner = this.dataSource): Promise<WebhookRow | undefined> {
    return selectRow(runner, Webhook, SHOWN_PROPERTIES, 'WHERE id = ? AND deleted = 0', [id]);
  }

  /** Locks a webhook for the rest of the transaction and returns its current state. */
  async lockForUpdate(manager: EntityManager, id: number): Promise<WebhookRow | undefined> {
    await lockRow(manager, 'webhook', id);
    return selectRow(manager, Webhook, SHOWN_PROPERTIES, 'WHERE id = ? AND deleted = 0', [id]);
  }

  /**
   * What the webhooks of a project subscribe to. Part of every change that records an activity.
   * @param isForDevelopers whether to leave out webhooks that somebody with another role changed last
   */
  async findSubscriptions(
    manager: EntityManager,
    projectId: number,
    isForDevelopers: boolean,
  ): Promise<SubscriptionRow[]> {
    const isSeen = isForDevelopers ? `AND ${isDeveloper('w.updated_user_id')}` : '';
    const rows = await manager.query<SubscriptionRow[]>(
      `SELECT w.id AS id, w.all_event AS allEvent, w.activity_type_ids AS activityTypeIds
         FROM webhook w WHERE w.project_id = ? AND w.deleted = 0 ${isSeen}`,
      [projectId],
    );
    return hydrateRows(manager, Webhook, ['allEvent', 'activityTypeIds'], rows);
  }

  /** The webhooks that are deleted and not yet removed, and when they were, ordered by id. */
  findDeleted(): Promise<Pick<Webhook, 'id' | 'updated'>[]> {
    return selectRows(this.dataSource, Webhook, ['id', 'updated'], 'WHERE deleted = 1 ORDER BY id');
  }

  /** The ids of all webhooks of a project, deleted ones included. */
  async findAllIds(manager: EntityManager, projectId: number): Promise<number[]> {
    const rows = await selectRows(manager, Webhook, ['id'], 'WHERE project_id = ?', [projectId]);
    return rows.map(({ id }) => id);
  }

  /** Inserts a webhook and returns the id. */
  insert(manager: EntityManager, webhook: Partial<Webhook>): Promise<number> {
    return insertRow(manager, Webhook, webhook);
  }

  /** Changes columns of a webhook; those that are `undefined` stay. */
  update(manager: EntityManager, id: number, changes: Partial<Webhook>): Promise<void> {
    return updateRow(manager, Webhook, id, changes);
  }

  /** Removes the row of a webhook. */
  async remove(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM webhook WHERE id = ?', [id]);
  }

  /** Removes the rows of all webhooks of a project; returns how many. */
  removeAll(manager: EntityManager, projectId: number): Promise<number> {
    return affectedRows(manager, 'DELETE FROM webhook WHERE project_id = ?', [projectId]);
  }
}
