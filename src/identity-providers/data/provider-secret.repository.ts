import { type DataSource, type EntityManager } from 'typeorm';
import { selectRows } from '../../database/sql/rows';
import { affectedRows } from '../../database/sql/statements';
import { type SecretRows, type StoredSecret } from '../../encryption/reencryption';
import { IdentityProvider } from '../entities/identity-provider.entity';

/** Query for the encrypted client secrets of all providers, null for lost ones, with their keys. */
export const PROVIDER_SECRETS =
  'SELECT provider_key AS owner, client_secret AS secret FROM identity_provider ORDER BY id';

/** Repository of the encrypted client secrets of identity providers. */
export class ProviderSecretRepository implements SecretRows {
  constructor(private readonly dataSource: DataSource) {}

  async findWithOtherKeys(keyId: string, after: number, limit: number): Promise<StoredSecret[]> {
    const rows = await selectRows(
      this.dataSource,
      IdentityProvider,
      ['id', 'clientSecret'],
      'WHERE id > ? AND client_secret NOT LIKE ? ORDER BY id LIMIT ?',
      [after, `${keyId}.%`, limit],
    );
    return rows.flatMap(({ id, clientSecret }) =>
      clientSecret === null ? [] : [{ id, secret: clientSecret }],
    );
  }

  async replace(
    manager: EntityManager,
    { id, secret: before }: StoredSecret,
    secret: string | null,
  ): Promise<boolean> {
    const sql = 'UPDATE identity_provider SET client_secret = ? WHERE id = ? AND client_secret = ?';
    return (await affectedRows(manager, sql, [secret, id, before])) > 0;
  }
}
