import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Environment } from '../config/environment';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { SpaceRepository } from './data/space.repository';
import { SHARDS, UsedStorageRepository } from './data/used-storage.repository';

/** Free bytes below which the processes add in turn. */
const NEARLY_FULL = 1024 ** 3;

/**
 * Counts the storage that files and git repositories use, and enforces the capacity of the space. Each process counts in one
 * random shard, so that uploads through different processes do not wait for each other, or conflict on a cluster
 * (`docs/decisions/0056-used-storage-in-shards.md`).
 */
@Injectable()
export class UsedStorageService {
  private readonly shard = randomInt(SHARDS);
  /** Used bytes when this process last read them, the only indication without another statement. */
  private lastUsed = Infinity;

  constructor(
    private readonly environment: Environment,
    private readonly spaces: SpaceRepository,
    private readonly usage: UsedStorageRepository,
  ) {}

  /**
   * Adds bytes to the used storage. Must be the transaction's first statement, so that its sum includes everything committed before.
   * @throws SpaceOverCapacityError when there is not enough room
   */
  async take(manager: EntityManager, bytes: number): Promise<void> {
    const { SPACE_CAPACITY } = this.environment;
    if (SPACE_CAPACITY > 0 && this.lastUsed + bytes > SPACE_CAPACITY - NEARLY_FULL) {
      await this.spaces.lock(manager);
    }
    await this.usage.add(manager, this.shard, bytes);
    if (SPACE_CAPACITY > 0 && (await this.used(manager)) > SPACE_CAPACITY) throw new SpaceOverCapacityError();
  }

  /** Returns the used storage in bytes. */
  async used(manager?: EntityManager): Promise<number> {
    return (this.lastUsed = await this.usage.sum(manager));
  }

  /** Returns the number of free bytes, negative when over capacity; undefined when there is no limit. */
  async findRoom(): Promise<number | undefined> {
    const { SPACE_CAPACITY } = this.environment;
    return SPACE_CAPACITY === 0 ? undefined : SPACE_CAPACITY - (await this.used());
  }

  /** Adds bytes to the used storage without checking the capacity; a negative number subtracts them. */
  async count(manager: EntityManager, bytes: number): Promise<void> {
    await this.usage.add(manager, this.shard, bytes);
  }

  /**
   * Corrects the used storage by a number of bytes, which must not be 0.
   * @param corrected the bytes of all corrections when the number was found
   * @returns false if another one has been made since
   */
  correct(manager: EntityManager, bytes: number, corrected: number): Promise<boolean> {
    return this.usage.correct(manager, bytes, corrected);
  }
}
