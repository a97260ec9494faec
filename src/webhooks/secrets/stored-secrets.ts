import { type DataSource, type EntityManager } from 'typeorm';
import { EnvironmentError } from '../../config/environment';
import { type TransactionsService } from '../../database/transactions/transactions.service';
import { type EncryptionService } from '../../encryption/encryption.service';
import { rowsToCheck } from '../../encryption/reencryption';
import {
  type SecretOwner,
  type StoredSecrets,
  WebhookSecretRepository,
} from '../data/webhook-secret.repository';
import { type PreviousSecret } from '../entities/webhook.entity';
import { secretsThatSign } from './webhook-secrets.service';

/** Number of webhooks that one line names. */
const NAMES_IN_LINE = 50;

/** Result of `reencryptSecrets`, in numbers of secrets. */
export interface ReencryptedSecrets {
  reencrypted: number;
  /** Discarded because their keys are lost; their webhooks get new ones. */
  replaced: number;
  /** The webhooks of these secrets. */
  replacedOf: SecretOwner[];
}

/** Options of `reencryptSecrets`. */
export interface ReencryptionOptions {
  place: string;
  isLostReplaced: boolean;
  /** What is wrong with other secrets, for which it then throws as well. */
  problems?: readonly string[];
  onProgress?: (done: number, total: number) => void;
}

/**
 * Re-encrypts secrets of older keys with the first key, so that the older keys are no longer needed. Works in short
 * transactions that lock the rows they change, so that other processes may do the same and rotate secrets concurrently. The
 * next startup continues where a stopped process left off.
 * @param place location of the keys, for messages
 * @param isLostReplaced whether to discard secrets of missing keys
 * @param onProgress called with the number of affected webhooks processed so far, and their total
 * @throws EnvironmentError when the key of a secret is missing and `isLostReplaced` is false; nothing has been changed then
 */
export async function reencryptSecrets(
  dataSource: DataSource,
  transactions: TransactionsService,
  encryption: EncryptionService,
  { place, isLostReplaced, problems = [], onProgress }: ReencryptionOptions,
): Promise<ReencryptedSecrets> {
  const secrets = new WebhookSecretRepository(dataSource);
  const missing = new Map<string, number>();
  let total = 0;
  for await (const rows of rowsToCheck(secrets, encryption)) {
    total += rows.length;
    for (const secret of rows.flatMap(secretsInUse)) {
      if (encryption.canDecrypt(secret)) continue;
      const keyId = encryption.keyIdOf(secret);
      missing.set(keyId, (missing.get(keyId) ?? 0) + 1);
    }
  }
  const allProblems = [
    ...(missing.size > 0 && !isLostReplaced ? [explainMissing(missing, place)] : []),
    ...problems,
  ];
  if (allProblems.length > 0) throw new EnvironmentError(allProblems);
  const done: ReencryptedSecrets = { reencrypted: 0, replaced: 0, replacedOf: [] };
  let checked = 0;
  for await (const rows of rowsToCheck(secrets, encryption)) {
    onProgress?.(checked, total);
    checked += rows.length;
    const ids = rows.filter((row) => isOutdated(row, encryption)).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { reencrypted, replaced, replacedIds } = await transactions.run((manager) =>
      reencryptRows(manager, secrets, ids, encryption, isLostReplaced),
    );
    done.reencrypted += reencrypted;
    done.replaced += replaced;
    for (const owner of await secrets.findOwners(replacedIds)) done.replacedOf.push(owner);
  }
  return done;
}

/** Returns how many webhooks lost secrets belong to, in lines of bounded length that name them: `DEMO 12 "Chat"`. */
export function describeReplaced({ replacedOf }: ReencryptedSecrets): string[] {
  const names = replacedOf.map(({ id, name, projectKey }) => `${projectKey} ${id} ${JSON.stringify(name)}`);
  const lines: string[] = [];
  for (let from = 0; from < names.length; from += NAMES_IN_LINE) {
    lines.push(names.slice(from, from + NAMES_IN_LINE).join(', '));
  }
  return lines;
}

async function reencryptRows(
  manager: EntityManager,
  secrets: WebhookSecretRepository,
  ids: readonly number[],
  encryption: EncryptionService,
  isLostReplaced: boolean,
): Promise<Omit<ReencryptedSecrets, 'replacedOf'> & { replacedIds: number[] }> {
  const rows = await secrets.lockAllForUpdate(manager, ids);
  const done = { reencrypted: 0, replaced: 0, replacedIds: [] as number[] };
  const reencrypt = (secret: string): string | undefined => {
    if (encryption.isCurrent(secret)) return secret;
    if (!encryption.canDecrypt(secret)) {
      if (!isLostReplaced) return secret;
      done.replaced++;
      return undefined;
    }
    try {
      const reencrypted = encryption.encrypt(encryption.decrypt(secret));
      done.reencrypted++;
      return reencrypted;
    } catch {
      // The secret was tampered with. Only its own webhook is affected.
      return secret;
    }
  };
  const changed = rows.map((row) => {
    const replacedBefore = done.replaced;
    const previous = inUse(row).flatMap(({ secret, expires }) => {
      const reencrypted = reencrypt(secret);
      return reencrypted === undefined ? [] : [{ secret: reencrypted, expires }];
    });
    // A webhook without a secret gets a new one when it is first needed.
    const secret = row.secret === null ? null : (reencrypt(row.secret) ?? null);
    if (done.replaced > replacedBefore) done.replacedIds.push(row.id);
    return { id: row.id, secret, previousSecrets: previous.length === 0 ? null : previous };
  });
  if (changed.length > 0) await secrets.replaceAll(manager, changed);
  return done;
}

const inUse = ({ previousSecrets }: StoredSecrets): PreviousSecret[] =>
  secretsThatSign(previousSecrets ?? [], Date.now());

const secretsInUse = (row: StoredSecrets): string[] => [
  ...(row.secret === null ? [] : [row.secret]),
  ...inUse(row).map((previous) => previous.secret),
];

const isOutdated = (row: StoredSecrets, encryption: EncryptionService): boolean =>
  secretsInUse(row).some((secret) => !encryption.isCurrent(secret));

function explainMissing(missing: ReadonlyMap<string, number>, place: string): string {
  const count = [...missing.values()].reduce((sum, number) => sum + number, 0);
  return (
    `${count} ${count === 1 ? 'secret of a webhook is' : 'secrets of webhooks are'} encrypted with the ` +
    `${missing.size === 1 ? 'key' : 'keys'} ${[...missing.keys()].join(', ')}, which ${place} does not contain. Add what is ` +
    'missing at the end of ENCRYPTION_KEY, or put the right encryption.key back; if it is lost, start once with ' +
    'REPLACE_LOST_SECRETS=true: these webhooks get new secrets, to be set in their receivers.'
  );
}
