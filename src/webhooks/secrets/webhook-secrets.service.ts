import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AuditedCaller } from '../../access/caller';
import { AuditLogService } from '../../audit-log/audit-log.service';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { EncryptionService } from '../../encryption/encryption.service';
import { NoResourceError } from '../../errors/domain-errors';
import { WebhookSecretRepository } from '../data/webhook-secret.repository';
import { type PreviousSecret } from '../entities/webhook.entity';
import { type WebhookResource } from '../webhook.loader';
import { type EndpointTarget } from '../sending/delivery';
import { formatSecret } from './signature';
import { WebhookSettings } from '../sending/webhook-settings';

const SECRET_BYTES = 32;
/** Each old secret that still signs adds a signature to the header. */
const MAX_PREVIOUS_SECRETS = 10;

/** A new secret, decrypted. */
export interface RotatedSecret {
  secret: string;
  /** Until when the replaced one also signs, in milliseconds since 1970. */
  previousSecretExpires: number;
}

/** Generates, stores and rotates the secrets that sign deliveries. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly secrets: WebhookSecretRepository,
    private readonly transactions: TransactionsService,
    private readonly encryption: EncryptionService,
    private readonly settings: WebhookSettings,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Generates a secret, encrypted for storage. */
  generate(): string {
    return this.encryption.encrypt(formatSecret(randomBytes(SECRET_BYTES)));
  }

  /** Returns the current secret, decrypted. */
  async get(webhookId: number): Promise<string> {
    const secret = (await this.secrets.findCurrent(webhookId)) ?? (await this.createMissing(webhookId));
    return this.encryption.decrypt(secret);
  }

  /** Returns every secret that signs now, newest first. */
  async signingSecrets({
    webhookId,
    secret,
    previousSecrets,
  }: Pick<EndpointTarget, 'webhookId' | 'secret' | 'previousSecrets'>): Promise<string[]> {
    const current = this.encryption.decrypt(secret ?? (await this.createMissing(webhookId)));
    const previous = secretsThatSign(previousSecrets ?? [], Date.now())
      // A webhook whose key was lost gets a new secret; its old one can no longer be read.
      .filter((stored) => this.encryption.canDecrypt(stored.secret))
      .map((stored) => this.encryption.decrypt(stored.secret));
    return [current, ...previous];
  }

  /**
   * Replaces the secret. The old one also signs until the returned time. Secrets replaced earlier
   * keep their expiry, but the oldest are dropped when there are too many.
   * @throws NoResourceError when the webhook has been deleted
   */
  async rotate({ id: webhookId, projectId }: WebhookResource, caller: AuditedCaller): Promise<RotatedSecret> {
    const replacement = this.generate();
    const now = Date.now();
    const expires = now + this.settings.secretOverlap;
    await this.transactions.run(async (manager) => {
      const stored = await this.secrets.lockForUpdate(manager, webhookId);
      if (!stored) throw new NoResourceError('webhook');
      const replaced = stored.secret === null ? [] : [{ secret: stored.secret, expires }];
      const previousSecrets = secretsThatSign([...replaced, ...(stored.previousSecrets ?? [])], now);
      await this.secrets.replace(manager, { id: webhookId, secret: replacement, previousSecrets });
      await this.auditLog.record(manager, caller, {
        action: 'webhook.rotateSecret',
        subject: { id: webhookId, name: stored.name },
        projectId,
      });
    });
    return { secret: this.encryption.decrypt(replacement), previousSecretExpires: expires };
  }

  /** Creates the secret of a webhook that is older than signatures or lost its key. Concurrent calls keep one secret. */
  private createMissing(webhookId: number): Promise<string> {
    return this.transactions.run(async (manager) => {
      const created = this.generate();
      await this.secrets.createMissing(manager, webhookId, created);
      return (await this.secrets.findCurrent(webhookId, manager)) ?? created;
    });
  }
}

/** Returns the latest secrets that have not expired, newest first. */
export const secretsThatSign = (secrets: readonly PreviousSecret[], now: number): PreviousSecret[] =>
  secrets.filter(({ expires }) => expires > now).slice(0, MAX_PREVIOUS_SECRETS);
