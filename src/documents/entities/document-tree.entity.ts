import { Entity, JoinColumn, ManyToOne } from 'typeorm';
import { LockVersionColumn, PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';

/** The lock row of a project's documents: a transaction that changes their tree or their tags locks it. */
@Entity('document_tree', tableOptions)
export class DocumentTree {
  /** Id of the project. */
  @PrimaryForeignKey()
  id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id' })
  project?: Project;

  @LockVersionColumn()
  lockVersion?: number;
}
