import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type EntityRunner } from '../database/sql/statements';
import { toTimestamp } from '../http/request/timestamp';
import { SpaceRepository, type SpaceRow } from './data/space.repository';
import { type SpaceDto } from './dto/space.dto';
import { type Space } from './entities/space.entity';

/** Manages the space. */
@Injectable()
export class SpaceService {
  constructor(private readonly spaces: SpaceRepository) {}

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
}
