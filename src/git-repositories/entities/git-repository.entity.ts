import { Column, Entity, Index, ManyToOne, Unique } from 'typeorm';
import {
  BigIntColumn,
  LockVersionColumn,
  LongTextColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';
import { Edited } from '../../users/entities/authored.entity';

/** A git repository of a project; holds pull requests. */
@Entity('git_repository', tableOptions)
@Unique(['projectId', 'name'])
@Index(['createdUserId'])
export class GitRepository extends Edited {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** Never only digits, which would be an id in a path. */
  @Column({ length: 100 })
  name: string;

  @LongTextColumn()
  description: string;

  @Column({ type: 'integer', default: 0 })
  displayOrder: number;

  /** The last number given to a pull request; never decreases. */
  @Column({ type: 'integer', default: 0 })
  lastNumber: number;

  /** The branch that a clone checks out, without `refs/heads/`. */
  @Column({ length: 255, default: 'main' })
  defaultBranch: string;

  /** Whether the default branch is protected against deletion and pushes that rewrite it. */
  @Column({ type: 'boolean', default: true })
  protectsDefaultBranch: boolean;

  /** Time of the last push. */
  @TimeColumn({ nullable: true })
  pushedAt: number | null;

  /** The last measured size of its folder in bytes, which counts towards the storage used by the space. */
  @BigIntColumn({ default: 0 })
  size: number;

  @LockVersionColumn()
  lockVersion?: number;
}
