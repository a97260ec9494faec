import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { type EntityRunner } from '../database/statements';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { SpaceRepository, type SpaceRow } from './data/space.repository';
import { type SpaceDto } from './dto/space.dto';
import { type Space } from './entities/space.entity';

/** Manages the space and its storage capacity. */
@Injectable()
export class SpaceService {
  constructor(
    private readonly environment: Environment,
    private readonly spaces: SpaceRepository,
  ) {}

  /** Returns the space in its wire format. */
  async get(): Promise<SpaceDto> {
    const row = (await this.spaces.find()) as SpaceRow;
    // The first start sets an owner.
    const ownerId = row.ownerId as number;
    return { ...row, ownerId, created: toTimestamp(row.created), updated: toTimestamp(row.updated) };
  }

  /** Returns whether the first start is complete. */
  exists(runner: EntityRunner): Promise<boolean> {
    return this.spaces.exists(runner);
  }

  /** Creates the space. If two processes do so concurrently, one of them gets a duplicate key error. */
  create(
    manager: EntityManager,
    space: Pick<Space, 'spaceKey' | 'name'> & { ownerId: number },
  ): Promise<void> {
    const created = Date.now();
    return this.spaces.insert(manager, { ...space, usedBytes: 0, created, updated: created });
  }

  /** Locks the space until the transaction ends, for rules that affect the whole space. */
  lock(manager: EntityManager): Promise<void> {
    return this.spaces.lock(manager);
  }

  /** Replaces the owner of the space if it is `ownerId`. */
  transferOwnership(manager: EntityManager, ownerId: number, heirId: number): Promise<void> {
    return this.spaces.replaceOwner(manager, ownerId, heirId, Date.now());
  }

  /**
   * Adds bytes to the used storage.
   * @throws SpaceOverCapacityError when there is not enough room
   */
  async takeStorage(manager: EntityManager, bytes: number): Promise<void> {
    const capacity = this.environment.SPACE_CAPACITY || Number.MAX_SAFE_INTEGER;
    if (!(await this.spaces.takeBytes(manager, bytes, capacity))) throw new SpaceOverCapacityError();
  }

  /** Returns the number of free bytes, negative when over capacity; undefined when there is no limit. */
  async findRoom(): Promise<number | undefined> {
    const capacity = this.environment.SPACE_CAPACITY;
    return capacity === 0 ? undefined : capacity - (await this.spaces.findUsedBytes());
  }

  /** Returns the used storage in bytes, in a transaction that has locked the space. */
  usedBytes(manager: EntityManager): Promise<number> {
    return this.spaces.findUsedBytes(manager);
  }

  /** Adjusts the used storage to the growth of files on disk, without checking the capacity; negative when they shrink. */
  countStorage(manager: EntityManager, bytes: number): Promise<void> {
    return this.spaces.giveBytesBack(manager, -bytes);
  }

  /** Subtracts bytes from the used storage. */
  giveStorageBack(manager: EntityManager, bytes: number): Promise<void> {
    return this.spaces.giveBytesBack(manager, bytes);
  }
}
