import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, EnumColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { Webhook } from './webhook.entity';
import { DeliveryState } from '../../deliveries/delivery-state';
import { WebhookEvent } from './webhook-event.entity';

/** The delivery of one event to one webhook: written in the transaction of the change, then leased by a process. */
@Entity('webhook_delivery', tableOptions)
@Unique(['eventId', 'webhookId'])
@Index(['webhookId', 'state', 'nextAt'])
// The log of a webhook in its order, with what filters read of each delivery.
@Index(['webhookId', 'id', 'eventId', 'created'])
export class WebhookDelivery {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  eventId: number;

  @ManyToOne(() => WebhookEvent, { onDelete: 'CASCADE' })
  event?: WebhookEvent;

  @BigIntColumn()
  webhookId: number;

  @ManyToOne(() => Webhook, { onDelete: 'CASCADE' })
  webhook?: Webhook;

  /** The random `webhook-id` header; null stands for `msg_` and the id, as in earlier versions. */
  @Column({ type: 'varchar', length: 28, nullable: true })
  messageId: string | null;

  @EnumColumn(DeliveryState)
  state: DeliveryState;

  /** Attempts since it was created or restarted: its position in the schedule. */
  @Column({ type: 'integer' })
  attempt: number;

  /** When the next attempt is due. */
  @TimeColumn()
  nextAt: number;

  /** When the lease expires; 0 without a lease. */
  @TimeColumn()
  leaseUntil: number;

  /** Fencing token: every change by a holder checks it. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  leaseToken: string | null;

  /**
   * When a new start was requested while the delivery was leased; null otherwise. The end of the lease grants it, because the
   * attempt under way may have begun before the request.
   */
  @TimeColumn({ nullable: true })
  restartRequested: number | null;

  @TimeColumn()
  created: number;

  /** When it was delivered or failed permanently. */
  @TimeColumn({ nullable: true })
  finished: number | null;
}
