import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { type RetryPolicy } from './retry-schedule';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/** The settings of deliveries, with all times in milliseconds. */
@Injectable()
export class WebhookSettings {
  readonly timeout: number;
  readonly responseLimit: number;
  readonly retries: RetryPolicy;
  readonly concurrency: number;
  readonly endpointConcurrency: number;
  readonly lease: number;
  readonly pollInterval: number;
  readonly circuitFailures: number;
  readonly circuitPauses: readonly number[];
  readonly disableAfter: number;
  readonly retention: number;
  readonly secretOverlap: number;
  readonly allow: readonly string[];
  readonly redisUrl?: string;
  /** The Redis channel of all processes on one database; Redis shares channels between its own databases. */
  readonly wakeChannel: string;

  constructor(environment: Environment) {
    this.timeout = environment.WEBHOOK_TIMEOUT * SECOND_MS;
    this.responseLimit = environment.WEBHOOK_RESPONSE_LIMIT;
    this.retries = {
      delays: environment.WEBHOOK_RETRY_DELAYS.map((seconds) => seconds * SECOND_MS),
      jitter: environment.WEBHOOK_RETRY_JITTER / 100,
    };
    this.concurrency = environment.WEBHOOK_CONCURRENCY;
    this.endpointConcurrency = environment.WEBHOOK_ENDPOINT_CONCURRENCY;
    this.lease = environment.WEBHOOK_LEASE * SECOND_MS;
    this.pollInterval = environment.WEBHOOK_POLL_INTERVAL;
    this.circuitFailures = environment.WEBHOOK_CIRCUIT_FAILURES;
    this.circuitPauses = environment.WEBHOOK_CIRCUIT_PAUSES.map((seconds) => seconds * SECOND_MS);
    this.disableAfter = environment.WEBHOOK_DISABLE_AFTER * HOUR_MS;
    this.retention = environment.WEBHOOK_RETENTION * 24 * HOUR_MS;
    this.secretOverlap = environment.WEBHOOK_SECRET_OVERLAP * HOUR_MS;
    this.allow = environment.WEBHOOK_ALLOW;
    this.redisUrl = environment.REDIS_URL;
    this.wakeChannel = `project-management-service:wake:${environment.databaseName}`;
  }
}
