import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { type EntityRunner } from '../database/statements';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { SpaceRepository, type SpaceRow } from './data/space.repository';
import { type SpaceDto } from './dto/space.dto';
import { type Space } from './entities/space.entity';

/** The space and its capacity. */
@Injectable()
export class SpaceService {
  constructor(
    private readonly environment: Environment,
    private readonly spaces: SpaceRepository,
  ) {}

  /** The space as the wire shows it. */
  async get(): Promise<SpaceDto> {
    const row = (await this.spaces.find()) as SpaceRow;
    // The first start gives it an owner.
    const ownerId = row.ownerId as number;
    return { ...row, ownerId, created: toTimestamp(row.created), updated: toTimestamp(row.updated) };
  }

  /** Whether the first start has been done. */
  exists(runner: EntityRunner): Promise<boolean> {
    return this.spaces.exists(runner);
  }

  /** Creates the space. If two processes do so at once, one of them gets a duplicate key error. */
  create(
    manager: EntityManager,
    space: Pick<Space, 'spaceKey' | 'name'> & { ownerId: number },
  ): Promise<void> {
    const created = Date.now();
    return this.spaces.insert(manager, { ...space, usedBytes: 0, created, updated: created });
  }

  /** Locks the space until the transaction ends, for rules about everything in it. */
  lock(manager: EntityManager): Promise<void> {
    return this.spaces.lock(manager);
  }

  /** Gives the space another owner if it has this one. */
  transferOwnership(manager: EntityManager, ownerId: number, heirId: number): Promise<void> {
    return this.spaces.replaceOwner(manager, ownerId, heirId, Date.now());
  }

  /**
   * Counts bytes as used.
   * @throws SpaceOverCapacityError when there is no room for them
   */
  async takeStorage(manager: EntityManager, bytes: number): Promise<void> {
    const capacity = this.environment.SPACE_CAPACITY || Number.MAX_SAFE_INTEGER;
    if (!(await this.spaces.takeBytes(manager, bytes, capacity))) throw new SpaceOverCapacityError();
  }

  /** How many more bytes may be used, which are fewer than none when there are too many; undefined when there is no limit. */
  async findRoom(): Promise<number | undefined> {
    const capacity = this.environment.SPACE_CAPACITY;
    return capacity === 0 ? undefined : capacity - (await this.spaces.findUsedBytes());
  }

  /** Counts bytes as used that are there already, or as free when there are fewer. */
  countStorage(manager: EntityManager, bytes: number): Promise<void> {
    return this.spaces.giveBytesBack(manager, -bytes);
  }

  /** Counts bytes as free again. */
  giveStorageBack(manager: EntityManager, bytes: number): Promise<void> {
    return this.spaces.giveBytesBack(manager, bytes);
  }
}
