import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { type EntityRunner } from '../../database/sql/statements';
import { Identity } from '../entities/identity.entity';
import { type EnabledProvider, USABLE } from './identity-provider.repository';

const KEYS = ['id', 'providerId', 'subject', 'userId', 'mailAddress', 'created', 'lastUsed'] as const;

/** An identity of a user. */
export type IdentityRow = Pick<Identity, (typeof KEYS)[number]>;

/** Repository of identities. */
@Injectable()
export class IdentityRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the identity of a person at a provider. */
  findBySubject(
    providerId: number,
    subject: string,
    runner: EntityRunner = this.dataSource,
  ): Promise<IdentityRow | undefined> {
    const condition = 'WHERE provider_id = ? AND subject = ?';
    return selectRow(runner, Identity, KEYS, condition, [providerId, subject]);
  }

  /** Returns the identities of a user, at most one of each provider, oldest first. */
  findOfUser(userId: number, runner: EntityRunner = this.dataSource): Promise<IdentityRow[]> {
    return selectRows(runner, Identity, KEYS, 'WHERE user_id = ? ORDER BY id', [userId]);
  }

  /** Returns the providers with which a user can sign in, oldest first. */
  findUsable(userId: number, runner: EntityRunner = this.dataSource): Promise<EnabledProvider[]> {
    return runner.query<EnabledProvider[]>(
      `SELECT p.id, p.provider_key AS providerKey, p.name FROM identity i JOIN identity_provider p ON p.id = i.provider_id
        WHERE i.user_id = ? AND ${USABLE} ORDER BY p.id`,
      [userId],
    );
  }

  find(id: number, userId: number, runner: EntityRunner = this.dataSource): Promise<IdentityRow | undefined> {
    return selectRow(runner, Identity, KEYS, 'WHERE id = ? AND user_id = ?', [id, userId]);
  }

  insert(manager: EntityManager, identity: Omit<IdentityRow, 'id'>): Promise<number> {
    return insertRow(manager, Identity, identity);
  }

  /** Records a sign-in. */
  noteUse(
    manager: EntityManager,
    id: number,
    use: Pick<IdentityRow, 'mailAddress' | 'lastUsed'>,
  ): Promise<void> {
    return updateRow(manager, Identity, id, use);
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM identity WHERE id = ?', [id]);
  }

  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM identity WHERE user_id = ?', [userId]);
  }
}
