import { Entity, PrimaryColumn } from 'typeorm';
import { BigIntColumn, tableOptions } from '../../database/schema/columns';

/**
 * A shard of the used storage. The used storage of the space is the sum of all shards and `Space.usedBytes`
 * (`docs/decisions/0056-used-storage-in-shards.md`).
 */
@Entity('used_storage', tableOptions)
export class UsedStorage {
  /** From 0 up to but excluding `SHARDS`, or `CORRECTIONS`; a shard without a row is 0. */
  @PrimaryColumn({ type: 'smallint' })
  shard: number;

  /** Negative if more bytes were released through this shard than were added to it. */
  @BigIntColumn()
  bytes: number;
}
