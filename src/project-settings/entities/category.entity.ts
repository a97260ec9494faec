import { Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

/** What issues of a project can be sorted into. */
@Entity('category', tableOptions)
@Unique(['projectId', 'nameKey'])
export class Category {
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
