import { toTimestamp } from '../../http/request/timestamp';
import { type Language } from '../../pages/language';

/** A link of a letter. */
export interface LetterLink {
  text: string;
  url: string;
}

/** A part of a letter: a paragraph, the beginning of a text of somebody, or links. */
export type LetterPart =
  | { text: string }
  | { quote: string }
  | { link: LetterLink }
  | { items: readonly LetterLink[] };

/** A letter in words, without the form of a message. */
export interface LetterContent {
  language: Language;
  /** The mail address, and whose it is. */
  to: { address: string; name?: string };
  /** Whose name the sender shows; the space if omitted. */
  sender?: string;
  subject: string;
  parts: readonly LetterPart[];
  /** Why the recipient gets it. */
  reason: string;
  /** What letters about the same thing share, such as `issue-12`, so that mail programs show them together. */
  thread?: string;
  /** The key of the project that it belongs to. */
  projectKey?: string;
  /** Whether the recipient can end letters of this kind with a link. */
  canBeEnded: boolean;
}

/** Maximum length of the text of somebody in a letter, in UTF-16 code units, and number of its lines. */
const MAX_EXCERPT = 2000;
const MAX_LINES = 40;

/** Returns the beginning of a text, which ends with an ellipsis if it has been cut. */
export function excerptOf(text: string): string {
  const lines = text
    .slice(0, MAX_EXCERPT)
    .toWellFormed()
    .split(/\r\n|\r|\n/);
  const isCut = text.length > MAX_EXCERPT || lines.length > MAX_LINES;
  const excerpt = lines.slice(0, MAX_LINES).join('\n').trim();
  return isCut ? `${excerpt.replace(/\ufffd$/, '')}…` : excerpt;
}

/** Shows a time in milliseconds since 1970, such as `2026-11-26 09:30:00 UTC`. */
export const shownTime = (time: number): string => toTimestamp(time).replace('T', ' ').replace('Z', ' UTC');
