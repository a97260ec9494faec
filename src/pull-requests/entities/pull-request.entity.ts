import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { GitRepository } from '../../git-repositories/entities/git-repository.entity';
import { User } from '../../users/entities/user.entity';

/** A pull request of a git repository. */
@Entity('pull_request', tableOptions)
@Unique(['repositoryId', 'number'])
@Unique(['threadId'])
export class PullRequest {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  repositoryId: number;

  @ManyToOne(() => GitRepository, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'repository_id' })
  repository?: GitRepository;

  /** Number inside the repository, from 1. */
  @BigIntColumn()
  number: number;

  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  @Column({ length: 255 })
  summary: string;

  @LongTextColumn()
  description: string;

  /** Branch to merge into. */
  @Column({ length: 255 })
  base: string;

  /** Branch to merge. */
  @Column({ length: 255 })
  branch: string;

  @Index()
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;
}
