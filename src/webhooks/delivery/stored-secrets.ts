import { type DataSource, type EntityManager } from 'typeorm';
import { EnvironmentError } from '../../config/environment';
import { inList, selectForUpdate } from '../../database/statements';
import { type TransactionsService } from '../../database/transactions.service';
import { type EncryptionService } from '../../encryption/encryption.service';
import { deletedProjectIds } from '../../projects/visibility';
import { parsePrevious, secretsThatSign, type StoredSecrets } from './webhook-secrets.service';

/** Webhooks taken, and changed, in one transaction: whoever adds a delivery to one of them waits for its end. */
const BATCH = 200;

const COLUMNS = 'id AS webhookId, secret, previous_secrets AS previousSecrets';

/** What `reencryptSecrets` has done, in secrets. */
export interface ReencryptedSecrets {
  reencrypted: number;
  /** Given up, because their keys are lost; their webhooks get new ones. */
  replaced: number;
}

/**
 * Encrypts with the first key what older keys have encrypted, so that those are needed no longer. In short transactions that
 * take the rows they change, so that other processes may do the same and secrets may be rotated meanwhile; what a stopped
 * process has left, the next start does.
 * @param place where the keys are, for messages
 * @param isLostReplaced whether secrets whose key is not there are given up
 * @throws EnvironmentError when the key of a secret is not there; nothing has been changed then
 */
export async function reencryptSecrets(
  dataSource: DataSource,
  transactions: TransactionsService,
  encryption: EncryptionService,
  { place, isLostReplaced }: { place: string; isLostReplaced: boolean },
): Promise<ReencryptedSecrets> {
  const missing = new Map<string, number>();
  for await (const rows of rowsToCheck(dataSource, encryption)) {
    for (const secret of rows.flatMap(secretsInUse)) {
      if (encryption.canDecrypt(secret)) continue;
      const keyId = encryption.keyIdOf(secret);
      missing.set(keyId, (missing.get(keyId) ?? 0) + 1);
    }
  }
  if (missing.size > 0 && !isLostReplaced) throw new EnvironmentError([explainMissing(missing, place)]);
  const done: ReencryptedSecrets = { reencrypted: 0, replaced: 0 };
  for await (const rows of rowsToCheck(dataSource, encryption)) {
    const ids = rows.filter((row) => isOutdated(row, encryption)).map(({ webhookId }) => webhookId);
    if (ids.length === 0) continue;
    const { reencrypted, replaced } = await transactions.run((manager) =>
      reencryptRows(manager, ids, encryption, isLostReplaced),
    );
    done.reencrypted += reencrypted;
    done.replaced += replaced;
  }
  return done;
}

/** The webhooks that have anything but one secret of the first key, in batches; without what is being removed. */
async function* rowsToCheck(
  dataSource: DataSource,
  encryption: EncryptionService,
): AsyncGenerator<StoredSecrets[]> {
  for (let after = 0; ;) {
    const rows = await dataSource.query<StoredSecrets[]>(
      `SELECT ${COLUMNS} FROM webhook
        WHERE id > ? AND deleted = 0 AND project_id NOT IN (${deletedProjectIds})
          AND (secret NOT LIKE ? OR previous_secrets IS NOT NULL)
        ORDER BY id LIMIT ${BATCH}`,
      [after, `${encryption.currentKeyId}.%`],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.webhookId;
  }
}

async function reencryptRows(
  manager: EntityManager,
  ids: readonly number[],
  encryption: EncryptionService,
  isLostReplaced: boolean,
): Promise<ReencryptedSecrets> {
  const list = inList(ids);
  const sql = `SELECT ${COLUMNS} FROM webhook WHERE id ${list.sql}`;
  const taken = await selectForUpdate<StoredSecrets>(manager, sql, list.parameters);
  const done: ReencryptedSecrets = { reencrypted: 0, replaced: 0 };
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
      // It was tampered with, which is its own webhook's trouble and no other's.
      return secret;
    }
  };
  const changed = taken.map((row) => {
    const previous = inUse(row.previousSecrets).flatMap(({ secret, expires }) => {
      const reencrypted = reencrypt(secret);
      return reencrypted === undefined ? [] : [{ secret: reencrypted, expires }];
    });
    return {
      webhookId: row.webhookId,
      // Without a secret the webhook is given a new one when it is first needed.
      secret: row.secret === null ? null : (reencrypt(row.secret) ?? null),
      previousSecrets: previous.length === 0 ? null : JSON.stringify(previous),
    };
  });
  if (changed.length > 0) await updateRows(manager, changed);
  return done;
}

/** In one statement: row by row, ten thousand would take longer than a start may. */
async function updateRows(manager: EntityManager, rows: readonly StoredSecrets[]): Promise<void> {
  const list = inList(rows.map(({ webhookId }) => webhookId));
  const byId = `CASE id ${'WHEN ? THEN ? '.repeat(rows.length)}END`;
  await manager.query(
    `UPDATE webhook SET secret = ${byId}, previous_secrets = ${byId} WHERE id ${list.sql}`,
    [
      ...rows.flatMap(({ webhookId, secret }) => [webhookId, secret]),
      ...rows.flatMap(({ webhookId, previousSecrets }) => [webhookId, previousSecrets]),
      ...list.parameters,
    ],
  );
}

const inUse = (previousSecrets: string | null): ReturnType<typeof secretsThatSign> =>
  secretsThatSign(parsePrevious(previousSecrets), Date.now());

const secretsInUse = ({ secret, previousSecrets }: StoredSecrets): string[] => [
  ...(secret === null ? [] : [secret]),
  ...inUse(previousSecrets).map((previous) => previous.secret),
];

const isOutdated = (row: StoredSecrets, encryption: EncryptionService): boolean =>
  secretsInUse(row).some((secret) => !encryption.isCurrent(secret));

function explainMissing(missing: ReadonlyMap<string, number>, place: string): string {
  const count = [...missing.values()].reduce((sum, number) => sum + number, 0);
  return (
    `${count} ${count === 1 ? 'secret of a webhook is' : 'secrets of webhooks are'} encrypted with the ` +
    `${missing.size === 1 ? 'key' : 'keys'} ${[...missing.keys()].join(', ')}, which ${place} does not hold. Add what is ` +
    'missing at the end of ENCRYPTION_KEY, or put the right encryption.key back; if it is lost, start once with ' +
    'REPLACE_LOST_SECRETS=true: these webhooks get new secrets, which their receivers need.'
  );
}
