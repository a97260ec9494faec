import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import {
  BigIntColumn,
  DateColumn,
  EnumColumn,
  HoursColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
} from '../../database/schema/columns';
import { PRIORITIES } from '../../project-settings/priorities';
import { RESOLUTIONS } from '../../project-settings/resolutions';
import { IssueStatus } from '../../project-settings/entities/issue-status.entity';
import { IssueType } from '../../project-settings/entities/issue-type.entity';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';
import { User } from '../../users/entities/user.entity';

/** An issue of a project; its key is the project's key and its number, `KEY-1`. */
@Entity('issue', tableOptions)
@Unique(['projectId', 'keyId'])
@Unique(['threadId'])
@Index(['projectId', 'created'])
@Index(['projectId', 'updated'])
@Index(['projectId', 'dueDate'])
@Index(['statusId', 'created'])
@Index(['assigneeId', 'created'])
@Index(['issueTypeId', 'created'])
@Index(['createdUserId', 'created'])
@Index(['created'])
@Index(['updated'])
@Index(['dueDate'])
// In these, the issues of a project or a setting are in the order of a column or of their ids, for lists that sort by it.
@Index(['projectId', 'summary'])
@Index(['projectId', 'priorityId'])
@Index(['projectId', 'startDate'])
@Index(['projectId', 'estimatedHours'])
@Index(['projectId', 'actualHours'])
@Index(['statusId'])
@Index(['issueTypeId'])
export class Issue extends Edited {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** Number within the project, from 1. */
  @Column({ type: 'integer' })
  keyId: number;

  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  thread?: CommentThread;

  @BigIntColumn()
  issueTypeId: number;

  @ManyToOne(() => IssueType)
  issueType?: IssueType;

  @BigIntColumn()
  statusId: number;

  @ManyToOne(() => IssueStatus)
  status?: IssueStatus;

  /** 2 High, 3 Normal, 4 Low. */
  @EnumColumn(PRIORITIES.keys(), { default: 3 })
  priorityId: number;

  /** 0 Fixed to 4 Cannot reproduce; null for no resolution. */
  @EnumColumn(RESOLUTIONS.keys(), { nullable: true })
  resolutionId: number | null;

  @BigIntColumn({ nullable: true })
  assigneeId: number | null;

  @ManyToOne(() => User)
  assignee?: User;

  @Index()
  @BigIntColumn({ nullable: true })
  parentIssueId: number | null;

  @ManyToOne(() => Issue, { onDelete: 'SET NULL' })
  parentIssue?: Issue;

  @Column({ length: 255 })
  summary: string;

  @LongTextColumn()
  description: string;

  @DateColumn({ nullable: true })
  startDate: string | null;

  @DateColumn({ nullable: true })
  dueDate: string | null;

  @HoursColumn({ nullable: true })
  estimatedHours: number | null;

  @HoursColumn({ nullable: true })
  actualHours: number | null;

  @LockVersionColumn()
  lockVersion?: number;
}
