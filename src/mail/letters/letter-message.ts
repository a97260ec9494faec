import { oneLine } from '../smtp/smtp-failure';
import { type LetterContent } from './letter-content';
import { LetterPage, letterText } from './letter-page';
import { LETTER_TEXTS } from './letter-texts';

/** What a message needs besides its content. */
export interface LetterFrame {
  /** The sender's mail address. */
  from: string;
  spaceName: string;
  /** Identifies the letter, at each attempt to send it. */
  id: string;
  /** When it was written, in milliseconds since 1970. */
  created: number;
  /** The page on which the recipient ends letters of its kind; only if it can. */
  endUrl?: string;
  /** The page on which users choose their letters. */
  settingsUrl: string;
}

const MAX_SUBJECT = 255;

/**
 * Builds the message of a letter, with its headers. Every text of a user is on one line there, and encoded. Mail programs can group letters about
 * one thing (RFC 5322), offer to end them (RFC 8058), and do not answer them automatically (RFC 3834).
 */
export async function buildMessage(content: LetterContent, frame: LetterFrame): Promise<Buffer> {
  // Loaded with the first letter.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, spaceName, id, created, endUrl, settingsUrl } = frame;
  const { to, sender, subject, thread, projectKey, language } = content;
  const texts = LETTER_TEXTS[language];
  const links = endUrl
    ? [
        { text: texts.settings, url: settingsUrl },
        { text: texts.endLetters, url: endUrl },
      ]
    : [];
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const root = thread && `<${thread}@${domain}>`;
  const page = LetterPage({ content, footer: { links } }) as { toString(): string };
  const message = new MailComposer({
    from: { name: oneLine(sender ?? spaceName), address: from },
    to: { name: oneLine(to.name ?? ''), address: to.address },
    subject: oneLine(subject).slice(0, MAX_SUBJECT).toWellFormed(),
    date: new Date(created),
    messageId: `<${id}@${domain}>`,
    ...(root && { inReplyTo: root, references: root }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(projectKey && { 'List-Id': `<${projectKey.toLowerCase()}.${domain}>` }),
      ...(endUrl && {
        'List-Unsubscribe': { prepared: true, value: `<${endUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    text: letterText(content, { links }),
    html: `<!doctype html>${page.toString()}`,
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'win',
  });
  return message.compile().build();
}
