import { type Writable } from 'node:stream';
import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../../access/access';
import { type GitChild } from '../../git/git-program';
import { type TransferPace } from '../../git/transfer-pace';
import { ClientGoneError, clientSignal } from '../../http/server/client-signal';
import { type RefReader } from '../refs/ref-states';
import { discardRest } from './git-request';

/** Returns for whom the refs of a transfer are read, before it takes its own turn. */
export const readerOf = ({ caller }: AuthorizedRequest, response: Response): RefReader => ({
  userId: caller.id,
  pool: 'transfers',
  signal: clientSignal(response),
});

/** What `feedOrStop` passes to git. */
interface FeedOptions {
  child: GitChild;
  request: AuthorizedRequest;
  body: AsyncGenerator<Buffer, void, undefined>;
  /** The same body, whose client has to send it at a minimum rate. */
  parts: AsyncIterator<Buffer, void>;
  pace: TransferPace;
  /** The beginning of the body, which has been read. */
  first: Buffer;
  /** Maximum number of bytes that are still read after git has exited; 0 = no limit. */
  restLimit: number;
}

/** Passes the body to git. Resolves with the error of the body, if any, after stopping git. */
export async function feedOrStop({
  child,
  request,
  body,
  parts,
  pace,
  first,
  restLimit,
}: FeedOptions): Promise<Error | undefined> {
  try {
    if (!(await feed(child, parts, first))) await discardRest(request, body, { limit: restLimit, pace });
    return undefined;
  } catch (error) {
    child.stop();
    return error as Error;
  }
}

/**
 * Writes a body to git, with backpressure, until git exits.
 * @returns whether git has read the whole body; otherwise the caller discards the rest
 */
async function feed(child: GitChild, body: AsyncIterator<Buffer, void>, first?: Buffer): Promise<boolean> {
  const { stdin } = child;
  if (first) await write(stdin, first);
  for (let part = await body.next(); !part.done; part = await body.next()) {
    if (stdin.destroyed) return false;
    await write(stdin, part.value);
  }
  stdin.end();
  return true;
}

/**
 * Sends the output of git, with backpressure, and does not end the response. When the client has disconnected, the output is discarded,
 * so that git can finish.
 * @param begin called before the first byte is sent
 * @param pace requires the client to receive it at a minimum rate; the connection of one that is too slow is closed
 * @param select returns the part of the output that is sent; all by default
 * @returns whether there was any output
 */
export async function send(
  child: GitChild,
  response: Response,
  gone: AbortSignal,
  begin: () => void,
  pace: TransferPace,
  select = (chunk: Buffer): Buffer => chunk,
): Promise<boolean> {
  let hasPrinted = false;
  // An answer of which a part has been sent can only be cut off.
  pace.onTooSlow(() => response.headersSent && response.destroy());
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      hasPrinted = true;
      const sent = select(chunk);
      if (sent.length === 0) continue;
      if (!response.headersSent) begin();
      if (gone.aborted) continue;
      pace.count(sent.length);
      await write(response, sent, { gone, pace });
    }
  } catch {
    // Git was stopped; its exit code is handled by the caller.
  }
  return hasPrinted;
}

/** Writes a chunk. Resolves when the stream accepts more, or is closed. */
async function write(
  stream: Writable,
  chunk: Buffer,
  { gone, pace }: { gone?: AbortSignal; pace?: TransferPace } = {},
): Promise<void> {
  if (stream.destroyed || stream.write(chunk)) return;
  if (stream.closed || gone?.aborted) return;
  const end = pace?.wait();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      gone?.removeEventListener('abort', done);
      resolve();
    };
    stream.once('drain', done).once('close', done);
    gone?.addEventListener('abort', done);
  });
  end?.();
}

/**
 * Yields the parts of a request body whose client has to send them at a minimum rate. Counts what arrives on the connection, because a
 * compressed body can be a thousand times as long.
 * @throws TooSlowError
 */
export function requireMinRate(
  { socket }: Request,
  body: AsyncGenerator<Buffer, void>,
  pace: TransferPace,
): AsyncIterator<Buffer, void> {
  let counted = socket.bytesRead;
  return {
    next: async () => {
      const part = await pace.during(body.next());
      pace.count(socket.bytesRead - counted);
      counted = socket.bytesRead;
      return part;
    },
  };
}

/**
 * Closes a body whose rest is no longer read from the connection. Does not wait for the next part of a client that is too slow, which would
 * delay its answer.
 */
export async function closeBody(
  body: AsyncGenerator<Buffer, void, undefined>,
  pace: TransferPace,
): Promise<void> {
  const end = body.return();
  if (pace.hasFailed) end.catch(() => undefined);
  else await end;
}

/** Replaces the error of a closed connection by a `ClientGoneError`. */
export async function throwIfDisconnected<T>(request: AuthorizedRequest, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw request.socket.destroyed ? new ClientGoneError() : error;
  }
}
