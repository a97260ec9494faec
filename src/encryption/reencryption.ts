import { type EntityManager } from 'typeorm';
import { type TransactionsService } from '../database/transactions/transactions.service';
import { type EncryptionService } from './encryption.service';

/** Number of secrets changed in one transaction. */
const BATCH = 200;

/** An encrypted secret, with the id of its row. */
export interface StoredSecret {
  id: number;
  secret: string;
}

/** Repository of the encrypted secrets of one table. */
export interface SecretRows {
  /** Returns secrets of other keys than one, ordered by the ids of their rows. @param after only rows with a larger id */
  findWithOtherKeys(keyId: string, after: number, limit: number): Promise<StoredSecret[]>;
  /** Replaces a secret, unless it has changed; returns whether it did. @param secret null for a lost one */
  replace(manager: EntityManager, row: StoredSecret, secret: string | null): Promise<boolean>;
}

/** Result of `reencryptRows`, in numbers of secrets. */
export interface ReencryptedRows {
  reencrypted: number;
  /** Discarded because their keys are lost. */
  lost: number;
}

/** Counts the secrets whose keys are not configured, by the ids of these. */
export async function countMissingKeys(
  secrets: SecretRows,
  encryption: EncryptionService,
): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  for await (const rows of rowsToCheck(secrets, encryption)) {
    for (const { secret } of rows) {
      if (encryption.canDecrypt(secret)) continue;
      const keyId = encryption.keyIdOf(secret);
      missing.set(keyId, (missing.get(keyId) ?? 0) + 1);
    }
  }
  return missing;
}

/**
 * Re-encrypts secrets with the first key, and discards those of missing keys. Works in short transactions, beside other processes that do
 * the same.
 */
export async function reencryptRows(
  secrets: SecretRows,
  transactions: TransactionsService,
  encryption: EncryptionService,
): Promise<ReencryptedRows> {
  const done = { reencrypted: 0, lost: 0 };
  for await (const rows of rowsToCheck(secrets, encryption)) {
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
    // The secret was tampered with. Only its own row is affected.
    return secret;
  }
}

/** Yields the rows that have secrets of other keys than the first, in batches. */
export async function* rowsToCheck<Row extends { id: number }>(
  secrets: { findWithOtherKeys(keyId: string, after: number, limit: number): Promise<Row[]> },
  encryption: EncryptionService,
): AsyncGenerator<Row[]> {
  for (let after = 0; ;) {
    const rows = await secrets.findWithOtherKeys(encryption.currentKeyId, after, BATCH);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.id;
  }
}
