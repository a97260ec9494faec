import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import {
  BigIntColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
} from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';

/** A wiki page of a project. */
@Entity('wiki', tableOptions)
@Unique(['threadId'])
@Index(['createdUserId'])
export class Wiki extends Edited {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** The thread of its stars. */
  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  thread?: CommentThread;

  @Column({ length: 255 })
  name: string;

  @LongTextColumn()
  content: string;

  /** Version of the name and the content, from 1. */
  @Column({ type: 'integer' })
  version: number;

  @LockVersionColumn()
  lockVersion?: number;
}
