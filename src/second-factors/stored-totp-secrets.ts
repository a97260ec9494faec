import { type DataSource } from 'typeorm';
import { type TransactionsService } from '../database/transactions/transactions.service';
import { type EncryptionService } from '../encryption/encryption.service';
import { type StoredTotpSecret, TotpSecretRepository } from './data/totp-secret.repository';

/** Number of secrets changed in one transaction. */
const BATCH = 200;

/** Result of `reencryptTotpSecrets`, in numbers of secrets. */
export interface ReencryptedTotpSecrets {
  reencrypted: number;
  /** Discarded because their keys are lost: their users need a recovery code, or an Administrator who removes the factor. */
  lost: number;
}

/** Counts the secrets whose keys are not configured, by the ids of these. */
export async function countMissingTotpKeys(
  dataSource: DataSource,
  encryption: EncryptionService,
): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  for await (const rows of rowsToCheck(dataSource, encryption)) {
    for (const { secret } of rows) {
      if (encryption.canDecrypt(secret)) continue;
      const keyId = encryption.keyIdOf(secret);
      missing.set(keyId, (missing.get(keyId) ?? 0) + 1);
    }
  }
  return missing;
}

/**
 * Re-encrypts the secrets of authenticator apps with the first key, and discards those of missing keys. The apps then are still second
 * factors, so that nobody signs in without one. Works in short transactions, beside other processes that do the same.
 */
export async function reencryptTotpSecrets(
  dataSource: DataSource,
  transactions: TransactionsService,
  encryption: EncryptionService,
): Promise<ReencryptedTotpSecrets> {
  const secrets = new TotpSecretRepository(dataSource);
  const done = { reencrypted: 0, lost: 0 };
  for await (const rows of rowsToCheck(dataSource, encryption)) {
    const changes = rows.map((row) => ({ row, secret: reencrypted(row.secret, encryption) }));
    const replaced = await transactions.run(async (manager) => {
      const written = [];
      for (const change of changes) {
        const { row, secret } = change;
        if (secret !== row.secret && (await secrets.replace(manager, row, secret))) written.push(change);
      }
      return written;
    });
    done.lost += replaced.filter(({ secret }) => secret === null).length;
    done.reencrypted += replaced.filter(({ secret }) => secret !== null).length;
  }
  return done;
}

/** Returns null for a secret whose key is missing. */
function reencrypted(secret: string, encryption: EncryptionService): string | null {
  if (!encryption.canDecrypt(secret)) return null;
  try {
    return encryption.encrypt(encryption.decrypt(secret));
  } catch {
    // The secret was tampered with. Only its own user is affected.
    return secret;
  }
}

/** Yields the secrets of other keys than the first, in batches. */
async function* rowsToCheck(
  dataSource: DataSource,
  encryption: EncryptionService,
): AsyncGenerator<StoredTotpSecret[]> {
  const secrets = new TotpSecretRepository(dataSource);
  for (let after = 0; ;) {
    const rows = await secrets.findWithOtherKeys(encryption.currentKeyId, after, BATCH);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.userId;
  }
}
