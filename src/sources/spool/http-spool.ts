import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { parseUrl } from '../../config/parse-url';
import { type AddressGuard, RefusedAddressError } from '../../outgoing/address-guard';
import { guardedConnector } from '../../outgoing/guarded-connector';
import { counted, sizeText } from '../../quantities';
import { SourceError } from '../source.error';
import { Allowances, isLimit } from './allowances';
import { type KeptAnswer, type KeptFile, type Spool } from './spool';

/** How a source is asked. Times are in milliseconds. */
export interface HttpOptions {
  /** The address that those of the requests follow. */
  base: URL;
  /** The empty key is none. */
  keys: readonly string[];
  /** Returns the headers of a request with a key. */
  headersFor: (key: string) => Readonly<Record<string, string>>;
  /** The class in which the source counts a request. */
  classOf: (address: string) => string;
  /** How many requests are sent at once. */
  atOnce?: number;
  /** How long failing requests are repeated. */
  patienceMs?: number;
  /** How long a source may take for an answer, or between two pieces of a file. */
  timeoutMs?: number;
  /** The longest wait that a source may ask for. */
  maxWaitMs?: number;
  /** Whether the text of a refusal (403) says that it is due to a limit; then no request is sent for `limitMs`. */
  isLimitText?: (body: string) => boolean;
  limitMs?: number;
  maxAnswerBytes: number;
  /** Decides where requests go, if the address is not the operator's. */
  guard?: AddressGuard;
  signal?: AbortSignal;
  /** Called before each request, and before each wait for the source's limits. */
  onRequest?: (address: string) => void;
  onWait?: (milliseconds: number) => void;
}

const AT_ONCE = 4;
const PATIENCE_MS = 5 * 60_000;
const TIMEOUT_MS = 60_000;
const MAX_WAIT_MS = 15 * 60_000;
const LIMIT_MS = 60_000;
const CONNECT_MS = 15_000;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;
const MAX_REDIRECTS = 5;
/** What does not change while it is asked for: an answer, or that there is nothing for this key. */
const FINAL = new Set([200, 400, 403, 404, 410, 422, 451]);

type Response = Dispatcher.ResponseData;

/** The reason why a request is repeated. */
class PassingFailure extends Error {}

/** The source has said until when it accepts no more requests. */
class LimitReached extends PassingFailure {}

/**
 * Sends GET requests to a source, and keeps the answers in a spool: what the spool has is not asked again. The source's limits are kept,
 * and nothing else delays a request (`docs/decisions/0070-sources.md`).
 */
