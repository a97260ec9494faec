import { Column, Entity, Index } from 'typeorm';
import { BigIntColumn, PrimaryId, tableOptions } from '../../database/schema/columns';
import { type SearchKind } from '../search-kind';

/** A changed text that the index may have in its old version. Written in the transaction of the change. */
@Entity('search_change', tableOptions)
@Index(['kind', 'id'])
export class SearchChange {
  @PrimaryId()
  id: number;

  @Column({ type: 'smallint' })
  kind: SearchKind;

  @BigIntColumn()
  recordId: number;
}
