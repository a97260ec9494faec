import { Column, JoinColumn, ManyToOne } from 'typeorm';
import { BigIntColumn, PrimaryId } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

/** What a project has a list of under names of their own, in an order of their own. */
export abstract class ProjectSetting {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  @Column({ length: 255 })
  name: string;

  /** The name as `foldName` makes it, to compare by. */
  @Column({ length: 765 })
  nameKey: string;

  @Column({ type: 'integer' })
  displayOrder: number;
}
