import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { affectedRows, type EntityRunner } from '../../database/sql/statements';
import { Passkey } from '../entities/passkey.entity';
import { UsedChallenge } from '../entities/used-challenge.entity';

const PROPERTIES = [
  ...(['id', 'userId', 'credentialHash', 'credentialId', 'publicKey', 'signCount'] as const),
  ...(['transports', 'backedUp', 'name', 'created', 'lastUsed'] as const),
] as const;

/** A passkey of a user. */
export type PasskeyRow = Pick<Passkey, (typeof PROPERTIES)[number]>;

/** What a use changes. */
export type PasskeyUse = Pick<PasskeyRow, 'signCount' | 'backedUp'> & { lastUsed: number };

/** Repository of passkeys and of the challenges that they have answered. */
@Injectable()
export class PasskeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the passkeys of a user, the oldest first; their number is limited. */
  findOfUser(userId: number, runner: EntityRunner = this.dataSource): Promise<PasskeyRow[]> {
    return selectRows(runner, Passkey, PROPERTIES, 'WHERE user_id = ? ORDER BY id', [userId]);
  }

  /** Returns a passkey of a user. */
  find(id: number, userId: number, runner: EntityRunner = this.dataSource): Promise<PasskeyRow | undefined> {
    return selectRow(runner, Passkey, PROPERTIES, 'WHERE id = ? AND user_id = ?', [id, userId]);
  }

  /** Returns the passkey with a credential, of any user. */
  findByCredential(
    credentialHash: string,
    runner: EntityRunner = this.dataSource,
  ): Promise<PasskeyRow | undefined> {
    return selectRow(runner, Passkey, PROPERTIES, 'WHERE credential_hash = ?', [credentialHash]);
  }

  /** Inserts a passkey and returns the id. Throws a duplicate key error for a known credential. */
  insert(manager: EntityManager, passkey: Omit<Passkey, 'id' | 'user'>): Promise<number> {
    return insertRow(manager, Passkey, passkey);
  }

  async rename(manager: EntityManager, id: number, name: string): Promise<void> {
    await manager.query('UPDATE passkey SET name = ? WHERE id = ?', [name, id]);
  }

  /** Records a use; returns false if the counter has not gone forward since the last one. Authenticators without a counter send 0. */
  async use(
    manager: EntityManager,
    id: number,
    { signCount, backedUp, lastUsed }: PasskeyUse,
  ): Promise<boolean> {
    const sql = `UPDATE passkey SET sign_count = ?, backed_up = ?, last_used = ?
                  WHERE id = ? AND (sign_count < ? OR (sign_count = 0 AND ? = 0))`;
    const parameters = [signCount, backedUp ? 1 : 0, lastUsed, id, signCount, signCount];
    return (await affectedRows(manager, sql, parameters)) > 0;
  }

  /** Records that a passkey has signed its user in with nothing else. */
  noteUseAlone(manager: EntityManager, id: number, lastUsedAlone: number): Promise<void> {
    return updateRow(manager, Passkey, id, { lastUsedAlone });
  }

  /** Whether a user has a passkey that has signed them in with nothing else. */
  async hasUsedAlone(userId: number, runner: EntityRunner = this.dataSource): Promise<boolean> {
    const condition = 'WHERE user_id = ? AND last_used_alone IS NOT NULL LIMIT 1';
    return (await selectRow(runner, Passkey, ['id'], condition, [userId])) !== undefined;
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM passkey WHERE id = ?', [id]);
  }

  /** Whether a challenge has been answered. */
  async isUsed(manager: EntityManager, challengeHash: string): Promise<boolean> {
    const row = await selectRow(manager, UsedChallenge, ['expires'], 'WHERE challenge_hash = ?', [
      challengeHash,
    ]);
    return row !== undefined;
  }

  async insertUsed(manager: EntityManager, challenge: UsedChallenge): Promise<void> {
    await insertRow(manager, UsedChallenge, challenge);
  }

  /** Deletes the challenges that have expired. */
  async deleteExpired(manager: EntityManager, now: number): Promise<void> {
    await manager.query('DELETE FROM used_challenge WHERE expires <= ?', [now]);
  }
}
