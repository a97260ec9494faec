import { Column, Entity, ManyToOne, Unique } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';

/** A tag of a project's documents; removed with the last document that has it. */
@Entity('document_tag', tableOptions)
@Unique(['projectId', 'name'])
export class DocumentTag {
  @PrimaryId()
  id: number;

  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @Column({ length: 255 })
  name: string;
}
