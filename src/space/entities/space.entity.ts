import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  BigIntColumn,
  LockVersionColumn,
  LongTextColumn,
  tableOptions,
  TimeColumn,
} from '../../database/columns';

/** The one space that a service holds; its row is the sign that the first start is done. */
@Entity('space', tableOptions)
export class Space {
  static readonly ID = 1;

  @PrimaryColumn({ type: 'integer' })
  id: number;

  @Column({ length: 10 })
  spaceKey: string;

  @Column({ length: 255 })
  name: string;

  /** Bytes that all uploaded files take. */
  @BigIntColumn()
  usedBytes: number;

  /** An Administrator; another when they are one no longer. */
  @BigIntColumn({ nullable: true })
  ownerId: number | null;

  @Column({ length: 16, default: 'en' })
  lang: string;

  @Column({ length: 64, default: 'UTC' })
  timezone: string;

  /** `HH:mm:ss` */
  @Column({ length: 8, default: '08:00:00' })
  reportSendTime: string;

  @Column({ length: 16, default: 'markdown' })
  textFormattingRule: string;

  @TimeColumn()
  created: number;

  @TimeColumn({ default: 0 })
  updated: number;

  /** What Administrators tell everybody; null until they do. */
  @LongTextColumn({ nullable: true })
  notification: string | null;

  /** When they did; null until then. */
  @TimeColumn({ nullable: true })
  notificationUpdated: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
