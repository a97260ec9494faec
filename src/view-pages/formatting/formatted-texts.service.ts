import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ServiceUnavailableError, TooManyRequestsError } from '../../errors/domain-errors';
import { loopTurns } from '../../event-loop/loop-turns';
import { ThreadOnDemand, TooMuchWorkError } from '../../event-loop/thread-on-demand';
import { type Requester } from '../../event-loop/user-turns';
import { plainHtml } from './editor-html';
import { type FormattingLimits, type SourceText } from './format-texts';
import { type FormatAnswer, type FormatRequest } from './format-worker';

const MAX_FORMATTING: FormattingLimits = { milliseconds: 1000, length: 2_000_000 };
/** A crafted text that is begun before the time is over takes another second; the rest is for a busy machine. */
const MAX_PAGE_MS = 10_000;
/** Like the conversion of documents. */
const MAX_MEMORY_MB = 256;
const MAX_IDLE_MS = 30_000;

/** Formats the texts of pages on a thread. Where that would take too long, their line breaks are the only formatting. */
@Injectable()
export class FormattedTextsService implements OnApplicationShutdown {
  /** Limits of the texts of a page; a test lowers them. */
  readonly limits = { milliseconds: MAX_PAGE_MS, megabytes: MAX_MEMORY_MB, idleMs: MAX_IDLE_MS };
  private readonly thread = new ThreadOnDemand<FormatRequest, FormatAnswer>(
    __dirname,
    'format-worker',
    { name: 'conversions', waiting: 100, waitingOfUser: 5, waitMs: 10_000 },
    this.limits,
  );

  /**
   * Returns the texts of a page as HTML, in order.
   * @throws the signal's reason when the client has gone
   */
  async format(requester: Requester, texts: readonly SourceText[]): Promise<string[]> {
    if (texts.every(({ text }) => text === '')) return texts.map(() => '');
    try {
      return await this.thread.ask(requester, { texts, limits: MAX_FORMATTING });
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return withoutFormatting(texts);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.end();
  }
}

const isTooMuch = (error: unknown): boolean =>
  error instanceof TooMuchWorkError ||
  error instanceof TooManyRequestsError ||
  error instanceof ServiceUnavailableError;

/** Gives other requests their turn between two texts. */
async function withoutFormatting(texts: readonly SourceText[]): Promise<string[]> {
  const formatted: string[] = [];
  for (const { text } of texts) {
    formatted.push(plainHtml(text));
    await loopTurns.nextSlice();
  }
  return formatted;
}
