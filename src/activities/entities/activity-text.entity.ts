import { Column, Entity, Index, ManyToOne, PrimaryColumn } from 'typeorm';
import { LongTextColumn, PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { Project } from '../../projects/entities/project.entity';

/**
 * A long text in the content of a project's activities, stored once in a period even if several of them contain it. Never
 * changed. Only activities of its own period refer to it, so that it can be removed after the last of them, without a count.
 */
@Entity('activity_text', tableOptions)
@Index(['projectId', 'period'])
export class ActivityText {
  /**
   * SHA-256 of the project's id, the period and the text, in base64url. It identifies the text within its project, and stays the same when
   * the project is imported elsewhere (`docs/decisions/0068-archives.md`); equal digests stand for equal texts in any project.
   */
  @PrimaryColumn({ type: 'varchar', length: 43 })
  digest: string;

  @PrimaryForeignKey()
  projectId: number;

  /** The period in which it was written (`text-period.ts`); 0 for a text of a version without periods. */
  @Column({ type: 'integer', default: 0 })
  period: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  project?: Project;

  @LongTextColumn()
  text: string;
}
