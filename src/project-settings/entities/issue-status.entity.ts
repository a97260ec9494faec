import { Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';
import { StandardStatus } from '../standard-status';

/** A state of issues in a project (spec, section 2.5). */
@Entity('issue_status', tableOptions)
@Unique(['projectId', 'nameKey'])
export class IssueStatus {
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

  @Column({ length: 7 })
  color: string;

  @Column({ type: 'integer' })
  displayOrder: number;

  /** Which of the four it is; null for one that the project added. */
  @Column({ type: 'smallint', nullable: true })
  standard: StandardStatus | null;
}
