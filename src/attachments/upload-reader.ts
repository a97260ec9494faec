import { pipeline, PassThrough, type Readable } from 'node:stream';
import { DomainError, InvalidRequestError } from '../errors/domain-errors';
import { boundaryOf, fileTooLargeError, MAX_REST_SIZE, readMultipart } from '../http/request/multipart';
import { unknownName } from '../http/request/unknown-names';
import { type ReadRequest } from '../http/request/request-reader.guard';

const FILE_FIELD = 'file';

/** Receives the file of an upload as a stream. */
export type FileReceiver<T> = (name: string, content: Readable) => Promise<T>;

/** Receivers of the other fields of an upload's form, by name; each field may occur once, before or after the file. */
export type FieldReceivers = Readonly<Record<string, (value: string) => void>>;

/**
 * Reads a `multipart/form-data` request with one part `file` and passes its content on as a stream. The stream ends only after the
 * whole request has been read and the sender's rights have been checked again.
 * @throws InvalidRequestError, TooLargeFileError, and the errors of `onBodyRead` and the receivers of fields; the receiver's stream
 *   fails with the same error
 */
export async function receiveFile<T>(
  request: ReadRequest,
  maxSize: number,
  receive: FileReceiver<T>,
  fields: FieldReceivers = {},
): Promise<T> {
  const received = await receiveForm(request, maxSize, receive, fields);
  if (!received) throw noFileError();
  return received.value;
}

/** Same, but the form may have no part `file`: then the result is undefined. */
export async function receiveForm<T>(
  request: ReadRequest,
  maxSize: number,
  receive: FileReceiver<T>,
  fields: FieldReceivers,
): Promise<{ value: T } | undefined> {
  const boundary = boundaryOf(request.headers);
  if (boundary === undefined) {
    throw InvalidRequestError.of('Content-Type', 'Send the file as multipart/form-data.');
  }
  if (Number(request.headers['content-length'] ?? 0) > maxSize + MAX_REST_SIZE) throw fileTooLargeError();
  let received: Promise<T> | undefined;
  const expected = new Map(Object.entries(fields));
  const whole = (async (): Promise<void> => {
    await readMultipart(
      request,
      boundary,
      { parts: 1 + expected.size, tooManyParts: severalFilesError, fileSize: maxSize },
      {
        field: (name, value) => {
          const take = expected.get(name);
          if (!take)
            throw Object.hasOwn(fields, name)
              ? repeatedFieldError(name)
              : new InvalidRequestError([unknownName(name)]);
          expected.delete(name);
          take(value);
        },
        file: (field, content, name) => {
          if (field !== FILE_FIELD) throw new InvalidRequestError([unknownName(field)]);
          if (received) throw severalFilesError();
          received = receive(name, endAfter(content, whole));
          return received;
        },
      },
    );
    await request.onBodyRead?.();
  })();
  try {
    await whole;
  } catch (error) {
    // The upload is not over until the receiver has cleaned up.
    await Promise.allSettled([received]);
    // The error is a bug, or a consequence of the removal of the sender.
    if (!(error instanceof DomainError)) await request.onBodyRead?.();
    throw error;
  }
  return received && { value: await received };
}

/** The error of a form without its file. */
export const noFileError = (): InvalidRequestError =>
  InvalidRequestError.of(FILE_FIELD, 'The form has no file in a part named file.');

/** Returns a stream of the same content that ends only when a promise resolves, and fails when it rejects. */
function endAfter(content: Readable, promise: Promise<void>): Readable {
  const copy = new PassThrough({
    final: (done) => void promise.then(() => done(), done),
  });
  pipeline(content, copy, () => undefined);
  return copy;
}

const repeatedFieldError = (name: string): InvalidRequestError =>
  InvalidRequestError.of(name, `Send ${name} once.`);

const severalFilesError = (): InvalidRequestError =>
  InvalidRequestError.of(FILE_FIELD, 'Upload one file at a time.');
