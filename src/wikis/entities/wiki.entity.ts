import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { User } from '../../users/entities/user.entity';

/** A wiki page of a project. */
@Entity('wiki', tableOptions)
export class Wiki {
  @PrimaryId()
  id: number;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

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
}
