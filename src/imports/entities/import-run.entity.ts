import { Column, Entity } from 'typeorm';
import {
  BigIntColumn,
  EnumColumn,
  JsonColumn,
  PrimaryId,
  tableOptions,
  TimeColumn,
} from '../../database/schema/columns';
import { type ImportOptions } from '../import-options';
import { type ImportPlan, type ImportReport } from '../import-plan';
import { type ImportSource } from '../import-source';
import { ImportState } from '../import-state';

/**
 * An import of an archive. Each batch of rows moves its position in the same transaction, so that no batch is written twice
 * (`docs/decisions/0069-imports.md`).
 */
@Entity('import_run', tableOptions)
export class ImportRun {
  @PrimaryId()
  id: number;

  /** The name of the file, or the source. */
  @Column({ length: 255 })
  name: string;

  /** Size of the archive in bytes; 0 until a source has been read. */
  @BigIntColumn()
  size: number;

  /** The folder in `IMPORT_ROOT` with the archive and what belongs to the import. */
  @Column({ length: 36 })
  spool: string;

  @EnumColumn(ImportState)
  state: ImportState;

  /** A value of `ImportPhase`. */
  @Column({ length: 16 })
  phase: string;

  /** The kind whose records are being written; `''` in other phases. */
  @Column({ length: 64, default: '' })
  kind: string;

  /** How many records, files or repositories the phase has done; in the writing phases, those of the kind. */
  @BigIntColumn({ default: 0 })
  done: number;

  @JsonColumn()
  options: ImportOptions;

  /** What the service itself reads into the archive; null for an archive of a file. */
  @JsonColumn({ nullable: true })
  source: ImportSource | null;

  /** The id before that of the first record of each kind; null for a kind whose ids stay. */
  @JsonColumn()
  bases: Record<string, number | null>;

  /** Null until the archive has been checked. */
  @JsonColumn({ nullable: true })
  plan: ImportPlan | null;

  /** Null until the import has ended. */
  @JsonColumn({ nullable: true })
  report: ImportReport | null;

  /** Why it does not go on; `''` if it does. */
  @Column({ length: 1000, default: '' })
  error: string;

  /** The Administrator; null for a command on the service's machine. Not a foreign key: they may leave. */
  @BigIntColumn({ nullable: true })
  createdUserId: number | null;

  @TimeColumn()
  created: number;

  /** When it was published, refused or cancelled. */
  @TimeColumn({ nullable: true })
  finished: number | null;

  /** When the lease expires; 0 without a lease. */
  @TimeColumn({ default: 0 })
  leaseUntil: number;

  /** Fencing token: every change by a worker checks it. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  leaseToken: string | null;
}
