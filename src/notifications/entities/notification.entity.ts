import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { Comment } from '../../comments/entities/comment.entity';
import { BigIntColumn, EnumColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { NotificationReason } from '../notification-reason';
import { User } from '../../users/entities/user.entity';

/** The notification of a user: about a comment, at most once, or about `text`. */
@Entity('notification', tableOptions)
@Unique(['commentId', 'userId'])
// Covers a list with its conditions, and the count of all notifications.
@Index('ix_notification_of_user', [
  'userId',
  'id',
  'alreadyRead',
  'resourceAlreadyRead',
  'projectId',
  'reason',
])
// Covers the filters of a count: clients poll the number of unread notifications, which are few among many.
@Index('ix_notification_of_user_by_state', [
  'userId',
  'alreadyRead',
  'resourceAlreadyRead',
  'projectId',
  'reason',
])
export class Notification {
  @PrimaryId()
  id: number;

  /**
   * Null for the oldest notifications without a comment. Not a foreign key, because each comment would pay for its index, and
   * none is needed: removing a project removes its threads, and a user who has sent anything is kept. The same applies to the
   * sender.
   */
  @BigIntColumn({ nullable: true })
  projectId: number | null;

  /** The thread of the issue, pull request or document that it is about. */
  @Index()
  @BigIntColumn({ nullable: true })
  threadId: number | null;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  thread?: CommentThread;

  @BigIntColumn({ nullable: true })
  commentId: number | null;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  comment?: Comment;

  /**
   * The comment that describes the change for a watcher. Separate from `commentId`, because those notifications are shown with
   * the comment, and a watcher can also be notified of it explicitly. The comment may have been removed.
   */
  @BigIntColumn({ nullable: true })
  watchedCommentId: number | null;

  @BigIntColumn()
  userId: number;

  @ManyToOne(() => User)
  user?: User;

  /** The user who caused it; the notified user if no user did. */
  @BigIntColumn()
  senderId: number;

  /** The subject, if there is no thread. */
  @Column({ length: 255, default: '' })
  text: string;

  /** A value of `NotificationReason`. */
  @EnumColumn(NotificationReason)
  reason: number;

  /** Whether the user has seen the notification. */
  @Column({ type: 'boolean' })
  alreadyRead: boolean;

  /** Whether the user has opened its subject. */
  @Column({ type: 'boolean' })
  resourceAlreadyRead: boolean;

  @TimeColumn()
  created: number;
}
