import { Column, ManyToOne } from 'typeorm';
import { BigIntColumn, LockVersionColumn, PrimaryId } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';

/** An entry in an ordered list of project settings; its name is unique in the project. */
export abstract class ProjectSetting {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @Column({ length: 255 })
  name: string;

  /** The result of `foldName`, by which names are compared. */
  @Column({ length: 765 })
  nameKey: string;

  @Column({ type: 'integer' })
  displayOrder: number;

  @LockVersionColumn()
  lockVersion?: number;
}
