import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { insertRowIfMissing, selectRows } from '../../database/sql/rows';
import { affectedRows, inList, lockRows } from '../../database/sql/statements';
import { SignInFailures } from '../entities/sign-in-failures.entity';

const PROPERTIES = ['subject', 'failures', 'waitsUntil', 'expires'] as const;

/** The failures of a subject. */
export type FailuresRow = Pick<SignInFailures, (typeof PROPERTIES)[number]>;

/** Repository of failed sign-ins. */
@Injectable()
export class SignInFailuresRepository {
  /** Locks the failures of subjects, which get a row if they have none, and returns them. */
  async lock(manager: EntityManager, subjects: readonly string[], now: number): Promise<FailuresRow[]> {
    // In one order, so that two transactions do not wait for each other.
    for (const subject of subjects.toSorted()) {
      await insertRowIfMissing(manager, SignInFailures, {
        subject,
        failures: 0,
        waitsUntil: 0,
        expires: now,
      });
    }
    const list = inList(subjects);
    await lockRows(
      manager,
      'sign_in_failures',
      `WHERE subject ${list.sql} ORDER BY subject`,
      list.parameters,
    );
    return selectRows(manager, SignInFailures, PROPERTIES, `WHERE subject ${list.sql}`, list.parameters);
  }

  async update(
    manager: EntityManager,
    { subject, failures, waitsUntil, expires }: FailuresRow,
  ): Promise<void> {
    await manager.query(
      'UPDATE sign_in_failures SET failures = ?, waits_until = ?, expires = ? WHERE subject = ?',
      [failures, waitsUntil, expires, subject],
    );
  }

  /** Takes back one failure of a subject, and its wait. */
  async takeBack(manager: EntityManager, subject: string): Promise<void> {
    await manager.query(
      'UPDATE sign_in_failures SET failures = failures - 1, waits_until = 0 WHERE subject = ? AND failures > 0',
      [subject],
    );
  }

  /** Forgets the failures of a subject. */
  async delete(manager: EntityManager, subject: string): Promise<void> {
    await manager.query('DELETE FROM sign_in_failures WHERE subject = ?', [subject]);
  }

  /** Deletes up to `limit` expired rows, and returns their number. */
  async deleteExpired(manager: EntityManager, now: number, limit: number): Promise<number> {
    const condition = `WHERE expires <= ? ORDER BY subject LIMIT ${limit}`;
    const rows = await selectRows(manager, SignInFailures, ['subject'], condition, [now]);
    if (rows.length === 0) return 0;
    const list = inList(rows.map(({ subject }) => subject));
    return affectedRows(manager, `DELETE FROM sign_in_failures WHERE subject ${list.sql} AND expires <= ?`, [
      ...list.parameters,
      now,
    ]);
  }
}
