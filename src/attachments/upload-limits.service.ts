import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { Environment } from '../config/environment';
import { SpaceOverCapacityError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { UsersService } from '../users/users.service';
import { AttachmentRepository, type UnattachedUsage } from './data/attachment.repository';

/** An upload that is not attached by then is removed (`docs/decisions/0013-files.md`). */
export const UPLOAD_LIFETIME_MS = 3_600_000;

/** The limits of the uploads of a user that are attached to nothing. */
@Injectable()
export class UploadLimitsService {
  constructor(
    private readonly environment: Environment,
    private readonly users: UsersService,
    private readonly attachments: AttachmentRepository,
    private readonly limits: CountLimitsService,
  ) {}

  /**
   * Makes sure that the caller may have one more upload that is attached to nothing.
   * @param minSize its smallest possible size
   * @throws SpaceOverCapacityError, ResourceOverflowError
   */
  async requireRoom(manager: EntityManager, caller: Caller, minSize: number): Promise<void> {
    const { files, bytes } = await this.lockUsage(manager, caller);
    this.limits.require('unattachedFile', files + 1);
    this.requireBytes(bytes + minSize);
  }

  /**
   * Makes sure that there is room for an upload that has arrived, besides the files stored before it. Uploads in progress are
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
   * What the caller's uploads take that are attached to nothing. Locks the caller, so that of several uploads at once each
   * sees what the others have taken.
   */
  private async lockUsage(manager: EntityManager, { id }: Caller): Promise<UnattachedUsage> {
    await this.users.hold(manager, id);
    return this.attachments.sumUnattached(manager, id, Date.now() - UPLOAD_LIFETIME_MS);
  }
}
