import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { updateRow } from '../../database/rows';
import { affectedRows, selectForUpdate } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { EncryptionService } from '../../encryption/encryption.service';
import { type PreviousSecret, Webhook } from '../entities/webhook.entity';
import { formatSecret } from './signature';
import { WebhookSettings } from './webhook-settings';

const SECRET_BYTES = 32;
/** So many old secrets sign along: a signature of each is a part of the header. */
const MAX_PREVIOUS_SECRETS = 10;

/** A webhook's secrets as they are stored. */
export interface StoredSecrets {
  webhookId: number;
  secret: string | null;
  /** JSON text. */
  previousSecrets: string | null;
}

/** Makes, keeps and changes what deliveries are signed with. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly encryption: EncryptionService,
    private readonly settings: WebhookSettings,
  ) {}

  /** A new secret, encrypted as a webhook stores it. */
  generate(): string {
    return this.encryption.encrypt(formatSecret(randomBytes(SECRET_BYTES)));
  }

  /** The secret that deliveries are signed with now. */
  async get(webhookId: number): Promise<string> {
    const [row] = await this.dataSource.query<{ secret: string | null }[]>(
      'SELECT secret FROM webhook WHERE id = ?',
      [webhookId],
    );
    return this.encryption.decrypt(row?.secret ?? (await this.createMissing(webhookId)));
  }

  /** Every secret that signs now, the newest first. */
  async signingSecrets(stored: StoredSecrets): Promise<string[]> {
    const current = this.encryption.decrypt(stored.secret ?? (await this.createMissing(stored.webhookId)));
    const previous = secretsThatSign(parsePrevious(stored.previousSecrets), Date.now())
      // A webhook whose key was lost is given a new secret; the old one is then no more to be read.
      .filter(({ secret }) => this.encryption.canDecrypt(secret))
      .map(({ secret }) => this.encryption.decrypt(secret));
    return [current, ...previous];
  }

  /**
   * Replaces the secret; the old one signs along until the time given back, in milliseconds since 1970. Those that were
   * replaced before keep their time, but for the oldest when there are too many.
   */
  async rotate(webhookId: number): Promise<{ secret: string; previousSecretExpires: number }> {
    const replacement = this.generate();
    const now = Date.now();
    const expires = now + this.settings.secretOverlap;
    await this.transactions.run(async (manager) => {
      const [row] = await selectForUpdate<Omit<StoredSecrets, 'webhookId'>>(
        manager,
        'SELECT secret, previous_secrets AS previousSecrets FROM webhook WHERE id = ?',
        [webhookId],
      );
      if (!row) return;
      const replaced = row.secret === null ? [] : [{ secret: row.secret, expires }];
      const previousSecrets = secretsThatSign([...replaced, ...parsePrevious(row.previousSecrets)], now);
      await updateRow(manager, Webhook, webhookId, { secret: replacement, previousSecrets });
    });
    return { secret: this.encryption.decrypt(replacement), previousSecretExpires: expires };
  }

  /** Gives a webhook that is older than signatures its secret. Of several that do, one is kept. */
  private createMissing(webhookId: number): Promise<string> {
    return this.transactions.run(async (manager: EntityManager) => {
      const created = this.generate();
      await affectedRows(manager, 'UPDATE webhook SET secret = ? WHERE id = ? AND secret IS NULL', [
        created,
        webhookId,
      ]);
      const [row] = await manager.query<{ secret: string }[]>('SELECT secret FROM webhook WHERE id = ?', [
        webhookId,
      ]);
      return row?.secret ?? created;
    });
  }
}

/** The secrets before the current one, as a webhook stores them. */
export const parsePrevious = (json: string | null): PreviousSecret[] =>
  json === null ? [] : (JSON.parse(json) as PreviousSecret[]);

/** Those that have not run out, the newest first. */
export const secretsThatSign = (secrets: readonly PreviousSecret[], now: number): PreviousSecret[] =>
  secrets.filter(({ expires }) => expires > now).slice(0, MAX_PREVIOUS_SECRETS);
