import { type Writable } from 'node:stream';
import { type Response } from 'express';
import { type GitChild } from '../../git/git-program';

/**
 * Writes a body to git, with backpressure, until git exits.
 * @returns whether git has read the whole body; otherwise the caller discards the rest
 */
export async function feed(child: GitChild, body: AsyncIterator<Buffer>, first?: Buffer): Promise<boolean> {
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
 * @param select returns the part of the output that is sent; all by default
 * @returns whether there was any output
 */
export async function send(
  child: GitChild,
  response: Response,
  gone: AbortSignal,
  begin: () => void,
  select = (chunk: Buffer): Buffer => chunk,
): Promise<boolean> {
  let hasPrinted = false;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      hasPrinted = true;
      const sent = select(chunk);
      if (sent.length > 0 && !response.headersSent) begin();
      if (sent.length > 0 && !gone.aborted) await write(response, sent, gone);
    }
  } catch {
    // Git was stopped; its exit code is handled by the caller.
  }
  return hasPrinted;
}

/** Writes a chunk. Resolves when the stream accepts more, or is closed. */
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
