import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { type BucketLocation } from '../../config/storage-url';
import { S3Error } from './s3-error';
import { type Spool } from './spool';

/** The access key with which requests are signed. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A request to the bucket. */
export interface S3Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** The name of an object; undefined = the bucket itself. */
  object?: string;
  query?: Record<string, string>;
  content?: Spool;
  /** The object whose copy is stored instead of `content`. */
  source?: { object: string; size: number };
}

/** Timeouts and delays of the client, in milliseconds. */
export interface S3Timing {
  /** Maximum time without progress by the server. */
  silence: number;
  /** Timeout of a call with all its attempts, not counting the time to send content; for `open`, until the response head. */
  call: number;
  /** Delay before the second attempt; doubles with each further attempt. */
  pause: number;
}

const DEFAULT_TIMING: S3Timing = { silence: 10_000, call: 20_000, pause: 200 };
const ATTEMPTS = 3;
/** Additional timeout per MiB of content, in milliseconds, which is the slowest allowed rate of sending or copying. */
const MS_PER_MIB = 1000;
const MIB = 1024 * 1024;
/** Maximum size of a response text, in bytes: a page of a list has at most 1,000 objects, with names of up to 1,024 bytes. */
const MAX_TEXT = 4 * MIB;

/** Sends signed requests to a bucket, each with a deadline, and retries those that may succeed later. */
export class S3Client {
  private readonly agent: Agent;
  private readonly base: URL;

  constructor(
    private readonly location: BucketLocation,
    private readonly credentials: S3Credentials,
    private readonly timing = DEFAULT_TIMING,
  ) {
    this.base = bucketAddress(location);
    this.agent = new Agent({
      // No limit is needed, because each transfer belongs to one client request, and the number of these is limited.
      connections: null,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      headersTimeout: timing.silence,
      bodyTimeout: timing.silence,
      connect: { timeout: timing.silence / 2 },
    });
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /**
   * Sends a request and returns the response text.
   * @throws S3Error
   */
  async send(call: S3Call): Promise<{ headers: Dispatcher.ResponseData['headers']; text: string }> {
    return this.retry(call, async (deadline) => {
      const { headers, body } = await this.attempt(call, deadline);
      const text = await readText(body);
      // A copy may fail after the head of the answer, and a server without copies ignores the source.
      if (call.source && !text.includes('<CopyObjectResult')) throw S3Error.ofAnswer(500, text);
      return { headers, text };
    });
  }

  /**
   * Sends a request and returns the response body, which may be read at any pace. The caller must read it to its end or destroy it.
   * @param signal cancels waiting for the response
   * @throws S3Error, and the reason of `signal`
   */
  async open(call: S3Call, signal?: AbortSignal): Promise<Readable> {
    return this.retry(call, async (deadline) => (await this.attempt(call, deadline)).body, signal);
  }

  /** Repeats attempts until one succeeds, fails permanently, or the deadline passes. */
  private async retry<T>(
    call: S3Call,
    attempt: (deadline: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    const sending = ((call.content?.size ?? call.source?.size ?? 0) / MIB) * MS_PER_MIB;
    const timer = setTimeout(giveUp, this.timing.call + sending);
    let isUncertain = false;
    try {
      for (let count = 1; ; count++) {
        try {
          return await attempt(controller.signal);
        } catch (cause) {
          signal?.throwIfAborted();
          const isLate = controller.signal.aborted;
          const error = cause instanceof S3Error ? cause : S3Error.ofFailure(cause, isLate);
          isUncertain ||= error.isUncertain;
          if (isLate || !error.isTemporary || count === ATTEMPTS) {
            error.isUncertain = isUncertain;
            throw error;
          }
          await sleep(this.timing.pause * 2 ** (count - 1) * (0.5 + Math.random()));
        }
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private async attempt(call: S3Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { path, headers } = await this.sign(call);
    const { content } = call;
    const answer = await request(this.base.origin + path, {
      dispatcher: this.agent,
      method: call.method,
      headers: content ? { ...headers, 'content-length': String(content.size) } : headers,
      body: content?.read(),
      signal,
    });
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    const text = await readText(answer.body);
    throw S3Error.ofAnswer(answer.statusCode, text, answer.headers['x-amz-bucket-region']);
  }

  private async sign({ method, object, query = {}, content, source }: S3Call) {
    // Loaded only when S3 is used.
    const { default: aws4 } = await import('aws4');
    const { pathname, host } = this.base;
    const name = object === undefined ? pathname : `${pathname.replace(/\/$/, '')}/${object}`;
    const parameters = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const path = parameters.length > 0 ? `${name}?${parameters.join('&')}` : name;
    const { headers } = aws4.sign(
      {
        service: 's3',
        region: this.location.region,
        method,
        path,
        // The hash lets the server verify the received content.
        headers: {
          host,
          ...(content && { 'x-amz-content-sha256': content.sha256 }),
          ...(source && { 'x-amz-copy-source': `/${this.location.bucket}/${source.object}` }),
        },
      },
      this.credentials,
    );
    return { path, headers: headers as Record<string, string> };
  }
}

/** Returns the base address of a bucket's objects. */
export function bucketAddress({ endpoint, bucket, isPathStyle }: BucketLocation): URL {
  const url = new URL(endpoint);
  if (isPathStyle) url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}`;
  else url.host = `${bucket}.${url.host}`;
  return url;
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_TEXT) throw new S3Error('the response of S3 is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
