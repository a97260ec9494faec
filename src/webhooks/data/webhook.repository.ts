import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hydrateRows, insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import {
  affectedRows,
  type EntityRunner,
  inList,
  lockRow,
  selectForShare,
} from '../../database/sql/statements';
import { isDeveloper } from '../../users/data/developer-condition';
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

/** The columns of a webhook that the API returns, without its secrets. */
export type WebhookRow = Pick<Webhook, (typeof SHOWN_PROPERTIES)[number]>;

/** The events that a webhook subscribes to. */
export type SubscriptionRow = Pick<Webhook, 'id' | 'allEvent' | 'activityTypeIds'>;

/** Repository of webhooks, without their secrets. */
@Injectable()
export class WebhookRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the webhooks of a project, ordered by id. */
  findOfProject(projectId: number): Promise<WebhookRow[]> {
    const rest = 'WHERE project_id = ? AND deleted = 0 ORDER BY id';
    return selectRows(this.dataSource, Webhook, SHOWN_PROPERTIES, rest, [projectId]);
  }

  /** Returns a webhook that is not deleted. */
  find(id: number, runner: EntityRunner = this.dataSource): Promise<WebhookRow | undefined> {
    return selectRow(runner, Webhook, SHOWN_PROPERTIES, 'WHERE id = ? AND deleted = 0', [id]);
  }

  /** Locks a webhook for the rest of the transaction and returns its current state. */
  async lockForUpdate(manager: EntityManager, id: number): Promise<WebhookRow | undefined> {
    await lockRow(manager, 'webhook', id);
    return selectRow(manager, Webhook, SHOWN_PROPERTIES, 'WHERE id = ? AND deleted = 0', [id]);
  }

  /**
   * Returns the subscriptions of a project's webhooks. Runs in every change that records an activity.
   * @param isForDevelopers whether to exclude webhooks last changed by a user without a role of `DEVELOPERS`
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

  /** Returns the current addresses of webhooks by their ids, and keeps them from changing until the transaction ends. */
  async holdAddresses(
    manager: EntityManager,
    webhookIds: readonly number[],
  ): Promise<ReadonlyMap<number, string>> {
    const list = inList(webhookIds);
    const rows = await selectForShare<Pick<Webhook, 'id' | 'hookUrl'>>(
      manager,
      `SELECT id, hook_url AS hookUrl FROM webhook WHERE id ${list.sql}`,
      list.parameters,
    );
    return new Map(rows.map(({ id, hookUrl }) => [id, hookUrl]));
  }

  /** Returns the webhooks that are deleted but not yet removed, and the time of their deletion, ordered by id. */
  findDeleted(): Promise<Pick<Webhook, 'id' | 'updated'>[]> {
    return selectRows(this.dataSource, Webhook, ['id', 'updated'], 'WHERE deleted = 1 ORDER BY id');
  }

  /** Returns the ids of all webhooks of a project, including deleted ones. */
  async findAllIds(manager: EntityManager, projectId: number): Promise<number[]> {
    const rows = await selectRows(manager, Webhook, ['id'], 'WHERE project_id = ?', [projectId]);
    return rows.map(({ id }) => id);
  }

  /** Inserts a webhook and returns the id. */
  insert(manager: EntityManager, webhook: Partial<Webhook>): Promise<number> {
    return insertRow(manager, Webhook, webhook);
  }

  /** Updates columns of a webhook; `undefined` values are left unchanged. */
  update(manager: EntityManager, id: number, changes: Partial<Webhook>): Promise<void> {
    return updateRow(manager, Webhook, id, changes);
  }

  /** Removes the row of a webhook. */
  async remove(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM webhook WHERE id = ?', [id]);
  }

  /** Removes the rows of all webhooks of a project and returns their number. */
  removeAll(manager: EntityManager, projectId: number): Promise<number> {
    return affectedRows(manager, 'DELETE FROM webhook WHERE project_id = ?', [projectId]);
  }
}
