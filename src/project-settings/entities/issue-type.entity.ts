import { Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, LongTextColumn, PrimaryId, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

/** A kind of issue in a project (spec, section 2.4). */
@Entity('issue_type', tableOptions)
@Unique(['projectId', 'nameKey'])
export class IssueType {
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

  @Column({ type: 'varchar', length: 255, nullable: true })
  templateSummary: string | null;

  @LongTextColumn({ nullable: true })
  templateDescription: string | null;
}
