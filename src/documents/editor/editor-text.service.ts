import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidRequestError } from '../../errors/domain-errors';
import { ThreadOnDemand, TooMuchWorkError } from '../../event-loop/thread-on-demand';
import { type EditorText } from './markdown';
import { type MarkdownAnswer, type MarkdownRequest } from './markdown-worker';

/** Maximum length of the JSON of a text: ten times that of its Markdown. */
export const MAX_DOCUMENT_JSON = 1_000_000;
export const MAX_COMMENT_JSON = 100_000;

/** Crafted texts of the maximum length take a second. */
const MAX_CONVERSION_MS = 10_000;
/** Such texts need 60 MB. */
const MAX_MEMORY_MB = 256;
const MAX_IDLE_MS = 30_000;

/** Converts Markdown to the editor's document on a thread (`docs/decisions/0039-documents.md`). */
@Injectable()
export class EditorTextService implements OnApplicationShutdown {
  /** Limits of a conversion; a test lowers them. */
  readonly limits = { milliseconds: MAX_CONVERSION_MS, megabytes: MAX_MEMORY_MB, idleMs: MAX_IDLE_MS };
  private readonly thread = new ThreadOnDemand<MarkdownRequest, MarkdownAnswer>(
    __dirname,
    'markdown-worker',
    { name: 'conversions', waiting: 1000, waitingOfUser: 50, waitMs: 30_000 },
    this.limits,
  );

  /**
   * @param userId the user in whose turn it is converted
   * @throws InvalidRequestError for `content` when its JSON would be too long, or its conversion takes too much time or memory
   * @throws TooManyRequestsError, ServiceUnavailableError when too many texts wait
   * @throws ServiceUnavailableError when its conversion takes long because the machine is overloaded
   */
  async convert(markdown: string, maxLength: number, userId: number): Promise<EditorText> {
    // A conversion is too short to watch whether the client is still there.
    const { signal } = new AbortController();
    const text = await this.thread.ask({ userId, signal }, { markdown, maxLength }).catch(refuseTooMuch);
    return text ?? refuseTooMuch(new TooMuchWorkError());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.end();
  }
}

function refuseTooMuch(error: unknown): never {
  if (!(error instanceof TooMuchWorkError)) throw error;
  throw InvalidRequestError.of('content', 'content has too much formatting for its size.');
}
