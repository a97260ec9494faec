import { Column, Entity, Unique } from 'typeorm';
import { Attached } from '../../attachments/entities/attached.entity';
import { BigIntColumn, tableOptions } from '../../database/columns';

/** The picture that has been uploaded for something; removed with it by who registers for its removal. */
@Entity('icon', tableOptions)
@Unique(['subjectType', 'subjectId'])
export class Icon extends Attached {
  /** What it is a picture of: `space`, `user`, `project` or `team`. */
  @Column({ length: 16 })
  subjectType: string;

  @BigIntColumn()
  subjectId: number;
}
