import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { InvalidRequestError } from '../errors/domain-errors';
import { SpaceService } from '../space/space.service';
import { UserRepository } from './data/user.repository';

/**
 * Ensures that the space always has an Administrator with an API key without limits. Each check locks the space first, so that the second of
 * two concurrent requests sees the result of the first.
 */
@Injectable()
export class LastAdministratorService {
  constructor(
    private readonly space: SpaceService,
    private readonly users: UserRepository,
  ) {}

  /**
   * Requires another Administrator with such a key, and transfers the ownership of the space to them.
   * @throws InvalidRequestError for the field
   */
  async requireOtherAdmin(manager: EntityManager, userId: number, field: string): Promise<void> {
    await this.space.lock(manager);
    const heirId = await this.users.findKeyedAdministratorExcept(userId, manager);
    if (heirId === null) {
      throw InvalidRequestError.of(
        field,
        'The last Administrator with an API key without limits cannot be removed, disabled or given another role.',
      );
    }
    await this.space.transferOwnership(manager, userId, heirId);
  }

  /**
   * Requires an Administrator with such a key besides the given one.
   * @throws InvalidRequestError for the field
   */
  async requireOtherAdminKey(manager: EntityManager, apiKeyId: number, field: string): Promise<void> {
    await this.space.lock(manager);
    if ((await this.users.findKeyedAdministratorExceptKey(apiKeyId, manager)) === null) {
      throw InvalidRequestError.of(
        field,
        'The last API key without limits of the last Administrator who has one cannot be revoked.',
      );
    }
  }
}
