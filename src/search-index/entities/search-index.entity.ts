import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimeColumn, tableOptions } from '../../database/schema/columns';
import { type SearchKind } from '../search-kind';

/** Indexing state of the texts of one kind (`docs/decisions/0046-index-of-texts.md`). */
@Entity('search_index', tableOptions)
export class SearchIndex {
  @PrimaryColumn({ type: 'smallint' })
  kind: SearchKind;

  /** Number of ids per block; a multiple of eight. */
  @Column({ type: 'integer' })
  blockSize: number;

  /** Number of indexed blocks, starting at id 0. */
  @Column({ type: 'integer' })
  blocks: number;

  /** `GRAMS_VERSION` of the indexed blocks. */
  @Column({ type: 'varchar', length: 32 })
  version: string;

  /** The run that is writing the index, or was the last to do so. */
  @Column({ type: 'varchar', length: 36 })
  builder: string;

  /** Time before which no other run takes over. */
  @TimeColumn()
  leasedUntil: number;

  /** Indexing starts some minutes after this time: processes of a version that records no changes may still be running. */
  @TimeColumn()
  created: number;

  /** Block with postings that are being replaced; until that is done, the index cannot be used. */
  @Column({ type: 'integer', nullable: true })
  rewriting: number | null;

  /** Number of such replacements so far. */
  @Column({ type: 'integer' })
  rewrites: number;
}
