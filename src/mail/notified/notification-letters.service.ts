import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { ListNotificationsQuery } from '../../notifications/dto/notification-queries.dto';
import { type UserNotificationDto } from '../../notifications/dto/user-notification.dto';
import { NotificationListsService } from '../../notifications/notification-lists.service';
import { NotificationsService } from '../../notifications/notifications.service';
import { type ClaimedLetter } from '../data/mail-letter.repository';
import { LetterKind, topicOf } from '../letter-kind';
import { type LetterContent } from '../letters/letter-content';
import { LETTER_TEXTS } from '../letters/letter-texts';
import { LetterKindsService, type LetterUser } from '../outbox/letter-kinds.service';
import { LettersService } from '../outbox/letters.service';
import { MailSettings } from '../sending/mail-settings';
import { detailsOf, eventOf, nameOfSender, subjectOf } from './notified-subject';

/** Number of notifications in a digest, and number read to find those of its period. */
const SHOWN = 50;
const READ = 100;

/**
 * Letters about notifications. When they are sent, they are read as their user reads them over the API, so that nobody gets a letter about what
 * they may not see any longer.
 */
@Injectable()
export class NotificationLettersService {
  constructor(
    private readonly lists: NotificationListsService,
    private readonly environment: Environment,
    letters: LettersService,
    kinds: LetterKindsService,
    notifications: NotificationsService,
    settings: MailSettings,
  ) {
    kinds.register(LetterKind.Notification, (letter, user) => this.composeOne(letter, user));
    kinds.register(LetterKind.Digest, (letter, user) => this.composeDigest(letter, user));
    // Without a mail server, notifications cost nothing more.
    if (!settings.isOn) return;
    notifications.onAdded((manager, ids, { reason, text }) =>
      letters.addOfNotifications(manager, ids, topicOf(reason), text === undefined ? null : { text }),
    );
  }

  private async composeOne(
    { notificationId, detail }: ClaimedLetter,
    user: LetterUser | undefined,
  ): Promise<LetterContent | undefined> {
    if (notificationId === null || !user) return undefined;
    const [notification] = await this.read(user, { minId: notificationId, maxId: notificationId, count: 1 });
    const subject = notification && subjectOf(notification, detail?.text);
    if (!subject) return undefined;
    const { language } = user;
    const texts = LETTER_TEXTS[language];
    return {
      language,
      to: user,
      sender: nameOfSender(notification),
      subject: subject.title,
      parts: [
        { text: eventOf(texts, notification, detail?.text) },
        ...detailsOf(texts, notification),
        { link: { text: texts.open, url: this.environment.webUrl(subject.path) } },
      ],
      reason: texts.reasons[topicOf(notification.reason)],
      thread: subject.thread,
      projectKey: subject.projectKey,
      canBeEnded: true,
    };
  }

  private async composeDigest(
    { detail }: ClaimedLetter,
    user: LetterUser | undefined,
  ): Promise<LetterContent | undefined> {
    if (!user) return undefined;
    const { after = 0, until = 0 } = detail ?? {};
    const read = await this.read(user, { count: READ });
    const ofPeriod = read.filter(({ created }) => isWithin(Date.parse(created), after, until));
    const { language } = user;
    const texts = LETTER_TEXTS[language];
    const items = ofPeriod.slice(0, SHOWN).flatMap((notification) => {
      const subject = subjectOf(notification);
      if (!subject) return [];
      const event = eventOf(texts, notification).replace(/[:：。]$/, '');
      return [{ text: `${subject.title} – ${event}`, url: this.environment.webUrl(subject.path) }];
    });
    if (items.length === 0) return undefined;
    return {
      language,
      to: user,
      subject: texts.digestSubject(items.length),
      parts: [
        { text: texts.digestIntro(`${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`) },
        { items: items.toReversed() },
        ...(ofPeriod.length > SHOWN ? [{ text: texts.digestMore }] : []),
      ],
      reason: texts.digestReason,
      canBeEnded: true,
    };
  }

  /** Reads the newest notifications of a user that they may see, newest first. */
  private async read(
    { id, roleType }: LetterUser,
    page: { minId?: number; maxId?: number; count: number },
  ): Promise<UserNotificationDto[]> {
    const query = Object.assign(new ListNotificationsQuery(), page);
    const requester = { userId: id, signal: new AbortController().signal };
    return (await this.lists.list({ id, roleType }, query, requester)).items;
  }
}

/** Whether a time is within a period, to the second, which is what notifications show. */
const isWithin = (time: number, after: number, until: number): boolean =>
  time > seconds(after) && time <= seconds(until);

const seconds = (time: number): number => Math.floor(time / 1000) * 1000;
