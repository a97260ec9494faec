import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { affectedRows, insertRow, type StatementRunner } from '../database/statements';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { Space } from './entities/space.entity';

/** The space and how much it may hold. */
@Injectable()
export class SpaceService {
  constructor(private readonly environment: Environment) {}

  /** Whether the first start has been done. */
  async exists(runner: StatementRunner): Promise<boolean> {
    const rows = await runner.query<unknown[]>('SELECT id FROM space WHERE id = ?', [Space.ID]);
    return rows.length > 0;
  }

  /** Makes the space. Of two processes that do, one gets a duplicate key. */
  async create(manager: EntityManager, space: { spaceKey: string; name: string }): Promise<void> {
    await insertRow(manager, Space, { id: Space.ID, ...space, usedBytes: 0, created: Date.now() });
  }

  /**
   * Counts bytes as used.
   * @throws SpaceOverCapacityError when there is no room for them
   */
  async takeStorage(manager: EntityManager, bytes: number): Promise<void> {
    const capacity = this.environment.SPACE_CAPACITY || Number.MAX_SAFE_INTEGER;
    const taken = await affectedRows(
      manager,
      'UPDATE space SET used_bytes = used_bytes + ? WHERE id = ? AND used_bytes + ? <= ?',
      [bytes, Space.ID, bytes, capacity],
    );
    if (taken === 0) throw new SpaceOverCapacityError();
  }

  /** Counts bytes as free again. */
  async giveStorageBack(manager: EntityManager, bytes: number): Promise<void> {
    await manager.query('UPDATE space SET used_bytes = used_bytes - ? WHERE id = ?', [bytes, Space.ID]);
  }
}
