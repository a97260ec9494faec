import { Injectable } from '@nestjs/common';
import { type DueTarget } from '../../deliveries/delivery';
import { Dispatcher } from '../../deliveries/dispatcher';
import { WakeChannel } from '../../deliveries/wake-channel';
import { type ClaimedLetter } from '../data/mail-letter.repository';
import { MailServerRepository, SERVER_ID } from '../data/mail-server.repository';
import { LetterSender } from './letter-sender';
import { type LetterResult, MailQueue } from './mail-queue';
import { MailSettings } from './mail-settings';

/** Sends due letters. The mail server is the only target. */
@Injectable()
export class MailDispatcherService extends Dispatcher<DueTarget, ClaimedLetter, LetterResult> {
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
    return server ? [server] : [];
  }

  protected override findCurrent(targets: readonly DueTarget[]): Promise<DueTarget[]> {
    return Promise.resolve([...targets]);
  }

  protected override attempt(_server: DueTarget, letter: ClaimedLetter): Promise<LetterResult> {
    return this.sender.send(letter);
  }
}
