import { Column, Entity, PrimaryColumn } from 'typeorm';
import { tableOptions } from '../../database/schema/columns';
import { type SearchKind } from '../search-kind';

/**
 * The texts of a block that have a gram, and possibly some that used to have it. Ordered by block, so that a block is written in one place.
 */
@Entity('search_posting', { ...tableOptions, withoutRowid: true })
export class SearchPosting {
  @PrimaryColumn({ type: 'smallint' })
  kind: SearchKind;

  @PrimaryColumn({ type: 'integer' })
  block: number;

  @PrimaryColumn({ type: 'integer' })
  gram: number;

  /** See `encodeMembers`. */
  @Column({ type: 'blob' })
  members: Uint8Array;
}
