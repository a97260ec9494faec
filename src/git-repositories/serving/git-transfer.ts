import { type Writable } from 'node:stream';
import { type Response } from 'express';
import { type GitChild } from '../../git/git-program';

/**
 * Hands git the parts of a body as fast as it takes them. When git ends before the body, the rest is thrown away, so that a client that
 * goes on sending gets to read the answer.
 */
export async function feed(child: GitChild, body: AsyncIterator<Buffer>, first?: Buffer): Promise<void> {
  const { stdin } = child;
  if (first) await write(stdin, first);
  for (let part = await body.next(); !part.done; part = await body.next()) await write(stdin, part.value);
  stdin.end();
}

/** Throws the rest of a body away. */
export async function discard(body: AsyncIterator<Buffer>): Promise<void> {
  for (let part = await body.next(); !part.done;) part = await body.next();
}

/**
 * Sends what git prints, as fast as the client takes it, and does not end the answer. When the client is gone, what git prints is
 * thrown away, so that git comes to its end.
 * @param begin called before the first byte is sent
 * @returns whether anything has been printed
 */
export async function send(
  child: GitChild,
  response: Response,
  gone: AbortSignal,
  begin: () => void,
): Promise<boolean> {
  let hasBegun = false;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      if (!hasBegun && !response.headersSent) begin();
      hasBegun = true;
      if (!gone.aborted) await write(response, chunk, gone);
    }
  } catch {
    // Git has been ended; how, its exit says.
  }
  return hasBegun;
}

/** Resolves when the stream takes more, or takes nothing any more. */
async function write(stream: Writable, chunk: Buffer, gone?: AbortSignal): Promise<void> {
  if (stream.destroyed || stream.write(chunk)) return;
  if (stream.closed || gone?.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      gone?.removeEventListener('abort', done);
      resolve();
    };
    stream.once('drain', done).once('close', done);
    gone?.addEventListener('abort', done);
  });
}
