import { Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, DateColumn, LongTextColumn, PrimaryId, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

/** A version of what a project makes; as an issue's milestone, when the issue is to be done. */
@Entity('version', tableOptions)
@Unique(['projectId', 'nameKey'])
export class Version {
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

  @LongTextColumn()
  description: string;

  @DateColumn({ nullable: true })
  startDate: string | null;

  @DateColumn({ nullable: true })
  releaseDueDate: string | null;

  @Column({ type: 'boolean' })
  archived: boolean;

  @Column({ type: 'integer' })
  displayOrder: number;
}
