import { finished } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Request, type Response } from 'express';
import { DomainError, InvalidRequestError, TooLargeFileError } from '../../errors/domain-errors';
import { type TransferPace } from '../../git/transfer-pace';
import { type ReadRequest } from '../../http/request/request-reader.guard';

/** Size of the hash at the end of a pack, in bytes, without which git does not process it. */
const PACK_TRAILER_BYTES = 20;
const NOTHING = Buffer.alloc(0);

/** The services of git over HTTP. */
export const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
export type GitService = (typeof SERVICES)[number];

/** Returns the environment variable with the client's protocol version; unknown versions are ignored, as in git. */
export function protocolOf(request: Request): Record<string, string> {
  const header = request.headers['git-protocol'];
  const version = typeof header === 'string' ? /(?:^|:)version=([012])(?:$|:)/.exec(header)?.[1] : undefined;
  return version === undefined ? {} : { GIT_PROTOCOL: `version=${version}` };
}

/** Returns whether a client requests version 2 of the protocol, whose advertisement starts differently. */
export const isVersion2 = (env: Record<string, string>): boolean => env.GIT_PROTOCOL === 'version=2';

/** Sets the status and headers of a git response, which must not be cached. */
export function beginAnswer(response: Response, type: string): void {
  response.status(200).set({
    'Content-Type': `application/x-${type}`,
    'Cache-Control': 'no-cache, max-age=0, must-revalidate',
    Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    Pragma: 'no-cache',
  });
}

/** @throws InvalidRequestError when the content type or encoding does not match the service */
export function requireBodyOf(request: Request, service: GitService): void {
  const type = `application/x-${service}-request`;
  if (request.headers['content-type']?.trim().toLowerCase() !== type)
    throw InvalidRequestError.of('Content-Type', `The content type must be ${type}.`);
  const encoding = encodingOf(request);
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip')
    throw InvalidRequestError.of('Content-Encoding', 'The content encoding must be gzip, if there is any.');
}

/** Returns whether the body is compressed, so that a few bytes may stand for very many. */
export const isCompressed = (request: Request): boolean => encodingOf(request) !== 'identity';

const encodingOf = ({ headers }: Request): string =>
  headers['content-encoding']?.trim().toLowerCase() ?? 'identity';

/**
 * Yields the decompressed body of a request, with backpressure. The caller's rights are checked again before the last part is yielded,
 * so that git does not accept a pack whose sender has lost them, or disconnected. A client that sends bytes after its pack gets it in
 * before the check; it had the rights when it started.
 * @param limit maximum size in bytes; 0 = no limit
 * @throws TooLargeFileError, InvalidRequestError, the errors of `onBodyRead`, and the error of a closed connection
 */
export async function* bodyOf(request: ReadRequest, limit: number): AsyncGenerator<Buffer, void, undefined> {
  const tooLarge = (): TooLargeFileError =>
    new TooLargeFileError(`The request body may have at most ${limit} bytes.`);
  if (limit > 0 && Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  let size = 0;
  let held = NOTHING;
  for await (const chunk of unpacked(request)) {
    size += chunk.length;
    if (limit > 0 && size > limit) throw tooLarge();
    if (chunk.length < PACK_TRAILER_BYTES) {
      const both = Buffer.concat([held, chunk]);
      const end = Math.max(0, both.length - PACK_TRAILER_BYTES);
      held = both.subarray(end);
      if (end > 0) yield both.subarray(0, end);
    } else {
      if (held.length > 0) yield held;
      held = Buffer.from(chunk.subarray(-PACK_TRAILER_BYTES));
      if (chunk.length > PACK_TRAILER_BYTES) yield chunk.subarray(0, -PACK_TRAILER_BYTES);
    }
  }
  await request.onBodyRead?.();
  if (held.length > 0) yield held;
}

/**
 * Discards the rest of a body, so that a client that keeps sending can still read the response. What is compressed is not unpacked.
 * @param body the body, perhaps read in part; it ends
 * @param limit maximum size of the rest in bytes; 0 = no limit
 * @param pace requires the client to send it at a minimum rate
 * @throws TooLargeFileError, TooSlowError, and the error of a closed connection
 */
export async function discardRest(
  request: Request,
  body: AsyncGenerator<Buffer, void, undefined>,
  { limit, pace }: { limit: number; pace: TransferPace },
): Promise<void> {
  await body.return();
  let size = 0;
  const chunks = request
    .iterator({ destroyOnReturn: false })
    [Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const chunk = await pace.during(chunks.next());
    if (chunk.done) return;
    pace.count(chunk.value.length);
    size += chunk.value.length;
    if (limit > 0 && size > limit)
      throw new TooLargeFileError(`The request body may have at most ${limit} more bytes.`);
  }
}

/** Yields the decompressed body. Leaving the loop keeps the request open, so that a response can be sent. */
async function* unpacked(request: Request): AsyncGenerator<Buffer, void, undefined> {
  if (!isCompressed(request)) {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    return;
  }
  const gunzip = createGunzip();
  const stop = finished(request, { writable: false }, (error) => {
    if (error) gunzip.destroy(error);
  });
  request.pipe(gunzip);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof DomainError || !isZlibError(error)) throw error;
    throw new InvalidRequestError('The request body is not valid gzip.');
  } finally {
    stop();
    request.unpipe(gunzip);
    gunzip.destroy();
  }
}

const isZlibError = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith('Z_') ||
  (error as NodeJS.ErrnoException).code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END';
