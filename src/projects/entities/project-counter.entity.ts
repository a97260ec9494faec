import { Column, Entity, ManyToOne, PrimaryColumn } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Project } from './project.entity';

/**
 * A counter of one kind of numbered or limited resource in one project. Both numbers change only through atomic UPDATEs, so
 * that no two requests get the same number (`docs/decisions/0011-transactions.md`).
 */
@Entity('project_counter', tableOptions)
export class ProjectCounter {
  @PrimaryForeignKey()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  /** The counted resource, such as `issue` or `status`. */
  @PrimaryColumn({ length: 32 })
  name: string;

  /** Current number of resources. */
  @Column({ type: 'integer' })
  used: number;

  /** The last assigned number; never decreases. */
  @Column({ type: 'integer' })
  lastNumber: number;
}
