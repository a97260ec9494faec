import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { selectRow, selectRows, updateRow } from '../../database/sql/rows';
import {
  affectedRows,
  type EntityRunner,
  inList,
  lockRow,
  lockRows,
  quoted,
} from '../../database/sql/statements';
import { joinProjectKey, PROJECT_KEY_COLUMN } from '../../projects/data/project-key-sql';
import { deletedProjectIds } from '../../projects/visibility';
import { Webhook } from '../entities/webhook.entity';

const SECRETS = ['id', 'secret', 'previousSecrets'] as const;

/** The encrypted secrets of a webhook. */
export type StoredSecrets = Pick<Webhook, (typeof SECRETS)[number]>;

/** The webhook of a secret, for messages. */
export interface SecretOwner extends Pick<Webhook, 'id' | 'name'> {
  projectKey: string;
}

/** The encrypted secrets of a webhook, and its name. */
type NamedSecrets = StoredSecrets & Pick<Webhook, 'name'>;

/** Repository of the secrets of webhooks. */
@Injectable()
export class WebhookSecretRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the current secret, or null if there is none. */
  async findCurrent(webhookId: number, runner: EntityRunner = this.dataSource): Promise<string | null> {
    return (await selectRow(runner, Webhook, ['secret'], 'WHERE id = ?', [webhookId]))?.secret ?? null;
  }

  /** Locks a webhook for the rest of the transaction and returns its secrets and its name, unless it has been deleted. */
  async lockForUpdate(manager: EntityManager, webhookId: number): Promise<NamedSecrets | undefined> {
    await lockRow(manager, 'webhook', webhookId);
    return selectRow(manager, Webhook, [...SECRETS, 'name'], 'WHERE id = ? AND deleted = 0', [webhookId]);
  }

  /** Locks webhooks for the rest of the transaction and returns their secrets. */
  async lockAllForUpdate(manager: EntityManager, webhookIds: readonly number[]): Promise<StoredSecrets[]> {
    const list = inList(webhookIds);
    await lockRows(manager, 'webhook', `WHERE id ${list.sql} ORDER BY id`, list.parameters);
    return selectRows(manager, Webhook, SECRETS, `WHERE id ${list.sql}`, list.parameters);
  }

  /**
   * Returns the secrets of webhooks that have previous secrets or a secret of another key, ordered by id. Excludes webhooks
   * that are being removed.
   * @param after only webhooks with a larger id
   */
  findWithOtherKeys(keyId: string, after: number, limit: number): Promise<StoredSecrets[]> {
    return selectRows(
      this.dataSource,
      Webhook,
      SECRETS,
      `WHERE id > ? AND deleted = 0 AND project_id NOT IN (${deletedProjectIds})
          AND (secret NOT LIKE ? OR previous_secrets IS NOT NULL)
        ORDER BY id LIMIT ?`,
      [after, `${keyId}.%`, limit],
    );
  }

  /** Returns the webhooks with these ids, ordered by id. */
  async findOwners(ids: readonly number[]): Promise<SecretOwner[]> {
    if (ids.length === 0) return [];
    const list = inList(ids);
    return this.dataSource.query<SecretOwner[]>(
      `SELECT w.id AS id, w.${quoted('name')} AS ${quoted('name')}, ${PROJECT_KEY_COLUMN}
         FROM webhook w ${joinProjectKey('w.project_id')} WHERE w.id ${list.sql} ORDER BY w.id`,
      list.parameters,
    );
  }

  /** Stores the first secret of a webhook, unless it has one. */
  async createMissing(manager: EntityManager, webhookId: number, secret: string): Promise<void> {
    await affectedRows(manager, 'UPDATE webhook SET secret = ? WHERE id = ? AND secret IS NULL', [
      secret,
      webhookId,
    ]);
  }

  /** Replaces the secrets of one webhook. */
  replace(manager: EntityManager, { id, secret, previousSecrets }: StoredSecrets): Promise<void> {
    return updateRow(manager, Webhook, id, { secret, previousSecrets });
  }

  /** Replaces the secrets of webhooks in one statement: row by row, ten thousand would exceed the time limit of a startup. */
  async replaceAll(manager: EntityManager, rows: readonly StoredSecrets[]): Promise<void> {
    const list = inList(rows.map(({ id }) => id));
    const byId = `CASE id ${'WHEN ? THEN ? '.repeat(rows.length)}END`;
    await manager.query(
      `UPDATE webhook SET secret = ${byId}, previous_secrets = ${byId} WHERE id ${list.sql}`,
      [
        ...rows.flatMap(({ id, secret }) => [id, secret]),
        ...rows.flatMap(({ id, previousSecrets }) => [
          id,
          previousSecrets && JSON.stringify(previousSecrets),
        ]),
        ...list.parameters,
      ],
    );
  }
}
