import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRows, selectRows } from '../../../database/rows';
import { WebhookDeliveryAttempt } from '../entities/webhook-delivery-attempt.entity';

/** Limits of one INSERT: a character can take three bytes, and a MySQL packet is limited to 16 MiB. */
const MAX_CHUNK_CHARACTERS = 1024 * 1024;
const MAX_CHUNK_ROWS = 200;

const SHOWN_PROPERTIES = ['number', 'started', 'duration', 'status', 'response', 'error'] as const;

/** An attempt without its keys. */
export type AttemptRow = Pick<WebhookDeliveryAttempt, (typeof SHOWN_PROPERTIES)[number]>;

/** Repository of attempts. */
@Injectable()
export class DeliveryAttemptRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the latest attempts of a delivery, newest first. */
  findLatest(deliveryId: number, limit: number): Promise<AttemptRow[]> {
    const rest = 'WHERE delivery_id = ? ORDER BY id DESC LIMIT ?';
    return selectRows(this.dataSource, WebhookDeliveryAttempt, SHOWN_PROPERTIES, rest, [deliveryId, limit]);
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
