import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  BigIntColumn,
  LockVersionColumn,
  LongTextColumn,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';

/** The only space of a service; its row exists once the first start is complete. */
@Entity('space', tableOptions)
export class Space {
  static readonly ID = 1;

  @PrimaryColumn({ type: 'integer' })
  id: number;

  @Column({ length: 10 })
  spaceKey: string;

  @Column({ length: 255 })
  name: string;

  /** Used storage as versions without `UsedStorage` counted it, in bytes: part of the sum, and no longer changed. */
  @BigIntColumn()
  usedBytes: number;

  /** An Administrator; replaced by another when they lose that role. */
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

  /** The message of Administrators to all users; null until it is first set. */
  @LongTextColumn({ nullable: true })
  notification: string | null;

  /** Time of the last change of the message; null until it is first set. */
  @TimeColumn({ nullable: true })
  notificationUpdated: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
