import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type EntityRunner, isEmbedded } from '../../database/statements';
import { Space } from '../entities/space.entity';

/** Number of shards: few enough to sum, and so many that the processes of a cluster hardly ever share one. */
export const SHARDS = 1024;

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

  /** Returns the used bytes of the space; 0 before the first start. */
  async sum(runner: EntityRunner = this.dataSource): Promise<number> {
    const [row] = await runner.query<{ used: number | string | null }[]>(
      `SELECT used_bytes + (SELECT COALESCE(SUM(bytes), 0) FROM used_storage) AS used FROM space WHERE id = ?`,
      [Space.ID],
    );
    return Number(row?.used ?? 0);
  }
}
