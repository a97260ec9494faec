import { Column, Entity, Index, ManyToOne } from 'typeorm';
import {
  BigIntColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { WebhookDelivery } from './webhook-delivery.entity';

/** One request to a webhook, and its result. */
@Entity('webhook_delivery_attempt', tableOptions)
export class WebhookDeliveryAttempt {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  deliveryId: number;

  @ManyToOne(() => WebhookDelivery, { onDelete: 'CASCADE' })
  delivery?: WebhookDelivery;

  /** The value of the header `webhook-attempt`. */
  @Column({ type: 'integer' })
  number: number;

  @TimeColumn()
  started: number;

  /** In milliseconds. */
  @Column({ type: 'integer' })
  duration: number;

  /** HTTP status; null when there was no response. */
  @Column({ type: 'smallint', nullable: true })
  status: number | null;

  /** The beginning of the response body, as text. */
  @LongTextColumn()
  response: string;

  /** A message that explains the failure; `''` for a success. */
  @Column({ length: 255 })
  error: string;
}
