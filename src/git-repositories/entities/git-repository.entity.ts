import { Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { User } from '../../users/entities/user.entity';

/** A git repository of a project; holds pull requests. */
@Entity('git_repository', tableOptions)
@Unique(['projectId', 'name'])
export class GitRepository {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  /** Never all digits: those are an id in a path. */
  @Column({ length: 100 })
  name: string;

  @LongTextColumn()
  description: string;

  @Column({ type: 'integer', default: 0 })
  displayOrder: number;

  /** The last number given to a pull request; never goes down. */
  @Column({ type: 'integer', default: 0 })
  lastNumber: number;

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
