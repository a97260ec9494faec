import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { Comment } from './comment.entity';

/** A user told of something: of a comment at most once, or of what `text` says. */
@Entity('notification', tableOptions)
@Unique(['commentId', 'userId'])
export class Notification {
  @PrimaryId()
  id: number;

  @BigIntColumn({ nullable: true })
  commentId: number | null;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'comment_id' })
  comment?: Comment;

  /** Who is told. */
  @Index()
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;

  /** What it is about, where that is no comment. */
  @Column({ length: 255, default: '' })
  text: string;

  /** Why: the numbers of `NotificationReason`. */
  @Column({ type: 'smallint' })
  reason: number;

  /** The user has opened the notification. */
  @Column({ type: 'boolean' })
  alreadyRead: boolean;

  /** The user has opened what it is about. */
  @Column({ type: 'boolean' })
  resourceAlreadyRead: boolean;

  @TimeColumn()
  created: number;
}
