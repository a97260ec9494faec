import { Column, Entity, PrimaryColumn } from 'typeorm';
import { tableOptions } from '../../database/schema/columns';
import { type SearchKind } from '../search-kind';

/** State of a block when it was indexed, to determine how many of its postings are still useful. */
@Entity('search_block', tableOptions)
export class SearchBlock {
  @PrimaryColumn({ type: 'smallint' })
  kind: SearchKind;

  @PrimaryColumn({ type: 'integer' })
  block: number;

  /** Number of texts when it was indexed. */
  @Column({ type: 'integer' })
  records: number;

  /** Number of changes added since. */
  @Column({ type: 'integer' })
  changed: number;
}
