import { Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions, TimeColumn } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

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

  @TimeColumn()
  created: number;
}
