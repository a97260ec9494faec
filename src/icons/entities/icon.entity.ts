import { Column, Entity, Unique } from 'typeorm';
import { Attached } from '../../attachments/entities/attached.entity';
import { BigIntColumn, tableOptions } from '../../database/schema/columns';

/** The picture uploaded for a subject; the `IconSubject` removes it together with the subject. */
@Entity('icon', tableOptions)
@Unique(['subjectType', 'subjectId'])
export class Icon extends Attached {
  /** The kind of the subject: `space`, `user`, `project` or `team`. */
  @Column({ length: 16 })
  subjectType: string;

  @BigIntColumn()
  subjectId: number;
}
