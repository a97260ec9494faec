import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowIfMissing } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, isEmbedded } from '../../database/sql/statements';
import { Space } from '../entities/space.entity';
import { UsedStorage } from '../entities/used-storage.entity';

/** Number of shards: few enough to sum, and so many that the processes of a cluster hardly ever share one. */
export const SHARDS = 1024;
/** The shard in which no process counts, and repairs correct the sum. */
export const CORRECTIONS = SHARDS;

/** Counts the bytes that all files and repositories of the space take. */
@Injectable()
export class UsedStorageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds bytes to a shard; a negative number subtracts them. Locks the shard until the transaction ends. */
  async add(manager: EntityManager, shard: number, bytes: number): Promise<void> {
    const update = isEmbedded(manager.dataSource)
      ? 'ON CONFLICT (shard) DO UPDATE SET'
      : 'ON DUPLICATE KEY UPDATE';
    await manager.query(
      `INSERT INTO used_storage (shard, bytes) VALUES (?, ?) ${update} bytes = used_storage.bytes + ?`,
      [shard, bytes, bytes],
    );
  }

  /**
   * Corrects the sum by a number of bytes, which must not be 0.
   * @param corrected the bytes of all corrections when the number was found
   * @returns false if another one has been made since
   */
  async correct(manager: EntityManager, bytes: number, corrected: number): Promise<boolean> {
    await insertRowIfMissing(manager, UsedStorage, { shard: CORRECTIONS, bytes: 0 });
    const sql = 'UPDATE used_storage SET bytes = bytes + ? WHERE shard = ? AND bytes = ?';
    return (await affectedRows(manager, sql, [bytes, CORRECTIONS, corrected])) === 1;
  }

  /** Returns the used bytes of the space; 0 before the first start. */
  async sum(runner: EntityRunner = this.dataSource): Promise<number> {
    const [row] = await runner.query<{ used: number | string | null }[]>(
      `SELECT used_bytes + (SELECT COALESCE(SUM(bytes), 0) FROM used_storage) AS used FROM space WHERE id = ?`,
      [Space.ID],
    );
    return Number(row?.used ?? 0);
  }
}
