import { type DataSource } from 'typeorm';
import { type TransactionsService } from './database/transactions/transactions.service';
import { type EncryptionService } from './encryption/encryption.service';
import {
  countMissingTotpKeys,
  type ReencryptedTotpSecrets,
  reencryptTotpSecrets,
} from './second-factors/stored-totp-secrets';
import {
  type ReencryptedSecrets,
  type ReencryptionOptions,
  reencryptSecrets,
} from './webhooks/secrets/stored-secrets';

/** Result of `reencryptAllSecrets`. */
export interface ReencryptedInAll extends ReencryptedSecrets {
  /** The secrets of authenticator apps. */
  apps: ReencryptedTotpSecrets;
}

/**
 * Re-encrypts the secrets of webhooks and of authenticator apps with the first key.
 * @throws EnvironmentError as `reencryptSecrets` does, also when only the key of an app is missing
 */
export async function reencryptAllSecrets(
  dataSource: DataSource,
  transactions: TransactionsService,
  encryption: EncryptionService,
  options: ReencryptionOptions,
): Promise<ReencryptedInAll> {
  const missing = options.isLostReplaced ? new Map() : await countMissingTotpKeys(dataSource, encryption);
  const problems = missing.size === 0 ? [] : [explainMissing(missing, options.place)];
  const webhooks = await reencryptSecrets(dataSource, transactions, encryption, { ...options, problems });
  return { ...webhooks, apps: await reencryptTotpSecrets(dataSource, transactions, encryption) };
}

function explainMissing(missing: ReadonlyMap<string, number>, place: string): string {
  const count = [...missing.values()].reduce((sum, number) => sum + number, 0);
  return (
    `${count} ${count === 1 ? 'secret of an authenticator app is' : 'secrets of authenticator apps are'} encrypted with the ` +
    `${missing.size === 1 ? 'key' : 'keys'} ${[...missing.keys()].join(', ')}, which ${place} does not contain. Add what is ` +
    'missing at the end of ENCRYPTION_KEY, or put the right encryption.key back; if it is lost, start once with ' +
    'REPLACE_LOST_SECRETS=true: these users then sign in with their recovery codes.'
  );
}