export class HttpSpool {
  private readonly allowances: Allowances;
  private readonly agent: Agent;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly spool: Spool,
    private readonly options: HttpOptions,
  ) {
    this.allowances = new Allowances(options.keys);
    const { guard } = options;
    this.agent = new Agent({
      connect: guard ? guardedConnector(guard, CONNECT_MS) : { timeout: CONNECT_MS },
    });
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Returns the answer to an address below the base. Its status is 200 or says that the key can see nothing there.
   * @param version of what it belongs to (`Spool`)
   * @throws SourceError if the source does not answer, or not as an API does
   */
  async answer(address: string, version?: string): Promise<KeptAnswer> {
    return (
      (await this.spool.answer(address, version)) ??
      (await this.inTurn(() => this.download(address, version)))
    );
  }

  /** Asks for several answers at once, so that the spool has them. */
  async prefetch(addresses: readonly string[], version?: string): Promise<void> {
    await Promise.all(
      addresses.map(async (address) => {
        if (!(await this.spool.hasAnswer(address, version)))
          await this.inTurn(() => this.download(address, version));
      }),
    );
  }

  /**
   * Returns the file of an address below the base.
   * @param most bytes that it may have
   */
  async file(address: string, most: number, version?: string): Promise<KeptFile> {
    return (
      (await this.spool.file(address, version)) ??
      (await this.inTurn(() => this.downloadFile(address, most, version)))
    );
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { atOnce = AT_ONCE } = this.options;
    if (this.running >= atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private download(address: string, version?: string): Promise<KeptAnswer> {
    return this.patiently(address, async (key, signal) => {
      const response = await this.send(address, key, signal, false);
      const body = await this.textOf(address, response);
      const { statusCode: status } = response;
      if (status === 403 && this.options.isLimitText?.(body)) {
        this.allowances.refuse(key, this.options.classOf(address), this.options.limitMs ?? LIMIT_MS);
        throw new LimitReached('its limit is reached');
      }
      if (status === 200) requireJson(this.nameOf(address), body);
      const answer: KeptAnswer = {
        status,
        body: status === 200 ? body : '',
        ...(hasNextLink(response) && { hasNext: true }),
      };
      await this.spool.keepAnswer(address, answer, version);
      return answer;
    });
  }

  private downloadFile(address: string, most: number, version?: string): Promise<KeptFile> {
    return this.patiently(
      address,
      async (key, signal) => {
        const response = await this.send(address, key, signal, true);
        if (response.statusCode !== 200) {
          await response.body.dump();
          return this.spool.keepLostFile(address, version);
        }
        const content = response.body as AsyncIterable<Buffer>;
        const kept = await this.spool.keepFile(address, content, most, version);
        if (kept) return kept;
        throw new SourceError(`${this.nameOf(address)} sends more than the announced ${sizeText(most)}.`);
      },
      // A file may take long, but not between two of its pieces.
      Infinity,
    );
  }

  /** Runs a request until it succeeds, as long as its failures may pass. */
  private async patiently<T>(
    address: string,
    work: (key: string, signal: AbortSignal) => Promise<T>,
    timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS,
  ): Promise<T> {
    const { patienceMs = PATIENCE_MS, signal } = this.options;
    let failingMs = 0;
    let delay = FIRST_DELAY_MS;
    for (;;) {
      const key = await this.takeKey(address);
      const signals = [
        ...(signal ? [signal] : []),
        ...(timeoutMs < Infinity ? [AbortSignal.timeout(timeoutMs)] : []),
      ];
      const begun = performance.now();
      try {
        return await work(key, AbortSignal.any(signals));
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof RefusedAddressError) {
          throw new SourceError(`${this.nameOf(address)} cannot be read: ${error.message}`, { cause: error });
        }
        if (error instanceof SourceError || isOwnFault(error)) throw error;
        // The wait for the limit is not a failure, but a source that knows nothing else is.
        failingMs += error instanceof LimitReached ? FIRST_DELAY_MS : performance.now() - begun + delay;
        if (failingMs > patienceMs) {
          throw new SourceError(`${this.nameOf(address)} cannot be read: ${reasonOf(error)}.`, {
            cause: error,
          });
        }
        if (error instanceof LimitReached) continue;
      }
      await sleep(delay, undefined, { signal });
      delay = Math.min(2 * delay, MAX_DELAY_MS);
    }
  }

  /** Returns a key with which a request may be sent now. */
  private async takeKey(address: string): Promise<string> {
    const { classOf, maxWaitMs = MAX_WAIT_MS, signal, onWait } = this.options;
    for (;;) {
      signal?.throwIfAborted();
      const taken = this.allowances.take(classOf(address));
      if ('key' in taken) return taken.key;
      if (taken.waitMs > maxWaitMs) {
        const minutes = counted(Math.ceil(taken.waitMs / 60_000), 'minute');
        throw new SourceError(`${this.options.base.host} asks to wait ${minutes}: try again after that.`);
      }
      onWait?.(taken.waitMs);
      await sleep(taken.waitMs, undefined, { signal });
    }
  }

  private async send(address: string, key: string, signal: AbortSignal, isFile: boolean): Promise<Response> {
    this.options.onRequest?.(address);
    const response = await this.follow(address, key, signal, isFile);
    const { statusCode: status, headers } = response;
    const saysUntil = this.allowances.note(key, this.options.classOf(address), status, headers);
    const isRefused = isLimit(status, headers);
    // Without a key, nothing that needs one can be seen.
    if ((FINAL.has(status) && !isRefused) || (status === 401 && key === '')) return response;
    await response.body.dump();
    if (status === 401) throw new SourceError(`${this.options.base.host} does not accept the key.`);
    if (isRefused) {
      if (saysUntil) throw new LimitReached('its limit is reached');
      throw new PassingFailure('it accepts no more requests, and does not say until when');
    }
    if (status >= 500 || status === 408) throw new PassingFailure(`it answers ${status}`);
    throw new SourceError(`${this.nameOf(address)} answers ${status}, which is not an answer of the API.`);
  }

  /** Sends a request, and follows redirects: those of a file also to other hosts, which do not get the key. */
  private async follow(
    address: string,
    key: string,
    signal: AbortSignal,
    isFile: boolean,
  ): Promise<Response> {
    const { base, headersFor, timeoutMs = TIMEOUT_MS } = this.options;
    let url = new URL(`${base.href.replace(/\/$/, '')}${address}`);
    for (let left = MAX_REDIRECTS; ; left--) {
      const response = await request(url, {
        headers: { accept: '*/*', ...(url.origin === base.origin && headersFor(key)) },
        dispatcher: this.agent,
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const { statusCode: status, headers } = response;
      if (status < 300 || status >= 400) return response;
      await response.body.dump();
      const target = parseUrl(String(headers.location), url);
      const isAllowed = isFile ? target?.protocol === base.protocol : target?.origin === base.origin;
      if (!target || left === 0 || !isAllowed) {
        throw new SourceError(
          `${this.nameOf(address)} redirects to ${target?.origin ?? 'nowhere'}, which is not followed.`,
        );
      }
      url = target;
    }
  }

  private async textOf(address: string, { body }: Response): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > this.options.maxAnswerBytes) {
        throw new SourceError(
          `${this.nameOf(address)} answers with more than ${sizeText(this.options.maxAnswerBytes)}.`,
        );
      }
      parts.push(part);
    }
    return Buffer.concat(parts).toString();
  }

  private nameOf(address: string): string {
    return `${this.options.base.host}: ${address.slice(0, 200)}`;
  }
}

/** Whether an answer links to the next page of its list (RFC 8288). */
const hasNextLink = ({ headers }: Response): boolean => /\brel="?next\b/.test(String(headers.link ?? ''));

function requireJson(name: string, body: string): void {
  try {
    JSON.parse(body);
  } catch (error) {
    throw new SourceError(`${name} answers with something that is not JSON.`, { cause: error });
  }
}

/** Whether this machine is at fault, which no repetition helps. */
const isOwnFault = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

function reasonOf(error: unknown): string {
  if (error instanceof PassingFailure) return error.message;
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return 'it takes too long';
  return code === 'ECONNREFUSED' ? 'the connection is refused' : message.replace(/\.$/, '') || String(code);
}
