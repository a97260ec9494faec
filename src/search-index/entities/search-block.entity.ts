import { Column, Entity, PrimaryColumn } from 'typeorm';
import { tableOptions } from '../../database/columns';
import { type SearchKind } from '../search-kind';

/** A block as it was indexed, to find out how much of its postings is of use still. */
@Entity('search_block', tableOptions)
export class SearchBlock {
  @PrimaryColumn({ type: 'smallint' })
  kind: SearchKind;

  @PrimaryColumn({ type: 'integer' })
  block: number;

  /** How many texts it had. */
  @Column({ type: 'integer' })
  records: number;

  /** How many changes of them have been added since. */
  @Column({ type: 'integer' })
  changed: number;
}
