import { type DataSource } from 'typeorm';
import { type TransactionsService } from './database/transactions/transactions.service';
import { type EncryptionService } from './encryption/encryption.service';
import {
  countMissingKeys,
  type ReencryptedRows,
  reencryptRows,
  type SecretRows,
} from './encryption/reencryption';
import { ProviderSecretRepository } from './identity-providers/data/provider-secret.repository';
import { TotpSecretRepository } from './second-factors/data/totp-secret.repository';
import {
  type ReencryptedSecrets,
  type ReencryptionOptions,
  reencryptSecrets,
} from './webhooks/secrets/stored-secrets';

/** Secrets besides those of webhooks, which nobody can replace but their owners. */
interface SecretKind {
  rows: (dataSource: DataSource) => SecretRows;
  one: string;
  many: string;
  /** What follows when they are lost. */
  loss: string;
}

const KINDS = {
  apps: {
    rows: (dataSource) => new TotpSecretRepository(dataSource),
    one: 'secret of an authenticator app is',
    many: 'secrets of authenticator apps are',
    loss: 'these users then sign in with their recovery codes',
  },
  providers: {
    rows: (dataSource) => new ProviderSecretRepository(dataSource),
    one: 'client secret of an identity provider is',
    many: 'client secrets of identity providers are',
    loss: 'nobody signs in with these providers until their client secrets are entered again',
  },
} satisfies Record<string, SecretKind>;

/** Result of `reencryptAllSecrets`. */
export interface ReencryptedInAll extends ReencryptedSecrets {
  /** The secrets of authenticator apps. */
  apps: ReencryptedRows;
  /** The client secrets of identity providers. */
  providers: ReencryptedRows;
}

/**
 * Re-encrypts the secrets of webhooks, of authenticator apps and of identity providers with the first key.
 * @throws EnvironmentError as `reencryptSecrets` does, also when only the key of an app or a provider is missing
 */
export async function reencryptAllSecrets(
  dataSource: DataSource,
  transactions: TransactionsService,
  encryption: EncryptionService,
  options: ReencryptionOptions,
): Promise<ReencryptedInAll> {
  const problems: string[] = [];
  for (const kind of options.isLostReplaced ? [] : Object.values(KINDS)) {
    const missing = await countMissingKeys(kind.rows(dataSource), encryption);
    if (missing.size > 0) problems.push(explainMissing(kind, missing, options.place));
  }
  const webhooks = await reencryptSecrets(dataSource, transactions, encryption, { ...options, problems });
  const reencrypt = (kind: SecretKind): Promise<ReencryptedRows> =>
    reencryptRows(kind.rows(dataSource), transactions, encryption);
  return { ...webhooks, apps: await reencrypt(KINDS.apps), providers: await reencrypt(KINDS.providers) };
}

function explainMissing(
  { one, many, loss }: SecretKind,
  missing: ReadonlyMap<string, number>,
  place: string,
): string {
  const count = [...missing.values()].reduce((sum, number) => sum + number, 0);
  return (
    `${count} ${count === 1 ? one : many} encrypted with the ` +
    `${missing.size === 1 ? 'key' : 'keys'} ${[...missing.keys()].join(', ')}, which ${place} does not contain. Add what is ` +
    'missing at the end of ENCRYPTION_KEY, or put the right encryption.key back; if it is lost, start once with ' +
    `REPLACE_LOST_SECRETS=true: ${loss}.`
  );
}
