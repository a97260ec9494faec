import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { CommentThread } from './comment-thread.entity';
import { Comment } from './comment.entity';

/** A user told of something: of a comment at most once, or of what `text` says. */
@Entity('notification', tableOptions)
@Unique(['commentId', 'userId'])
// Holds all that a count filters by: clients ask again and again how many are unread.
@Index('ix_notification_of_user', [
  'userId',
  'id',
  'alreadyRead',
  'resourceAlreadyRead',
  'projectId',
  'reason',
])
export class Notification {
  @PrimaryId()
  id: number;

  /**
   * Where it comes from; null for the oldest that came from no comment. Like the sender without a foreign key, whose index
   * every comment would pay for: a project takes its threads along, and who has sent anything stays.
   */
  @BigIntColumn({ nullable: true })
  projectId: number | null;

  /** What it is about: the thread of an issue or of a pull request. */
  @Index()
  @BigIntColumn({ nullable: true })
  threadId: number | null;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  @BigIntColumn({ nullable: true })
  commentId: number | null;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'comment_id' })
  comment?: Comment;

  /** Who is told. */
  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;

  /** Who did what it tells of; the user themself where nobody did. */
  @BigIntColumn()
  senderId: number;

  /** What it is about, where that is no thread. */
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
