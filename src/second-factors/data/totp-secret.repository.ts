import { type DataSource, type EntityManager } from 'typeorm';
import { selectRows } from '../../database/sql/rows';
import { affectedRows } from '../../database/sql/statements';
import { type SecretRows, type StoredSecret } from '../../encryption/reencryption';
import { Totp } from '../entities/totp.entity';

/** Query for the encrypted secrets of all apps that are factors, null for lost ones, with their users. */
export const TOTP_SECRETS =
  'SELECT user_id AS owner, secret AS secret FROM totp WHERE confirmed IS NOT NULL ORDER BY user_id';

/**
 * Repository of the encrypted secrets of authenticator apps, by user. An app whose secret is lost is still a second factor, so that nobody
 * signs in without one.
 */
export class TotpSecretRepository implements SecretRows {
  constructor(private readonly dataSource: DataSource) {}

  async findWithOtherKeys(keyId: string, after: number, limit: number): Promise<StoredSecret[]> {
    const rows = await selectRows(
      this.dataSource,
      Totp,
      ['userId', 'secret'],
      'WHERE user_id > ? AND secret NOT LIKE ? ORDER BY user_id LIMIT ?',
      [after, `${keyId}.%`, limit],
    );
    return rows.flatMap(({ userId, secret }) => (secret === null ? [] : [{ id: userId, secret }]));
  }

  async replace(
    manager: EntityManager,
    { id, secret: before }: StoredSecret,
    secret: string | null,
  ): Promise<boolean> {
    const sql = 'UPDATE totp SET secret = ? WHERE user_id = ? AND secret = ?';
    return (await affectedRows(manager, sql, [secret, id, before])) > 0;
  }
}
