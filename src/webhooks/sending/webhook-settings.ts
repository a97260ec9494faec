import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { DeliverySettings } from '../../deliveries/delivery-settings';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/** The settings of deliveries to webhooks, with all times in milliseconds. */
@Injectable()
export class WebhookSettings extends DeliverySettings {
  readonly timeout: number;
  readonly responseLimit: number;
  readonly concurrency: number;
  readonly endpointConcurrency: number;
  readonly disableAfter: number;
  readonly retention: number;
  readonly secretOverlap: number;
  readonly allow: readonly string[];

  constructor(environment: Environment) {
    super(environment);
    this.timeout = environment.WEBHOOK_TIMEOUT * SECOND_MS;
    this.responseLimit = environment.WEBHOOK_RESPONSE_LIMIT;
    this.concurrency = environment.WEBHOOK_CONCURRENCY;
    this.endpointConcurrency = environment.WEBHOOK_ENDPOINT_CONCURRENCY;
    this.disableAfter = environment.WEBHOOK_DISABLE_AFTER * HOUR_MS;
    this.retention = environment.WEBHOOK_RETENTION * 24 * HOUR_MS;
    this.secretOverlap = environment.WEBHOOK_SECRET_OVERLAP * HOUR_MS;
    this.allow = environment.WEBHOOK_ALLOW;
  }
}
