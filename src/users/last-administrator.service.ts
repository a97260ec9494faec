import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { InvalidRequestError } from '../errors/domain-errors';
import { SpaceService } from '../space/space.service';
import { RoleType } from '../access/role-type';

/** Sees to it that somebody can always administer the space: an Administrator who has an API key. */
@Injectable()
export class LastAdministratorService {
  constructor(private readonly space: SpaceService) {}

  /**
   * Makes sure that there is one without this user; the space's owner is one of them from then on.
   * @throws InvalidRequestError for the field
   */
  async keepOneWithoutUser(manager: EntityManager, userId: number, field: string): Promise<void> {
    const heirId = await this.findOther(manager, 'u.id', userId);
    if (heirId === null) throw InvalidRequestError.of(field, 'The last Administrator has to stay one.');
    await this.space.transferOwnership(manager, userId, heirId);
  }

  /**
   * Makes sure that there is one without this key.
   * @throws InvalidRequestError for the field
   */
  async keepOneWithoutKey(manager: EntityManager, apiKeyId: number, field: string): Promise<void> {
    if ((await this.findOther(manager, 'k.id', apiKeyId)) === null) {
      throw InvalidRequestError.of(field, 'The last API key of the last Administrator has to stay.');
    }
  }

  /** Holds the space, so that of two requests at once each sees what the other has left. */
  private async findOther(
    manager: EntityManager,
    column: 'u.id' | 'k.id',
    id: number,
  ): Promise<number | null> {
    await this.space.lock(manager);
    const [row] = await manager.query<[{ id: number | null }]>(
      `SELECT MIN(u.id) AS id FROM user u JOIN api_key k ON k.user_id = u.id
        WHERE u.role_type = ? AND u.active = 1 AND ${column} <> ?`,
      [RoleType.Administrator, id],
    );
    return row.id;
  }
}
