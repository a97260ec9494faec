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

  /** Whether a user has a link that has not expired and that lives longer than those for forgotten passwords. */
  async hasOtherThanForgotten(
    manager: EntityManager,
    userId: number,
    now: number,
    lifetime: number,
  ): Promise<boolean> {
    const condition = 'WHERE user_id = ? AND expires > ? AND expires - created > ?';
    const parameters = [userId, now, lifetime];
    return (await selectRow(manager, PasswordLink, ['userId'], condition, parameters)) !== undefined;
  }

  /** Deletes the link of a user if it lives no longer than those for forgotten passwords. */
  async deleteForgotten(manager: EntityManager, userId: number, lifetime: number): Promise<void> {
    const condition = 'user_id = ? AND expires - created <= ?';
    await manager.query(`DELETE FROM password_link WHERE ${condition}`, [userId, lifetime]);
  }

  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM password_link WHERE user_id = ?', [userId]);
  }

  async deleteExpired(manager: EntityManager, now: number): Promise<void> {
    await manager.query('DELETE FROM password_link WHERE expires <= ?', [now]);
  }
}
