import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { Environment } from '../config/environment';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { UsersService } from '../users/users.service';
import { AttachmentRepository, type UnattachedUsage } from './data/attachment.repository';

/** Time after which an unattached upload expires, in milliseconds (`docs/decisions/0013-files.md`). */
export const UPLOAD_LIFETIME_MS = 3_600_000;

/** Enforces the limits of a user's unattached uploads. */
@Injectable()
export class UploadLimitsService {
  constructor(
    private readonly environment: Environment,
    private readonly users: UsersService,
    private readonly attachments: AttachmentRepository,
    private readonly limits: CountLimitsService,
  ) {}

  /**
   * Checks that the caller may have another unattached upload.
   * @param minSize its minimum size in bytes
   * @throws SpaceOverCapacityError, ResourceOverflowError
   */
  async requireRoom(manager: EntityManager, caller: Caller, minSize: number): Promise<void> {
    const { files, bytes } = await this.lockUsage(manager, caller);
    this.limits.require('unattachedFile', files + 1);
    this.requireBytes(bytes + minSize);
  }

  /**
   * Checks that there is room for an upload that has arrived, in addition to the files already stored. Uploads in progress are
   * checked when they have arrived.
   * @throws SpaceOverCapacityError
   */
  async requireRoomForBytes(manager: EntityManager, caller: Caller, size: number): Promise<void> {
    const { storedBytes } = await this.lockUsage(manager, caller);
    this.requireBytes(storedBytes + size);
  }

  private requireBytes(bytes: number): void {
    const { MAX_UNATTACHED_BYTES } = this.environment;
    if (MAX_UNATTACHED_BYTES === 0 || bytes <= MAX_UNATTACHED_BYTES) return;
    throw new SpaceOverCapacityError(
      `The unattached files of a user can take at most ${MAX_UNATTACHED_BYTES} bytes. Attach some, or wait an hour.`,
    );
  }

  /**
   * Returns the usage of the caller's unattached uploads. Locks the caller, so that concurrent uploads see each other's usage.
   */
  private async lockUsage(manager: EntityManager, { id }: Caller): Promise<UnattachedUsage> {
    await this.users.lockEvenIfLeft(manager, id);
    return this.attachments.sumUnattached(manager, id, Date.now() - UPLOAD_LIFETIME_MS);
  }
}
