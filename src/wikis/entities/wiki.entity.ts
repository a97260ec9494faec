import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { CommentThread } from '../../comments/entities/comment-thread.entity';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { User } from '../../users/entities/user.entity';

/** A wiki page of a project. */
@Entity('wiki', tableOptions)
@Unique(['threadId'])
export class Wiki {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  /** What its stars hang on. */
  @BigIntColumn()
  threadId: number;

  @ManyToOne(() => CommentThread)
  @JoinColumn({ name: 'thread_id' })
  thread?: CommentThread;

  @Column({ length: 255 })
  name: string;

  @LongTextColumn()
  content: string;

  /** Counts the changes of name and content, from 1. */
  @Column({ type: 'integer' })
  version: number;

  @Index()
  @BigIntColumn()
  createdUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'created_user_id' })
  createdUser?: User;

  @TimeColumn()
  created: number;

  @Index()
  @BigIntColumn()
  updatedUserId: number;

  @ManyToOne(() => User)
  @JoinColumn({ name: 'updated_user_id' })
  updatedUser?: User;

  @TimeColumn()
  updated: number;
}
