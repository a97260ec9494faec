import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';
import { onResponseEnd } from './response-end';

/** The return value of a handler with `Operation({ returns: 'file' })`: a file, opened only when its bytes are needed. */
export class FileAnswer {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Rejects when the file cannot be read, with a domain error or for a 500; nothing has been sent by then. */
  readonly open: () => Promise<Readable>;

  constructor(file: { name: string; size: number; open: () => Promise<Readable> }) {
    this.name = file.name;
    this.size = file.size;
    this.open = file.open;
  }
}

/**
 * Sends a file as bytes to be saved, never to be displayed: its contents come from outside.
 * @throws the error of reading it; the connection is closed when that fails midway
 */
export async function sendFile(response: Response, file: FileAnswer): Promise<void> {
  if (response.req.method === 'HEAD') {
    setHeaders(response, file);
    response.end();
    return;
  }
  const content = await file.open();
  // The stream's own end of the pipeline does not hear of a connection that closes while other answers are before this one.
  onResponseEnd(response, () => content.destroy());
  if (content.destroyed) return;
  setHeaders(response, file);
  try {
    await pipeline(content, ofSize(file.size), response);
  } catch (error) {
    // The client hung up; the file is closed by now.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function setHeaders(response: Response, { name, size }: FileAnswer): void {
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Length', size);
  response.setHeader('Content-Disposition', `attachment; filename*=UTF-8''${encodeName(name)}`);
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // Who may read it can change at any time.
  response.setHeader('Cache-Control', 'private, no-store');
}

/** RFC 5987 lets fewer characters stand for themselves than `encodeURIComponent`. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Fails on a file whose length is not as announced: the client would wait for the rest. */
function ofSize(size: number): Transform {
  let left = size;
  const wrongSize = (): Error => new Error('The stored file does not have the size that is recorded for it.');
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? wrongSize() : null, chunk);
    },
    flush(done) {
      done(left > 0 ? wrongSize() : null);
    },
  });
}
