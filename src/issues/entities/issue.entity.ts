import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { IssueStatus } from '../../project-settings/entities/issue-status.entity';
import { IssueType } from '../../project-settings/entities/issue-type.entity';
import { Project } from '../../projects/entities/project.entity';
import { User } from '../../users/entities/user.entity';

/** An issue of a project; its key is the project's key and its number, `KEY-1`. */
@Entity('issue', tableOptions)
@Unique(['projectId', 'keyId'])
@Unique(['threadId'])
export class Issue {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  /** Number inside the project, from 1. */
  @Column({ type: 'integer' })
  keyId: number;

  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  @Index()
  @BigIntColumn()
  issueTypeId: number;

  @ManyToOne(() => IssueType)
  @JoinColumn({ name: 'issue_type_id' })
  issueType?: IssueType;

  @Index()
  @BigIntColumn()
  statusId: number;

  @ManyToOne(() => IssueStatus)
  @JoinColumn({ name: 'status_id' })
  status?: IssueStatus;

  @Column({ length: 255 })
  summary: string;

  @LongTextColumn()
  description: string;

  @Index()
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;
}
