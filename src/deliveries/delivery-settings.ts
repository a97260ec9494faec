import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { type RetryPolicy } from './retry-schedule';

const SECOND_MS = 1000;

/** The settings that all kinds of deliveries share, with all times in milliseconds. */
@Injectable()
export class DeliverySettings {
  readonly retries: RetryPolicy;
  readonly lease: number;
  readonly pollInterval: number;
  readonly circuitFailures: number;
  readonly circuitPauses: readonly number[];
  readonly redisUrl?: string;
  /** The Redis channel of all processes on one database; Redis shares channels between its own databases. */
  readonly wakeChannel: string;

  constructor(environment: Environment) {
    this.retries = {
      delays: environment.WEBHOOK_RETRY_DELAYS.map((seconds) => seconds * SECOND_MS),
      jitter: environment.WEBHOOK_RETRY_JITTER / 100,
    };
    this.lease = environment.WEBHOOK_LEASE * SECOND_MS;
    this.pollInterval = environment.WEBHOOK_POLL_INTERVAL;
    this.circuitFailures = environment.WEBHOOK_CIRCUIT_FAILURES;
    this.circuitPauses = environment.WEBHOOK_CIRCUIT_PAUSES.map((seconds) => seconds * SECOND_MS);
    this.redisUrl = environment.REDIS_URL;
    this.wakeChannel = `project-management-service:wake:${environment.databaseName}`;
  }
}
