import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { type SmtpServer } from '../../config/smtp-url';
import { DeliverySettings } from '../../deliveries/delivery-settings';
import { type DispatchSettings } from '../../deliveries/dispatcher';

const SECOND_MS = 1000;

/** The settings of mail, with all times in milliseconds. */
@Injectable()
export class MailSettings extends DeliverySettings implements DispatchSettings {
  /** Undefined if no mail is sent. */
  readonly server?: SmtpServer;
  /** The sender's address; empty if no mail is sent. */
  readonly from: string;
  readonly timeout: number;
  readonly concurrency: number;
  readonly targetConcurrency: number;
  /** Written at once: a letter whose success has not been recorded when the process is killed is sent again. */
  readonly gather = 0;

  constructor(environment: Environment) {
    super(environment);
    this.server = environment.mail?.server;
    this.from = environment.mail?.from ?? '';
    this.timeout = environment.SMTP_TIMEOUT * SECOND_MS;
    this.concurrency = environment.SMTP_CONCURRENCY;
    this.targetConcurrency = environment.SMTP_CONCURRENCY;
  }

  /** Whether mail is sent. */
  get isOn(): boolean {
    return this.server !== undefined;
  }
}
