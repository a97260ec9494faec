import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimeColumn, tableOptions } from '../../database/columns';
import { type SearchKind } from '../search-kind';

/** How far the texts of one kind are indexed (`docs/decisions/0046-index-of-texts.md`). */
@Entity('search_index', tableOptions)
export class SearchIndex {
  @PrimaryColumn({ type: 'smallint' })
  kind: SearchKind;

  /** How many ids a block has; a multiple of eight. */
  @Column({ type: 'integer' })
  blockSize: number;

  /** How many blocks are indexed, from id 0 on. */
  @Column({ type: 'integer' })
  blocks: number;

  /** `GRAMS_VERSION` of these. */
  @Column({ type: 'varchar', length: 32 })
  version: string;

  /** The run that writes the index now, or has done so last. */
  @Column({ type: 'varchar', length: 36 })
  builder: string;

  /** Until then no other run takes over. */
  @TimeColumn()
  leasedUntil: number;

  /** Indexing starts some minutes later: processes of a version that notes no changes may still be running. */
  @TimeColumn()
  created: number;

  /** The block whose postings are being replaced: the index cannot be used meanwhile. */
  @Column({ type: 'integer', nullable: true })
  rewriting: number | null;

  /** How many times that was so. */
  @Column({ type: 'integer' })
  rewrites: number;
}
