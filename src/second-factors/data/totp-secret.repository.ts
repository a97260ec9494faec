import { type DataSource, type EntityManager } from 'typeorm';
import { selectRows } from '../../database/sql/rows';
import { affectedRows } from '../../database/sql/statements';
import { Totp } from '../entities/totp.entity';

/** The encrypted secret of a user's app. */
export interface StoredTotpSecret {
  userId: number;
  secret: string;
}

/** Query for all encrypted secrets of apps. */
export const TOTP_SECRETS = 'SELECT secret AS secret FROM totp WHERE secret IS NOT NULL';

/** Repository of the encrypted secrets of authenticator apps. */
export class TotpSecretRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns secrets of other keys than one, ordered by user. @param after only users with a larger id */
  async findWithOtherKeys(keyId: string, after: number, limit: number): Promise<StoredTotpSecret[]> {
    const rows = await selectRows(
      this.dataSource,
      Totp,
      ['userId', 'secret'],
      'WHERE user_id > ? AND secret NOT LIKE ? ORDER BY user_id LIMIT ?',
      [after, `${keyId}.%`, limit],
    );
    return rows.flatMap(({ userId, secret }) => (secret === null ? [] : [{ userId, secret }]));
  }

  /** Replaces a secret, unless it has changed; returns whether it did. @param secret null for a lost one */
  async replace(
    manager: EntityManager,
    { userId, secret: before }: StoredTotpSecret,
    secret: string | null,
  ): Promise<boolean> {
    const sql = 'UPDATE totp SET secret = ? WHERE user_id = ? AND secret = ?';
    return (await affectedRows(manager, sql, [secret, userId, before])) > 0;
  }
}
