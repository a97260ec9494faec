import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { Comment } from '../../comments/entities/comment.entity';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';

/** A user is notified of something: of a comment, at most once, or of what `text` says. */
@Entity('notification', tableOptions)
@Unique(['commentId', 'userId'])
// Covers the filters of a count: clients keep asking how many are unread.
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
   * Null for the oldest notifications that came from no comment. No foreign key, because each comment would pay for its index,
   * and none is needed: removing a project removes its threads, and a user who has sent anything is kept. The same holds for the
   * sender.
   */
  @BigIntColumn({ nullable: true })
  projectId: number | null;

  /** The thread of the issue or pull request that it is about. */
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

  /**
   * The comment that tells a watcher of the change. It is no `commentId`, because those are shown with the comment, and a user
   * who watches can still be notified of it by somebody. It may be gone.
   */
  @BigIntColumn({ nullable: true })
  watchedCommentId: number | null;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;

  /** The user who caused it; the notified user where nobody did. */
  @BigIntColumn()
  senderId: number;

  /** What it is about, where there is no thread. */
  @Column({ length: 255, default: '' })
  text: string;

  /** A number of `NotificationReason`. */
  @Column({ type: 'smallint' })
  reason: number;

  /** The user has opened the notification. */
  @Column({ type: 'boolean' })
  alreadyRead: boolean;

  /** The user has opened the thing that it is about. */
  @Column({ type: 'boolean' })
  resourceAlreadyRead: boolean;

  @TimeColumn()
  created: number;
}
