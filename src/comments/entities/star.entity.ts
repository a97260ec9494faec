import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { User } from '../../users/entities/user.entity';
import { CommentThread } from './comment-thread.entity';
import { Comment } from './comment.entity';

/** A user's star on a comment, or on the owner of a thread; either `commentId` or `threadId` is set. */
@Entity('star', tableOptions)
@Unique(['commentId', 'presenterId'])
@Unique(['threadId', 'presenterId'])
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

  @TimeColumn()
  created: number;
}
