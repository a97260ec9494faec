import { Column, Entity, Index, ManyToOne, PrimaryColumn } from 'typeorm';
import { BigIntColumn, PrimaryForeignKey, tableOptions } from '../../database/schema/columns';
import { ImportRun } from './import-run.entity';

/** Which row of the space a person, team or agent of an archive is. Other records belong to projects, and have computed ids. */
@Entity('import_record', tableOptions)
export class ImportRecord {
  @PrimaryForeignKey()
  importId: number;

  @ManyToOne(() => ImportRun, { onDelete: 'CASCADE' })
  import?: ImportRun;

  /** The kind of the record. */
  @PrimaryColumn({ length: 64, type: 'varchar' })
  kind: string;

  /** Its id in the archive. */
  @PrimaryForeignKey()
  sourceId: number;

  @Index()
  @BigIntColumn()
  targetId: number;

  /** Whether the import has added the row. */
  @Column({ type: 'boolean' })
  added: boolean;
}
