import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidRequestError, ServiceUnavailableError } from '../../errors/domain-errors';
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
/** A thread keeps several MiB. */
const MAX_IDLE_MS = 30_000;

/**
 * Converts Markdown to the editor's document on a thread, one text at a time and users in turn (`docs/decisions/0039-documents.md`). The
 * thread starts with a text, and ends when it has been idle.
 */
@Injectable()
export class EditorTextService implements OnApplicationShutdown {
  /** Limits of a conversion; a test lowers them. */
  readonly limits = { milliseconds: MAX_CONVERSION_MS, megabytes: MAX_MEMORY_MB, idleMs: MAX_IDLE_MS };
  private readonly turns = new UserTurns({
    name: 'conversions',
    atOnce: 1,
    waiting: 1000,
    waitingOfUser: 50,
    waitMs: 30_000,
  });
  private thread?: WorkerThread<MarkdownRequest, MarkdownAnswer>;
  private idleTimer?: NodeJS.Timeout;

  /**
   * @param userId the user in whose turn it is converted
   * @throws InvalidRequestError for `content` when its JSON would be too long, or its conversion takes too much time or memory
   * @throws TooManyRequestsError, ServiceUnavailableError when too many texts wait
   * @throws ServiceUnavailableError when its conversion takes long because the machine is overloaded
   */
  convert(markdown: string, maxLength: number, userId: number): Promise<EditorText> {
    // A conversion is too short to watch whether the client is still there.
    const { signal } = new AbortController();
    return this.turns.run({ userId, signal }, () => this.convertNow({ markdown, maxLength }));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.endThread();
  }

  private async convertNow(request: MarkdownRequest): Promise<EditorText> {
    clearTimeout(this.idleTimer);
    const thread = (this.thread ??= this.start());
    const { milliseconds, idleMs } = this.limits;
    const used = process.cpuUsage();
    let refusal: Error | undefined;
    const timer = setTimeout(() => {
      const isOverloaded = hasUsedLittle(process.cpuUsage(used), milliseconds);
      refusal = isOverloaded ? new ServiceUnavailableError() : tooMuchFormatting();
      void thread.end();
    }, milliseconds);
    try {
      const text = await thread.ask(request);
      if (text) return text;
    } catch (error) {
      if (refusal) throw refusal;
      if (!isOutOfMemory(error)) throw error;
    } finally {
      clearTimeout(timer);
      this.idleTimer = setTimeout(() => void this.endThread(), idleMs).unref();
    }
    throw tooMuchFormatting();
  }

  private start(): WorkerThread<MarkdownRequest, MarkdownAnswer> {
    const thread = new WorkerThread<MarkdownRequest, MarkdownAnswer>(
      __dirname,
      'markdown-worker',
      () => {
        if (this.thread === thread) this.thread = undefined;
      },
      { resourceLimits: { maxOldGenerationSizeMb: this.limits.megabytes } },
    );
    return thread;
  }

  /** A text that arrives before the thread has exited starts another one. */
  private async endThread(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.end();
  }
}

const tooMuchFormatting = (): InvalidRequestError =>
  InvalidRequestError.of('content', 'content has too much formatting for its size.');

/** Whether this is little CPU time of the process in these milliseconds. Node 20 cannot tell that of one thread. */
const hasUsedLittle = ({ user, system }: NodeJS.CpuUsage, milliseconds: number): boolean =>
  (user + system) / 1000 < milliseconds / 2;

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof ThreadEndedError &&
  (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
