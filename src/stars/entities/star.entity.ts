import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { Comment } from '../../comments/entities/comment.entity';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';

/** A user's star on a comment, or on the owner of a thread; either `commentId` or `threadId` is set. */
@Entity('star', tableOptions)
@Unique(['commentId', 'presenterId'])
@Unique(['threadId', 'presenterId'])
// Covers the conditions of a list and a count: a user may have received many stars that few may see.
@Index('ix_star_received', ['receiverId', 'id', 'projectId', 'developersOnly', 'created'])
export class Star {
  @PrimaryId()
  id: number;

  @BigIntColumn({ nullable: true })
  threadId: number | null;

  @ManyToOne(() => CommentThread, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  @BigIntColumn({ nullable: true })
  commentId: number | null;

  @ManyToOne(() => Comment, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'comment_id' })
  commentRow?: Comment;

  /** The presenter's text; `''` where there is none. */
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
  @JoinColumn({ name: 'presenter_id' })
  presenter?: User;

  /**
   * The author of what it is on. Neither this nor the project has a foreign key: the star goes with what it is on, whose author
   * is kept as long.
   */
  @BigIntColumn({ nullable: true })
  receiverId: number | null;

  @BigIntColumn({ nullable: true })
  projectId: number | null;

  /** It is on something of git, which not every role may see. */
  @Column({ type: 'boolean', default: false })
  developersOnly: boolean;

  @TimeColumn()
  created: number;
}
