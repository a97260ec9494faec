import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { affectedRows } from '../../database/statements';
import { Transactions } from '../../database/transactions';
import { EncryptionService } from '../../encryption/encryption.service';
import { formatSecret } from './signature';
import { WebhookSettings } from './webhook-settings';

const SECRET_BYTES = 32;

/** A webhook's secrets as they are stored. */
export interface StoredSecrets {
  webhookId: number;
  secret: string | null;
  previousSecret: string | null;
  previousSecretExpires: number | null;
}

/** Makes, keeps and changes what deliveries are signed with. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
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
    const { previousSecret, previousSecretExpires } = stored;
    const overlaps = previousSecret !== null && (previousSecretExpires ?? 0) > Date.now();
    // A webhook whose key was lost is given a new secret; the old one is then no more to be read.
    return overlaps && this.encryption.canDecrypt(previousSecret)
      ? [current, this.encryption.decrypt(previousSecret)]
      : [current];
  }

  /** Replaces the secret; the old one signs along until the time given back, in milliseconds since 1970. */
  async rotate(webhookId: number): Promise<{ secret: string; previousSecretExpires: number }> {
    const replacement = this.generate();
    const previousSecretExpires = Date.now() + this.settings.secretOverlap;
    await this.transactions.run((manager) =>
      // In this order: MySQL assigns from left to right, and the old secret has to be read before it is replaced.
      manager.query(
        'UPDATE webhook SET previous_secret = secret, previous_secret_expires = ?, secret = ? WHERE id = ?',
        [previousSecretExpires, replacement, webhookId],
      ),
    );
    return { secret: this.encryption.decrypt(replacement), previousSecretExpires };
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
