import { Column, Entity, JoinColumn, ManyToOne } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../../database/columns';
import { Webhook } from '../../entities/webhook.entity';

/**
 * How a webhook's receiver is doing. Apart from the webhook itself, whose row every new delivery refers to: moving it for
 * each failure would make the two wait for each other.
 */
@Entity('webhook_health', tableOptions)
export class WebhookHealth {
  @PrimaryForeignKey()
  webhookId: number;

  @ManyToOne(() => Webhook, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id' })
  webhook?: Webhook;

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** Failures since the last success. */
  @Column({ type: 'integer' })
  failures: number;

  /** When the first of them was; null when the last attempt succeeded. */
  @TimeColumn({ nullable: true })
  failingSince: number | null;

  /** The circuit is open until then. */
  @TimeColumn()
  pausedUntil: number;

  /** How many times in a row the circuit has opened. */
  @Column({ type: 'integer' })
  pauses: number;
}
