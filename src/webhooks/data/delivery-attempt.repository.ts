import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns, hydrateRows, insertRows } from '../../database/sql/rows';
import { columnsOf } from '../../database/sql/statements';
import { WebhookDeliveryAttempt } from '../entities/webhook-delivery-attempt.entity';
import { type WebhookDelivery } from '../entities/webhook-delivery.entity';

/** Limits of one INSERT: a character can take three bytes, and a MySQL packet is limited to 16 MiB. */
const MAX_CHUNK_CHARACTERS = 1024 * 1024;
const MAX_CHUNK_ROWS = 200;

const SHOWN_PROPERTIES = ['number', 'started', 'duration', 'status', 'response', 'error'] as const;

/** An attempt without its keys. */
export type AttemptRow = Pick<WebhookDeliveryAttempt, (typeof SHOWN_PROPERTIES)[number]>;

type JoinedAttempt = (AttemptRow & { attemptId: number }) | Record<keyof AttemptRow | 'attemptId', null>;

const PROGRESS_PROPERTIES = ['state', 'attempt', 'nextAt', 'finished'] as const;

/** What an attempt changes in its delivery. */
export type DeliveryProgress = Pick<WebhookDelivery, (typeof PROGRESS_PROPERTIES)[number]>;

/** Repository of attempts. */
@Injectable()
export class DeliveryAttemptRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the progress of a delivery and its latest attempts, newest first; undefined when it does not exist. Both are of the same
   * moment, because an attempt may be recorded between two statements.
   */
  async findLatest(
    deliveryId: number,
    limit: number,
  ): Promise<{ progress: DeliveryProgress; attempts: AttemptRow[] } | undefined> {
    const attemptColumns = entityColumns(this.dataSource, WebhookDeliveryAttempt, SHOWN_PROPERTIES, 'a');
    const rows = await this.dataSource.query<(DeliveryProgress & JoinedAttempt)[]>(
      `SELECT ${columnsOf('d', PROGRESS_PROPERTIES)}, a.id AS attemptId, ${attemptColumns}
         FROM webhook_delivery d LEFT JOIN webhook_delivery_attempt a ON a.delivery_id = d.id
        WHERE d.id = ? ORDER BY a.id DESC LIMIT ?`,
      [deliveryId, limit],
    );
    const [progress] = rows;
    if (!progress) return undefined;
    // A delivery without attempts is a row whose other columns are null.
    const attempts = rows.filter((row) => row.attemptId !== null);
    return {
      progress,
      attempts: await hydrateRows(this.dataSource, WebhookDeliveryAttempt, SHOWN_PROPERTIES, attempts),
    };
  }

  /** Inserts attempts. */
  async insert(
    manager: EntityManager,
    attempts: readonly (AttemptRow & { deliveryId: number })[],
  ): Promise<void> {
    for (const chunk of chunksOf(attempts, ({ response }) => response.length)) {
      await insertRows(manager, WebhookDeliveryAttempt, chunk);
    }
  }
}

/** Splits a list into parts that fit into one statement each. */
function chunksOf<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[][] {
  const chunks: Item[][] = [];
  let size = Infinity;
  for (const item of items) {
    size += sizeOf(item);
    const last = chunks.at(-1);
    if (!last || size > MAX_CHUNK_CHARACTERS || last.length >= MAX_CHUNK_ROWS) {
      chunks.push([item]);
      size = sizeOf(item);
    } else {
      last.push(item);
    }
  }
  return chunks;
}
