import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import {
  BigIntColumn,
  EnumColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { GitRepository } from '../../git-repositories/entities/git-repository.entity';
import { Issue } from '../../issues/entities/issue.entity';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';
import { User } from '../../users/entities/user.entity';
import { PullRequestStatus } from '../pull-request-status';

/** A pull request of a git repository. */
@Entity('pull_request', tableOptions)
@Unique(['repositoryId', 'number'])
@Unique(['threadId'])
@Index(['repositoryId', 'statusId', 'number'])
@Index(['createdUserId'])
export class PullRequest extends Edited {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @BigIntColumn()
  repositoryId: number;

  @ManyToOne(() => GitRepository, { onDelete: 'CASCADE' })
  repository?: GitRepository;

  /** Number inside the repository, from 1. */
  @BigIntColumn()
  number: number;

  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
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

  @EnumColumn(PullRequestStatus, { default: PullRequestStatus.Open })
  statusId: PullRequestStatus;

  @Index()
  @BigIntColumn({ nullable: true })
  assigneeId: number | null;

  @ManyToOne(() => User)
  assignee?: User;

  @Index()
  @BigIntColumn({ nullable: true })
  issueId: number | null;

  @ManyToOne(() => Issue, { onDelete: 'SET NULL' })
  issue?: Issue;

  /** Time at which it was closed without being merged. */
  @TimeColumn({ nullable: true })
  closeAt: number | null;

  @TimeColumn({ nullable: true })
  mergeAt: number | null;

  /** The head of `base` when it was merged, or as of the last push; null when unknown. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  baseCommit: string | null;

  /** The same for `branch`. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  branchCommit: string | null;

  /** The commit that merged it. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  mergeCommit: string | null;

  @LockVersionColumn()
  lockVersion?: number;
}
