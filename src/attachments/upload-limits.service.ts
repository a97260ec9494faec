import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { Environment } from '../config/environment';
import { ResourceOverflowError, SpaceOverCapacityError } from '../errors/domain-errors';
import { UsersService } from '../users/users.service';
import { AttachmentRepository, type UnattachedUsage } from './data/attachment.repository';

/** An upload that is not attached by then is removed (`docs/decisions/0013-files.md`). */
export const UPLOAD_LIFETIME_MS = 3_600_000;

/** The message when a user has the maximum number of unattached files. */
export const UNATTACHED_LIMIT =
  'You have too many files that are attached to nothing. Attach them, or wait an hour.';
/** The message when they are too large. */
export const UNATTACHED_SIZE_LIMIT =
  'Your files that are attached to nothing take too much room. Attach them, or wait an hour.';

/** The limits of the uploads of a user that are attached to nothing. */
@Injectable()
export class UploadLimitsService {
  constructor(
    private readonly environment: Environment,
    private readonly users: UsersService,
    private readonly attachments: AttachmentRepository,
  ) {}

  /**
   * Makes sure that the caller may have one more upload that is attached to nothing.
   * @param minSize its smallest possible size
   * @throws SpaceOverCapacityError, ResourceOverflowError
   */
  async requireRoom(manager: EntityManager, caller: Caller, minSize: number): Promise<void> {
    const { MAX_UNATTACHED_FILES, MAX_UNATTACHED_BYTES } = this.environment;
    const { files, bytes } = await this.lockUsage(manager, caller);
    if (MAX_UNATTACHED_FILES > 0 && files >= MAX_UNATTACHED_FILES) {
      throw new ResourceOverflowError(UNATTACHED_LIMIT);
    }
    if (MAX_UNATTACHED_BYTES > 0 && bytes + minSize > MAX_UNATTACHED_BYTES) {
      throw new SpaceOverCapacityError(UNATTACHED_SIZE_LIMIT);
    }
  }

  /**
   * Makes sure that there is room for an upload that has arrived, besides the files stored before it. Uploads in progress are
   * checked when they have arrived.
   * @throws SpaceOverCapacityError
   */
  async requireRoomForBytes(manager: EntityManager, caller: Caller, size: number): Promise<void> {
    const { MAX_UNATTACHED_BYTES } = this.environment;
    const { storedBytes } = await this.lockUsage(manager, caller);
    if (MAX_UNATTACHED_BYTES > 0 && storedBytes + size > MAX_UNATTACHED_BYTES) {
      throw new SpaceOverCapacityError(UNATTACHED_SIZE_LIMIT);
    }
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
