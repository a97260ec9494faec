import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hydrateRows } from '../../database/sql/rows';
import { inList, placeholders } from '../../database/sql/statements';
import { deletedProjectIds } from '../../projects/visibility';
import { isDeveloper } from '../../users/data/developer-condition';
import { Webhook } from '../entities/webhook.entity';
import { type DueEndpoint, type EndpointTarget } from '../sending/delivery';
import { DeliveryState } from '../../deliveries/delivery-state';

const TARGET_COLUMNS = `w.id AS webhookId, w.hook_url AS hookUrl, w.secret AS secret,
  w.previous_secrets AS previousSecrets, ${isDeveloper('w.updated_user_id')} AS ownerIsDeveloper`;

const PROJECT_EXISTS = `w.project_id NOT IN (${deletedProjectIds})`;

/** A row as the drivers return it: EXISTS is not a boolean in any engine. */
type Selected<Target extends EndpointTarget> = Omit<Target, 'ownerIsDeveloper'> & {
  ownerIsDeveloper: number;
};

/** Repository of webhooks for the dispatcher, with their secrets and their health. */
@Injectable()
export class EndpointRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns webhooks that are enabled, not paused, of no deleted project, and have a due delivery without a lease, ordered by id; one index
   * look-up per webhook.
   * @param after only webhooks with a larger id
   * @param busy ids to exclude
   */
  async findDue(now: number, after: number, busy: readonly number[], limit: number): Promise<DueEndpoint[]> {
    const others = busy.length > 0 ? `AND h.webhook_id NOT IN (${placeholders(busy)})` : '';
    const rows = await this.dataSource.query<Selected<DueEndpoint>[]>(
      `SELECT ${TARGET_COLUMNS}, w.project_id AS projectId, h.failures AS failures, h.paused_until AS pausedUntil
         FROM webhook_health h JOIN webhook w ON w.id = h.webhook_id
        WHERE h.enabled = ? AND h.paused_until <= ? AND h.webhook_id > ? ${others}
          AND ${PROJECT_EXISTS}
          AND EXISTS (SELECT 1 FROM webhook_delivery d
                       WHERE d.webhook_id = h.webhook_id AND d.state = ? AND d.next_at <= ? AND d.lease_until <= ?)
        ORDER BY h.webhook_id LIMIT ?`,
      [true, now, after, ...busy, DeliveryState.Pending, now, now, limit],
    );
    return this.hydrate(rows);
  }

  /** Returns the current state of the webhooks that have not been deleted, nor their projects. */
  async findTargets(webhookIds: readonly number[]): Promise<EndpointTarget[]> {
    const list = inList(webhookIds);
    const rows = await this.dataSource.query<Selected<EndpointTarget>[]>(
      `SELECT ${TARGET_COLUMNS} FROM webhook w WHERE w.deleted = 0 AND ${PROJECT_EXISTS} AND w.id ${list.sql}`,
      list.parameters,
    );
    return this.hydrate(rows);
  }

  private async hydrate<Row extends Selected<EndpointTarget>>(
    rows: Row[],
  ): Promise<(Omit<Row, 'ownerIsDeveloper'> & Pick<EndpointTarget, 'ownerIsDeveloper'>)[]> {
    const hydrated = await hydrateRows(this.dataSource, Webhook, ['previousSecrets'], rows);
    return hydrated.map((row) => ({
      ...row,
      ownerIsDeveloper: Boolean(row.ownerIsDeveloper),
    }));
  }
}
