import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';
import { NoResourceError } from '../../errors/domain-errors';
import { clientSignal } from '../server/client-signal';
import { contentTypeOf } from './content-type';
import { onResponseEnd } from './response-end';

/** Opens a file. The signal is aborted when the client disconnects. */
export type FileOpener = (gone: AbortSignal) => Promise<Readable>;

interface FileProperties {
  name: string;
  size?: number;
  open: FileOpener;
  imageType?: string;
  contentType?: string | (() => string);
  examine?: () => Promise<unknown>;
  entityTag?: string;
  findAgain?: () => Promise<FileAnswer>;
}

/** The return value of a handler with `Operation({ returns: 'file' })`: a file, opened only when its bytes are needed. */
export class FileAnswer {
  readonly name: string;
  /** Size in bytes; undefined for content generated while it is sent. */
  readonly size: number | undefined;
  /** Content type of an image that a browser may display; undefined for a file to download. */
  readonly imageType: string | undefined;
  /**
   * Content type of a file to download; undefined to derive it from the name. A function is called after the file has been opened, or
   * examined for a response without content.
   */
  readonly contentType: string | (() => string) | undefined;
  /** Finds out the content type without opening the file. */
  readonly examine: (() => Promise<unknown>) | undefined;
  /** Changes with the content, without quotes; a client that already has that content receives a 304. */
  readonly entityTag: string | undefined;
  /** Rejects when the file cannot be read, with a domain error or another one for a 500; nothing has been sent by then. */
  readonly open: FileOpener;
  /** Finds the file anew when it was replaced before it was opened. */
  readonly findAgain: (() => Promise<FileAnswer>) | undefined;

  constructor(file: FileProperties) {
    this.name = file.name;
    this.size = file.size;
    this.open = file.open;
    this.imageType = file.imageType;
    this.contentType = file.contentType;
    this.examine = file.examine;
    this.entityTag = file.entityTag;
    this.findAgain = file.findAgain;
  }
}

/** Returns a file that another request may replace at any time: if it is gone when it is opened, it is found once more. */
export async function replaceableFile(find: () => Promise<FileAnswer>): Promise<FileAnswer> {
  return new FileAnswer({ ...(await find()), findAgain: find });
}

/**
 * Sends a file for download, never for display: its content is untrusted. Only an image of a checked type may be displayed,
 * also by pages of other origins, which need a key for it; the policy prevents scripts in an SVG from running.
 * @throws the error of reading the file; the connection is closed when reading fails midway
 */
export async function sendFile(response: Response, file: FileAnswer): Promise<void> {
  if (isKnown(response, file)) {
    response.statusCode = 304;
    setTag(response, file);
    response.end();
    return;
  }
  if (response.req.method === 'HEAD') {
    await file.examine?.();
    setHeaders(response, file);
    response.end();
    return;
  }
  let content: Readable;
  try {
    content = await file.open(clientSignal(response));
  } catch (error) {
    if (!file.findAgain || !(error instanceof NoResourceError)) throw error;
    return sendFile(response, await file.findAgain());
  }
  // The pipeline is not notified of a closed connection while other responses are queued before this one.
  onResponseEnd(response, () => content.destroy());
  if (content.destroyed) return;
  setHeaders(response, file);
  try {
    await (file.size === undefined
      ? pipeline(content, response)
      : pipeline(content, ofSize(file.size), response));
  } catch (error) {
    // The client disconnected; the file is closed by now.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Whether the client already has the current content. */
function isKnown({ req }: Response, { entityTag }: FileAnswer): boolean {
  const known = req.headers['if-none-match'];
  return entityTag !== undefined && known?.includes(`"${entityTag}"`) === true;
}

/** Access to the file can change at any time. */
function setTag(response: Response, { entityTag }: FileAnswer): void {
  response.setHeader('Cache-Control', entityTag === undefined ? 'private, no-store' : 'private, no-cache');
  if (entityTag !== undefined) response.setHeader('ETag', `"${entityTag}"`);
}

function setHeaders(response: Response, file: FileAnswer): void {
  const { name, size, imageType } = file;
  const contentType = typeof file.contentType === 'function' ? file.contentType() : file.contentType;
  const disposition = imageType === undefined ? 'attachment' : 'inline';
  if (imageType !== undefined) response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Content-Type', imageType ?? contentType ?? contentTypeOf(name));
  if (size !== undefined) response.setHeader('Content-Length', size);
  response.setHeader('Content-Disposition', `${disposition}; filename*=UTF-8''${encodeName(name)}`);
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  setTag(response, file);
}

/** RFC 5987 leaves fewer characters unescaped than `encodeURIComponent`. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Fails if the file does not have the announced length: the client would wait for the rest. */
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
