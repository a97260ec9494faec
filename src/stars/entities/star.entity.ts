import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { Comment } from '../../comments/entities/comment.entity';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/schema/columns';
import { User } from '../../users/entities/user.entity';

/** A user's star on a comment, or on the owner of a thread; either `commentId` or `threadId` is set. */
@Entity('star', tableOptions)
@Unique(['commentId', 'presenterId'])
@Unique(['threadId', 'presenterId'])
// Covers the conditions of a list and a count: a user may have received many stars that few users can see.
@Index('ix_star_received', ['receiverId', 'id', 'projectId', 'developersOnly', 'created'])
export class Star {
  @PrimaryId()
  id: number;

  @BigIntColumn({ nullable: true })
  threadId: number | null;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  thread?: CommentThread;

  @BigIntColumn({ nullable: true })
  commentId: number | null;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'comment_id' })
  commentRow?: Comment;

  /** The presenter's text; `''` for none. */
  @Column({ length: 255 })
  comment: string;

  @Column({ length: 2048 })
  url: string;

  @Column({ length: 255 })
  title: string;

  @Index()
  @BigIntColumn()
  presenterId: number;

  @ManyToOne(() => User)
  presenter?: User;

  /**
   * The author of the starred subject. Neither this nor the project has a foreign key, because the star is removed with its subject, and
   * the subject's author is kept as long.
   */
  @BigIntColumn({ nullable: true })
  receiverId: number | null;

  @BigIntColumn({ nullable: true })
  projectId: number | null;

  /** Whether the star is on a git resource, which some roles cannot see. */
  @Column({ type: 'boolean', default: false })
  developersOnly: boolean;

  @TimeColumn()
  created: number;
}
