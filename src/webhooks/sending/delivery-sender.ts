import { Injectable, Logger } from '@nestjs/common';
import { withTexts } from '../../activities/text-references';
import { deliveryAttempts } from '../../diagnostics/channels';
import { loopTurns } from '../../event-loop/loop-turns';
import { type ClaimedDelivery, type DueEndpoint, messageIdOf } from './delivery';
import { mayBeSent } from './delivery-rights';
import { sign } from '../secrets/signature';
import { WebhookSecretsService } from '../secrets/webhook-secrets.service';
import { type AttemptResult, WebhookSender } from './webhook-sender';

/** Makes one attempt at a delivery: checks whether it may be sent, completes its body, signs it and sends it. */
@Injectable()
export class DeliverySender {
  private readonly logger = new Logger(DeliverySender.name);

  constructor(
    private readonly sender: WebhookSender,
    private readonly secrets: WebhookSecretsService,
  ) {}

  /**
   * Makes an attempt. Never rejects.
   * @param started in milliseconds since 1970
   * @param number 1 for the first attempt
   */
  async send(
    endpoint: DueEndpoint,
    delivery: ClaimedDelivery,
    started: number,
    number: number,
  ): Promise<AttemptResult> {
    if (!mayBeSent(endpoint, delivery)) {
      return withheldResult('Not sent: the user who last changed the webhook may not see the activity.');
    }
    const text = withTexts(delivery.payload, delivery.texts);
    if (text === undefined) return withheldResult('Not sent: the project is being removed.');
    let secrets: string[];
    try {
      secrets = await this.secrets.signingSecrets(endpoint);
    } catch (error) {
      // Counts as a failed attempt, so that it does not affect other webhooks.
      this.logger.error({ err: error }, `Cannot sign for webhook ${endpoint.webhookId}`);
      return { response: '', error: 'The secret cannot be decrypted: check ENCRYPTION_KEY.' };
    }
    await loopTurns.pause();
    // Otherwise each signature and the request would encode it again.
    const body = Buffer.from(text);
    const signature = await sign(messageIdOf(delivery), Math.floor(started / 1000), body, secrets);
    const headers: Record<string, string> = { ...signature, 'webhook-attempt': String(number) };
    const { webhookId, hookUrl } = endpoint;
    const published = { webhookId, deliveryId: delivery.id, attempt: number, hookUrl, headers };
    const end = deliveryAttempts.begin(published);
    const result = await this.sender.send(hookUrl, body, headers);
    end?.(result);
    return result;
  }
}

const withheldResult = (error: string): AttemptResult => ({ response: '', error, isWithheld: true });
