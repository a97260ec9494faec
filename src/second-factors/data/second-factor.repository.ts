import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { insertRow, insertRows, selectRow } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, type StatementRunner } from '../../database/sql/statements';
import { RecoveryCode } from '../entities/recovery-code.entity';
import { Totp } from '../entities/totp.entity';

/** A user's authenticator app. */
export type TotpRow = Pick<Totp, 'secret' | 'confirmed' | 'lastStep'>;

/** Repository of authenticator apps and recovery codes, and of what second factors have in common. */
@Injectable()
export class SecondFactorRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns a user's app, which may not have been confirmed yet. */
  find(userId: number, runner: EntityRunner = this.dataSource): Promise<TotpRow | undefined> {
    return selectRow(runner, Totp, ['secret', 'confirmed', 'lastStep'], 'WHERE user_id = ?', [userId]);
  }

  /** Whether a user has a second factor: a confirmed app or a passkey. */
  async exists(userId: number, runner: EntityRunner = this.dataSource): Promise<boolean> {
    const rows = await runner.query<unknown[]>(
      `SELECT user_id FROM totp WHERE user_id = ? AND confirmed IS NOT NULL
        UNION ALL SELECT user_id FROM passkey WHERE user_id = ? LIMIT 1`,
      [userId, userId],
    );
    return rows.length > 0;
  }

  /** Whether a user has a confirmed app. */
  async hasApp(userId: number, runner: EntityRunner = this.dataSource): Promise<boolean> {
    const condition = 'WHERE user_id = ? AND confirmed IS NOT NULL';
    return (await selectRow(runner, Totp, ['userId'], condition, [userId])) !== undefined;
  }

  /** Stores a user's app in place of another one. */
  async replace(manager: EntityManager, totp: Omit<Totp, 'user'>): Promise<void> {
    await this.deleteApp(manager, totp.userId);
    await insertRow(manager, Totp, totp);
  }

  async confirm(manager: EntityManager, userId: number, confirmed: number, step: number): Promise<void> {
    await manager.query('UPDATE totp SET confirmed = ?, last_step = ? WHERE user_id = ?', [
      confirmed,
      step,
      userId,
    ]);
  }

  /** Records that the code of a step was accepted; returns false if this step, or a later one, has been accepted before. */
  async useStep(manager: EntityManager, userId: number, step: number): Promise<boolean> {
    const sql = 'UPDATE totp SET last_step = ? WHERE user_id = ? AND last_step < ?';
    return (await affectedRows(manager, sql, [step, userId, step])) > 0;
  }

  /** Counts the recovery codes that a user has left. */
  countCodes(userId: number, runner: StatementRunner = this.dataSource): Promise<number> {
    return countRows(runner, {
      from: 'recovery_code',
      conditions: new Conditions().add('user_id = ?', userId),
    });
  }

  /** Stores a user's recovery codes in place of the former ones. */
  async replaceCodes(manager: EntityManager, userId: number, hashes: readonly string[]): Promise<void> {
    await this.deleteCodes(manager, userId);
    const rows = hashes.map((codeHash) => ({ userId, codeHash }));
    await insertRows(manager, RecoveryCode, rows);
  }

  /** Deletes a recovery code, and returns whether the user had it. */
  async useCode(manager: EntityManager, userId: number, codeHash: string): Promise<boolean> {
    const sql = 'DELETE FROM recovery_code WHERE user_id = ? AND code_hash = ?';
    return (await affectedRows(manager, sql, [userId, codeHash])) > 0;
  }

  async deleteCodes(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM recovery_code WHERE user_id = ?', [userId]);
  }

  async deleteApp(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM totp WHERE user_id = ?', [userId]);
  }

  /** Deletes all that a user has. */
  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await this.deleteApp(manager, userId);
    await manager.query('DELETE FROM passkey WHERE user_id = ?', [userId]);
    await this.deleteCodes(manager, userId);
  }
}
