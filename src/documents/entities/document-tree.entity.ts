import { Entity, JoinColumn, ManyToOne } from 'typeorm';
import { LockVersionColumn, PrimaryForeignKey, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

/** The tree of a project's documents, and their tags: whoever changes one of these locks this row. */
@Entity('document_tree', tableOptions)
export class DocumentTree {
  /** The project's. */
  @PrimaryForeignKey()
  id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id' })
  project?: Project;

  @LockVersionColumn()
  lockVersion?: number;
}
