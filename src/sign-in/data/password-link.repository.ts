import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow } from '../../database/sql/rows';
import { type EntityRunner } from '../../database/sql/statements';
import { PasswordLink } from '../entities/password-link.entity';

/** Repository of links with which users set passwords. */
@Injectable()
export class PasswordLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the link with a hash that has not expired. */
  find(
    tokenHash: string,
    now: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<PasswordLink, 'userId' | 'withoutSecondFactor' | 'byOperator'> | undefined> {
    const condition = 'WHERE token_hash = ? AND expires > ?';
    const keys = ['userId', 'withoutSecondFactor', 'byOperator'] as const;
    return selectRow(runner, PasswordLink, keys, condition, [tokenHash, now]);
  }

  /** Inserts a link in place of the user's former one. */
  async replace(manager: EntityManager, link: Omit<PasswordLink, 'user'>): Promise<void> {
    await this.deleteOfUser(manager, link.userId);
    await insertRow(manager, PasswordLink, link);
  }

  /** Whether a user has a link that the operator has made and that has not expired. */
  async hasOfOperator(manager: EntityManager, userId: number, now: number): Promise<boolean> {
    const condition = 'WHERE user_id = ? AND by_operator = ? AND expires > ?';
    return (await selectRow(manager, PasswordLink, ['userId'], condition, [userId, true, now])) !== undefined;
  }

  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM password_link WHERE user_id = ?', [userId]);
  }

  async deleteExpired(manager: EntityManager, now: number): Promise<void> {
    await manager.query('DELETE FROM password_link WHERE expires <= ?', [now]);
  }
}
