import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import {
  BigIntColumn,
  EnumColumn,
  JsonColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { DeliveryState } from '../../deliveries/delivery-state';
import { Notification } from '../../notifications/entities/notification.entity';
import { User } from '../../users/entities/user.entity';
import { LetterKind } from '../letter-kind';

/**
 * A letter to send: written in the transaction of the change, then leased by a process. It names what it is about, and has neither its text nor a
 * token: both are made when it is sent (`docs/decisions/0066-mail.md`).
 */
@Entity('mail_letter', tableOptions)
@Index(['state', 'isUrgent', 'nextAt'])
@Index(['address', 'created'])
@Unique(['unsubscribeHash'])
export class MailLetter {
  @PrimaryId()
  id: number;

  @EnumColumn(LetterKind)
  kind: LetterKind;

  /** The user who gets it; null for people who are no users yet, or have entered only a name. */
  @Index()
  @BigIntColumn({ nullable: true })
  userId: number | null;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  user?: User;

  /** The address if it is not the user's current one; that of a forgotten password, in lower case, from when its letter is composed. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  address: string | null;

  @Index()
  @BigIntColumn({ nullable: true })
  notificationId: number | null;

  @ManyToOne(() => Notification, { onDelete: 'CASCADE' })
  notification?: Notification;

  /** The project of its subject, if nothing else says it; removed with the project. */
  @Index()
  @BigIntColumn({ nullable: true })
  projectId: number | null;

  /** What its kind needs besides. */
  @JsonColumn({ nullable: true })
  detail: LetterDetail | null;

  /** SHA-256 of the token with which the recipient ends letters, in hexadecimal; null until it is sent, and without such a link. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  unsubscribeHash: string | null;

  @EnumColumn(DeliveryState)
  state: DeliveryState;

  /** Attempts so far: its position in the schedule. */
  @Column({ type: 'integer' })
  attempt: number;

  /** Whether it goes before a backlog of others, at each attempt, because its kind is one of `URGENT_KINDS`. */
  @Column({ type: 'boolean', default: false })
  isUrgent: boolean;

  /** When the next attempt is due. */
  @TimeColumn()
  nextAt: number;

  /** When the lease expires; 0 without a lease. */
  @TimeColumn()
  leaseUntil: number;

  /** Fencing token: every change by a holder checks it. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  leaseToken: string | null;

  @TimeColumn()
  created: number;

  /** When it was sent or failed permanently. */
  @TimeColumn({ nullable: true })
  finished: number | null;

  /** Why the last attempt failed; `''` if it did not. */
  @Column({ length: 255, default: '' })
  error: string;
}

/** What a letter needs to know besides its columns. */
export interface LetterDetail {
  /** The subject of a notification without a thread. */
  text?: string;
  /** The period of a digest: after the first and until the second time, in milliseconds since 1970. */
  after?: number;
  until?: number;
  /** What a letter about security reports, and since when. */
  event?: string;
  name?: string;
  /** The id of an invitation or a wiki page. */
  subjectId?: number;
  /** The user who caused it. */
  senderId?: number;
  /** Whether a wiki page is new. */
  isNew?: boolean;
}
