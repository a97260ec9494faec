import { Column, Entity, Index, ManyToOne } from 'typeorm';
import { EnumColumn, PrimaryForeignKey, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';
import { MailMode } from '../letter-kind';

/** What letters a user wants, and whether their address accepts any. Without a row, the defaults apply. */
@Entity('mail_setting', tableOptions)
export class MailSetting {
  @PrimaryForeignKey()
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  @EnumColumn(MailMode)
  mode: MailMode;

  /** The bits of the topics that are switched off. */
  @Column({ type: 'integer' })
  mutedTopics: number;

  /** The hour of the digest in the time zone: 0 to 23. */
  @Column({ type: 'integer' })
  digestHour: number;

  /** The name of a time zone, such as `Asia/Tokyo`. */
  @Column({ length: 64 })
  timeZone: string;

  /** The language of letters; null for that of the user. */
  @Column({ type: 'varchar', length: 2, nullable: true })
  language: string | null;

  /** When the next digest is due; null unless the user wants digests. */
  @Index()
  @TimeColumn({ nullable: true })
  digestDue: number | null;

  /** The end of the last digest's period, or when the user began to want digests. */
  @TimeColumn()
  digestAfter: number;

  /** The address that refused a letter; as soon as the user has another one, it is not paused. Null unless one did. */
  @Index()
  @Column({ type: 'varchar', length: 255, nullable: true })
  pausedAddress: string | null;

  @TimeColumn({ nullable: true })
  paused: number | null;

  /** What the mail server answered. */
  @Column({ length: 255, default: '' })
  pausedReason: string;
}
