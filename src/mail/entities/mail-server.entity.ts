import { Column, Entity } from 'typeorm';
import { PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';

/** The failures, the circuit and the pace of the mail server, in a single row. */
@Entity('mail_server', tableOptions)
export class MailServer {
  /** Always 1. */
  @PrimaryForeignKey()
  id: number;

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

  /** The error of the last of these failures; `''` without one. */
  @Column({ length: 255, default: '' })
  reason: string;

  /** When the next letter may be sent, to any recipient, according to the pace. */
  @TimeColumn({ default: 0 })
  nextAt: number;
}
