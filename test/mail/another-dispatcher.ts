import { WakeChannel } from '../../src/deliveries/wake-channel';
import { MailServerRepository } from '../../src/mail/data/mail-server.repository';
import { LetterSender } from '../../src/mail/sending/letter-sender';
import { MailDispatcherService } from '../../src/mail/sending/mail-dispatcher.service';
import { MailQueue } from '../../src/mail/sending/mail-queue';
import { MailSettings } from '../../src/mail/sending/mail-settings';
import { type World } from '../support/world';

/** Returns a dispatcher that sends the letters of a world like another process, once it has been started. */
export const anotherDispatcher = (world: World): MailDispatcherService =>
  new MailDispatcherService(
    world.service(MailServerRepository),
    world.service(MailQueue),
    world.service(LetterSender),
    world.service(MailSettings),
    world.service(WakeChannel),
  );
