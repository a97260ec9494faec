import { Injectable } from '@nestjs/common';
import { type DueTarget } from '../../deliveries/delivery';
import { Dispatcher } from '../../deliveries/dispatcher';
import { WakeChannel } from '../../deliveries/wake-channel';
import { type ClaimedLetter } from '../data/mail-letter.repository';
import { MailServerRepository, SERVER_ID } from '../data/mail-server.repository';
import { LetterSender } from './letter-sender';
import { type LetterResult, MailQueue } from './mail-queue';
import { MailSettings } from './mail-settings';

/** Sends due letters at the pace of `SMTP_RATE`. The mail server is the only target. */
@Injectable()
export class MailDispatcherService extends Dispatcher<DueTarget, ClaimedLetter, LetterResult> {
  private nextPlace?: NodeJS.Timeout;

  constructor(
    private readonly servers: MailServerRepository,
    queue: MailQueue,
    private readonly sender: LetterSender,
    private readonly settings: MailSettings,
    others: WakeChannel,
  ) {
    super(queue, settings, others);
  }

  override async onApplicationBootstrap(): Promise<void> {
    if (this.settings.isOn) await super.onApplicationBootstrap();
  }

  override beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.nextPlace);
    return super.beforeApplicationShutdown();
  }

  protected override idOf(): number {
    return SERVER_ID;
  }

  protected override async findDue(
    now: number,
    after: number,
    busy: readonly number[],
  ): Promise<DueTarget[]> {
    if (after >= SERVER_ID || busy.includes(SERVER_ID)) return [];
    const server = await this.servers.findDue(now);
    if (!server) return [];
    const { nextAt, ...target } = server;
    const isEarly = nextAt > now;
    this.pollAt(isEarly ? nextAt : now + this.settings.distanceOf(this.settings.lettersPerPlace));
    return isEarly ? [] : [target];
  }

  protected override findCurrent(targets: readonly DueTarget[]): Promise<DueTarget[]> {
    return Promise.resolve([...targets]);
  }

  protected override attempt(_server: DueTarget, letter: ClaimedLetter): Promise<LetterResult> {
    return this.sender.send(letter);
  }

  /** Looks for due letters when the next place in the pace is due. */
  private pollAt(time: number): void {
    clearTimeout(this.nextPlace);
    this.nextPlace = setTimeout(this.poll, Math.max(0, time - Date.now())).unref();
  }
}
