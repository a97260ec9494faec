import { type IncomingHttpHeaders } from 'node:http';
import { type Readable } from 'node:stream';
import busboy from 'busboy';
import { type DomainError, InvalidRequestError, TooLargeFileError } from '../../errors/domain-errors';

/** Has a boundary of 1 to 70 characters (RFC 2046): searching for a longer one could be slow. */
const CONTENT_TYPE =
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\\]{1,70})"|([\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]{1,70}))\s*(?:;|$)/i;
const REPLACEMENT_CHARACTER = '\ufffd';

/** Limits of a form. */
export interface MultipartLimits {
  parts: number;
  /** Creates the error for a form with more parts. */
  tooManyParts: () => DomainError;
  /** Maximum size of a file, in bytes; absent where no file is accepted. */
  fileSize?: number;
  /** Maximum size of the form without its file, in bytes. */
  restSize?: number;
}

/** Maximum size of the form of an upload without its file, in bytes. */
export const MAX_REST_SIZE = 1024 * 1024;

/** Receives the parts of a form as they arrive. An exception stops the reading. */
export interface PartReceiver {
  field(name: string, value: string): void;
  /**
   * @param content must be read to its end; fails with the error that stops the reading
   * @returns a promise whose rejection also stops the reading with its error
   */
  file(name: string, content: Readable, fileName: string): Promise<unknown>;
}

/**
 * Returns the boundary that a form declares.
 * @returns undefined when it is missing or invalid
 */
export function boundaryOf({ 'content-type': type = '' }: IncomingHttpHeaders): string | undefined {
  const [, quoted, plain] = CONTENT_TYPE.exec(type) ?? [];
  return quoted ?? plain;
}

/**
 * Reads a multipart form. The only place that creates streams of request bodies: it handles the errors of all of them, regardless
 * of their consumer, including those after the first.
 * @returns a promise that resolves at the end of the form
 * @throws InvalidRequestError, TooLargeFileError, or the error of the receiver; the rest of the source is then left unread
 */
export function readMultipart(
  source: Readable,
  boundary: string,
  { parts, tooManyParts, fileSize = 0, restSize = MAX_REST_SIZE }: MultipartLimits,
  receiver: PartReceiver,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const parser = busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      defParamCharset: 'utf8',
      // The parser reports a limit when it is reached, not when it is exceeded.
      limits: { parts: parts + 1, fileSize: fileSize + 1, fieldSize: restSize },
    });
    let failure: Error | undefined;
    let file: Readable | undefined;
    let size = 0;

    const fail = (error: Error): void => {
      if (failure !== undefined) return;
      failure = error;
      source.unpipe(parser);
      skipRest(parser);
      file?.destroy(error);
      reject(error);
    };
    /** Passes a part to the receiver. Parts after a failure are ignored; an exception fails the whole form. */
    const take = (name: string | undefined, receive: (name: string) => void): void => {
      if (failure !== undefined) return;
      try {
        if (name === undefined) throw namelessPartError();
        receive(name);
      } catch (error) {
        fail(error as Error);
      }
    };
    const cutOff = (): void => {
      if (!source.readableEnded) fail(new InvalidRequestError('The request body was cut off.'));
    };

    parser.on('field', (name: string | undefined, value: string | undefined) => {
      take(name, (named) => {
        // The part is in a charset that the parser does not support.
        if (value === undefined) throw notUtf8Error();
        receiver.field(named, value);
      });
    });
    parser.on('file', (name: string | undefined, stream, { filename = '' }: { filename?: string }) => {
      stream.on('error', () => undefined);
      take(name, (named) => {
        // The parser substitutes it for bytes that are not UTF-8.
        if (filename.includes(REPLACEMENT_CHARACTER)) throw notUtf8Error();
        file = stream;
        stream.on('limit', () => fail(fileTooLargeError()));
        receiver.file(named, stream, filename).catch(fail);
      });
      if (failure !== undefined) stream.resume();
    });
    parser.on('partsLimit', () => fail(tooManyParts()));
    parser.on('error', () => fail(new InvalidRequestError('The form is not valid multipart/form-data.')));
    parser.on('close', () => {
      if (failure === undefined) resolve();
    });
    source.on('error', cutOff);
    source.on('close', cutOff);
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > fileSize + restSize) fail(new TooLargeFileError('The form is too large.'));
    });
    // If the client is already gone, no event would ever arrive.
    if (source.destroyed) cutOff();
    else source.pipe(parser);
  });
}

/**
 * Makes the parser skip the rest of the bytes that it has received. It would otherwise continue with the next part, and create an
 * error for each malformed one: thousands in one turn of the event loop.
 */
function skipRest(parser: busboy.Busboy): void {
  const { _bparser: search } = parser as { _bparser?: { maxMatches: number } };
  if (search) search.maxMatches = 0;
}

/** The error for a file over its limit, in the words that migration tools expect. */
export const fileTooLargeError = (): TooLargeFileError =>
  new TooLargeFileError('The size of attached file is too large.');

/** The error for a body, or a name in it, that is not UTF-8. */
export const notUtf8Error = (): InvalidRequestError =>
  new InvalidRequestError('The request body is not well-formed UTF-8.');

/** The error for a part without a field name. */
export const namelessPartError = (): InvalidRequestError =>
  new InvalidRequestError('Each part of the form must have a name.');
