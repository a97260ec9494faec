import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { PrimaryForeignKey, tableOptions } from '../../database/columns';
import { Project } from './project.entity';

/**
 * One row a project and kind of numbered or limited thing. Both numbers are moved by conditional UPDATEs only, so no two
 * requests get the same one (`docs/decisions/0011-transactions.md`).
 */
@Entity('project_counter', tableOptions)
export class ProjectCounter {
  @PrimaryForeignKey()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  /** What is counted, such as `issue` or `status`. */
  @PrimaryColumn({ length: 32 })
  name: string;

  /** How many exist now. */
  @Column({ type: 'integer' })
  used: number;

  /** The last number given out; never goes down. */
  @Column({ type: 'integer' })
  lastNumber: number;
}
