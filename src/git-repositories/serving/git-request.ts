import { finished } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Request, type Response } from 'express';
import { DomainError, InvalidRequestError, TooLargeFileError } from '../../errors/domain-errors';
import { type ReadRequest } from '../../http/request/request-reader.guard';

/** A pack ends with a hash of this many bytes, without which git does nothing with it. */
const HELD_BACK = 20;
const NOTHING = Buffer.alloc(0);

/** The two services of git over HTTP. */
export const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
export type GitService = (typeof SERVICES)[number];

/** The variable that gives git the protocol of a client, as far as it is understood; git ignores what it does not know as well. */
export function protocolOf(request: Request): Record<string, string> {
  const header = request.headers['git-protocol'];
  const version = typeof header === 'string' ? /(?:^|:)version=([012])(?:$|:)/.exec(header)?.[1] : undefined;
  return version === undefined ? {} : { GIT_PROTOCOL: `version=${version}` };
}

/** Whether a client wants version 2 of the protocol, whose advertisement begins differently. */
export const isVersion2 = (env: Record<string, string>): boolean => env.GIT_PROTOCOL === 'version=2';

/** Begins an answer of git's: nobody keeps it. */
export function beginAnswer(response: Response, type: string): void {
  response.status(200).set({
    'Content-Type': `application/x-${type}`,
    'Cache-Control': 'no-cache, max-age=0, must-revalidate',
    Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    Pragma: 'no-cache',
  });
}

/** @throws InvalidRequestError when the body is not one for the service */
export function requireBodyOf(request: Request, service: GitService): void {
  const type = `application/x-${service}-request`;
  if (request.headers['content-type']?.trim().toLowerCase() !== type)
    throw InvalidRequestError.of('Content-Type', `The content type must be ${type}.`);
  const encoding = encodingOf(request);
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip')
    throw InvalidRequestError.of('Content-Encoding', 'The content encoding must be gzip, if there is any.');
}

const encodingOf = ({ headers }: Request): string =>
  headers['content-encoding']?.trim().toLowerCase() ?? 'identity';

/**
 * The body of a request, unpacked, as fast as it is taken. The caller's rights are checked again before its last part is given: git
 * accepts no pack whose sender has lost them, or has gone, meanwhile. Who sends more than a pack gets it in before; they had the right
 * when they began.
 * @param limit most bytes; 0 = no limit
 * @throws TooLargeFileError, InvalidRequestError, what `onBodyRead` throws, and the error of a connection that ends
 */
export async function* bodyOf(request: ReadRequest, limit: number): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  let held = NOTHING;
  for await (const chunk of unpacked(request)) {
    size += chunk.length;
    if (limit > 0 && size > limit)
      throw new TooLargeFileError(`The request body may have at most ${limit} bytes.`);
    if (chunk.length < HELD_BACK) {
      const both = Buffer.concat([held, chunk]);
      const end = Math.max(0, both.length - HELD_BACK);
      held = both.subarray(end);
      if (end > 0) yield both.subarray(0, end);
    } else {
      if (held.length > 0) yield held;
      held = Buffer.from(chunk.subarray(-HELD_BACK));
      if (chunk.length > HELD_BACK) yield chunk.subarray(0, -HELD_BACK);
    }
  }
  await request.onBodyRead?.();
  if (held.length > 0) yield held;
}

/** Leaving the iteration leaves the request open, so that it can be answered. */
async function* unpacked(request: Request): AsyncGenerator<Buffer, void, undefined> {
  if (encodingOf(request) === 'identity') {
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
