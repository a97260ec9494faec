import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { insertRow } from '../database/rows';
import { affectedRows, columnsOf, lockRow, type StatementRunner } from '../database/statements';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { type SpaceDto } from './dto/space.dto';
import { Space } from './entities/space.entity';

type SpaceRow = Omit<Space, 'id' | 'usedBytes'>;

const SPACE_COLUMNS = columnsOf('s', [
  'spaceKey',
  'name',
  'ownerId',
  'lang',
  'timezone',
  'reportSendTime',
  'textFormattingRule',
  'created',
  'updated',
]);

/** The space and how much it may hold. */
@Injectable()
export class SpaceService {
  constructor(
    private readonly environment: Environment,
    private readonly dataSource: DataSource,
  ) {}

  /** The space as the wire shows it. */
  async get(): Promise<SpaceDto> {
    const [row] = await this.dataSource.query<[SpaceRow]>(
      `SELECT ${SPACE_COLUMNS} FROM space s WHERE s.id = ?`,
      [Space.ID],
    );
    // The first start gives it an owner.
    const ownerId = row.ownerId as number;
    return { ...row, ownerId, created: toTimestamp(row.created), updated: toTimestamp(row.updated) };
  }

  /** Whether the first start has been done. */
  async exists(runner: StatementRunner): Promise<boolean> {
    const rows = await runner.query<unknown[]>('SELECT id FROM space WHERE id = ?', [Space.ID]);
    return rows.length > 0;
  }

  /** Makes the space. Of two processes that do, one gets a duplicate key. */
  async create(
    manager: EntityManager,
    space: Pick<Space, 'spaceKey' | 'name'> & { ownerId: number },
  ): Promise<void> {
    const created = Date.now();
    await insertRow(manager, Space, { id: Space.ID, ...space, usedBytes: 0, created, updated: created });
  }

  /** Takes the space for the rest of the transaction, for what has to be true of all that it holds. */
  async lock(manager: EntityManager): Promise<void> {
    await lockRow(manager, 'space', Space.ID);
  }

  /** Gives the space another owner if it has this one. */
  async transferOwnership(manager: EntityManager, ownerId: number, heirId: number): Promise<void> {
    await manager.query('UPDATE space SET owner_id = ?, updated = ? WHERE id = ? AND owner_id = ?', [
      heirId,
      Date.now(),
      Space.ID,
      ownerId,
    ]);
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
