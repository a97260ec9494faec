import { Column, Entity, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';
import { Webhook } from './webhook.entity';

/**
 * The health of a webhook's receiver. Separate from the webhook, because every new delivery references the webhook's row:
 * updating that row at each failure would make failures and new deliveries wait for each other.
 */
@Entity('webhook_health', tableOptions)
export class WebhookHealth {
  @PrimaryForeignKey()
  webhookId: number;

  @ManyToOne(() => Webhook, { onDelete: 'CASCADE' })
  webhook?: Webhook;

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** Failures since the last success. */
  @Column({ type: 'integer' })
  failures: number;

  /** When the first of these failures occurred; null when the last attempt succeeded. */
  @TimeColumn({ nullable: true })
  failingSince: number | null;

  /** End of the current pause while the circuit is open; 0 when it is closed. */
  @TimeColumn()
  pausedUntil: number;

  /** Number of consecutive times the circuit has opened. */
  @Column({ type: 'integer' })
  pauses: number;

  /** Why it was disabled, or the error of the last of these failures; `''` for neither. */
  @Column({ length: 255, default: '' })
  reason: string;
}
