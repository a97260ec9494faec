import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { type SmtpServer } from '../../config/smtp-url';
import { DeliverySettings } from '../../deliveries/delivery-settings';
import { type DispatchSettings } from '../../deliveries/dispatcher';

const SECOND_MS = 1000;
/** The shortest distance between places in the pace, in milliseconds: each costs a transaction. */
const SHORTEST_DISTANCE_MS = 100;

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
  /** There is no other target to leave connections to. */
  readonly firstAllowance: number;
  /** Letters are leased when they can be sent, so that an urgent one does not wait for others. */
  readonly prefetch = 1;
  /** Letters a second of all processes together. */
  readonly rate: number;
  /** Maximum number of letters that one process may send for one place in the pace: more than one if places would be too close. */
  readonly lettersPerPlace: number;
  /** Written at once: a letter whose success has not been recorded when the process is killed is sent again. */
  readonly gather = 0;

  constructor(environment: Environment) {
    super(environment);
    this.server = environment.mail?.server;
    this.from = environment.mail?.from ?? '';
    this.timeout = environment.SMTP_TIMEOUT * SECOND_MS;
    this.concurrency = environment.SMTP_CONCURRENCY;
    this.targetConcurrency = environment.SMTP_CONCURRENCY;
    this.firstAllowance = environment.SMTP_CONCURRENCY;
    this.rate = environment.SMTP_RATE;
    this.lettersPerPlace = Math.max(1, Math.floor((this.rate * SHORTEST_DISTANCE_MS) / SECOND_MS));
  }

  /** Whether mail is sent. */
  get isOn(): boolean {
    return this.server !== undefined;
  }

  /** Returns how long letters take at the pace, in milliseconds. */
  distanceOf(letterCount: number): number {
    return Math.ceil((letterCount * SECOND_MS) / this.rate);
  }
}
