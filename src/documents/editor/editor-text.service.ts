import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidRequestError } from '../../errors/domain-errors';
import { UserTurns } from '../../event-loop/user-turns';
import { ThreadEndedError, WorkerThread } from '../../event-loop/worker-thread';
import { type EditorText } from './markdown';
import { type MarkdownAnswer, type MarkdownRequest } from './markdown-worker';

/** Maximum length of the JSON of a text: ten times that of its Markdown. */
export const MAX_DOCUMENT_JSON = 1_000_000;
export const MAX_COMMENT_JSON = 100_000;

/** Crafted texts of the maximum length take a second. */
const MAX_CONVERSION_MS = 10_000;
/** Such texts need 60 MB. */
const MAX_MEMORY_MB = 256;

/**
 * Converts Markdown to the editor's document on a thread, one text at a time and users in turn (`docs/decisions/0039-documents.md`). The
 * thread starts with the first text.
 */
@Injectable()
export class EditorTextService implements OnApplicationShutdown {
  /** Limits of a conversion; a test lowers them. */
  readonly limits = { milliseconds: MAX_CONVERSION_MS, megabytes: MAX_MEMORY_MB };
  private readonly turns = new UserTurns({
    name: 'conversions',
    atOnce: 1,
    waiting: 1000,
    waitingOfUser: 50,
    waitMs: 30_000,
  });
  private thread?: WorkerThread<MarkdownRequest, MarkdownAnswer>;

  /**
   * @param userId the user in whose turn it is converted
   * @throws InvalidRequestError for `content` when its JSON would be too long, or its conversion takes too much time or memory
   * @throws TooManyRequestsError, ServiceUnavailableError when too many texts wait
   */
  convert(markdown: string, maxLength: number, userId: number): Promise<EditorText> {
    // A conversion is too short to watch whether the client is still there.
    const { signal } = new AbortController();
    return this.turns.run({ userId, signal }, () => this.convertNow({ markdown, maxLength }));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread?.end();
  }

  private async convertNow(request: MarkdownRequest): Promise<EditorText> {
    const thread = (this.thread ??= this.start());
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void thread.end();
    }, this.limits.milliseconds);
    try {
      const text = await thread.ask(request);
      if (text) return text;
    } catch (error) {
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- the timer sets it
      if (!isLate && !isOutOfMemory(error)) throw error;
    } finally {
      clearTimeout(timer);
    }
    throw InvalidRequestError.of('content', 'content has too much formatting for its size.');
  }

  private start(): WorkerThread<MarkdownRequest, MarkdownAnswer> {
    return new WorkerThread(__dirname, 'markdown-worker', () => (this.thread = undefined), {
      resourceLimits: { maxOldGenerationSizeMb: this.limits.megabytes },
    });
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof ThreadEndedError &&
  (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
