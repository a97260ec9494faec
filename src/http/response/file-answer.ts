import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';
import { clientSignal } from '../server/client-signal';
import { contentTypeOf } from './content-type';
import { onResponseEnd } from './response-end';

/** Opens a file. The signal is aborted when its client has gone. */
export type FileOpener = (gone: AbortSignal) => Promise<Readable>;

interface FileProperties {
  name: string;
  size?: number;
  open: FileOpener;
  imageType?: string;
  contentType?: string;
  entityTag?: string;
}

/** The return value of a handler with `Operation({ returns: 'file' })`: a file, opened only when its bytes are needed. */
export class FileAnswer {
  readonly name: string;
  /** In bytes; undefined for what is made while it is sent. */
  readonly size: number | undefined;
  /** The content type of a picture that a browser may show; undefined for a file to be saved. */
  readonly imageType: string | undefined;
  /** The content type of a file to be saved; undefined for the one that its name stands for. */
  readonly contentType: string | undefined;
  /** What changes with the content, without quotes; a client that has that content already is sent none. */
  readonly entityTag: string | undefined;
  /** Rejects when the file cannot be read, with a domain error or for a 500; nothing has been sent by then. */
  readonly open: FileOpener;

  constructor(file: FileProperties) {
    this.name = file.name;
    this.size = file.size;
    this.open = file.open;
    this.imageType = file.imageType;
    this.contentType = file.contentType;
    this.entityTag = file.entityTag;
  }
}

/**
 * Sends a file as bytes to be saved, never to be displayed: its contents come from outside. Only a picture of a checked type may be
 * shown, also by pages of other origins, which need a key for it; the policy keeps scripts in an SVG from running.
 * @throws the error of reading it; the connection is closed when that fails midway
 */
export async function sendFile(response: Response, file: FileAnswer): Promise<void> {
  if (isKnown(response, file)) {
    response.statusCode = 304;
    setTag(response, file);
    response.end();
    return;
  }
  if (response.req.method === 'HEAD') {
    setHeaders(response, file);
    response.end();
    return;
  }
  const content = await file.open(clientSignal(response));
  // The stream's own end of the pipeline does not hear of a connection that closes while other answers are before this one.
  onResponseEnd(response, () => content.destroy());
  if (content.destroyed) return;
  setHeaders(response, file);
  try {
    await (file.size === undefined
      ? pipeline(content, response)
      : pipeline(content, ofSize(file.size), response));
  } catch (error) {
    // The client hung up; the file is closed by now.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Whether the client has what it asks for. */
function isKnown({ req }: Response, { entityTag }: FileAnswer): boolean {
  const known = req.headers['if-none-match'];
  return entityTag !== undefined && known?.includes(`"${entityTag}"`) === true;
}

/** Who may read it can change at any time. */
function setTag(response: Response, { entityTag }: FileAnswer): void {
  response.setHeader('Cache-Control', entityTag === undefined ? 'private, no-store' : 'private, no-cache');
  if (entityTag !== undefined) response.setHeader('ETag', `"${entityTag}"`);
}

function setHeaders(response: Response, file: FileAnswer): void {
  const { name, size, imageType, contentType } = file;
  const disposition = imageType === undefined ? 'attachment' : 'inline';
  if (imageType !== undefined) response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Content-Type', imageType ?? contentType ?? contentTypeOf(name));
  if (size !== undefined) response.setHeader('Content-Length', size);
  response.setHeader('Content-Disposition', `${disposition}; filename*=UTF-8''${encodeName(name)}`);
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  setTag(response, file);
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
