import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { BigIntColumn, LongTextColumn, tableOptions } from '../../database/columns';
import { Project } from '../../projects/entities/project.entity';

/** A long text in the content of a project's activities, stored once even if several of them contain it. Never changed. */
@Entity('activity_text', tableOptions)
export class ActivityText {
  /** SHA-256 of the project's id and the text, in base64url: the same text in two projects has two rows. */
  @PrimaryColumn({ type: 'varchar', length: 43 })
  digest: string;

  @Index()
  @BigIntColumn()
  projectId: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id' })
  project?: Project;

  @LongTextColumn()
  text: string;
}
