import { type Readable } from 'node:stream';
import busboy from 'busboy';
import { type Request } from 'express';
import { type DomainError, InvalidRequestError, TooLargeFileError } from '../errors/domain-errors';
import { unknownName } from '../http/request-dto.pipe';

const FILE_FIELD = 'file';

/** Takes the one file of an upload while it comes in. */
export type FileReceiver<T> = (name: string, content: Readable) => Promise<T>;

/**
 * Reads a `multipart/form-data` request with one part `file` and hands its bytes on as a stream.
 * @throws InvalidRequestError, TooLargeFileError; the receiver's stream fails with the same error
 */
export function receiveFile<T>(request: Request, maxSize: number, receive: FileReceiver<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const parser = createParser(request, maxSize);
    let file: Readable | undefined;
    let received: Promise<T> | undefined;
    let failure: DomainError | undefined;
    const fail = (error: DomainError): void => {
      if (failure) return;
      failure = error;
      request.unpipe(parser);
      request.resume();
      file?.destroy(error);
      // Only after the receiver has cleaned up is the upload over.
      void Promise.allSettled([received]).then(() => reject(error));
    };
    parser.on('file', (field, stream, { filename }) => {
      stream.on('error', () => undefined);
      // What came in one piece with the part that was refused is parsed all the same.
      if (failure) {
        stream.resume();
        return;
      }
      if (field !== FILE_FIELD || file) {
        stream.resume();
        fail(
          field === FILE_FIELD
            ? InvalidRequestError.of(FILE_FIELD, 'Upload one file at a time.')
            : new InvalidRequestError([unknownName(field)]),
        );
        return;
      }
      file = stream;
      stream.on('limit', () => fail(new TooLargeFileError(`The file is larger than ${maxSize} bytes.`)));
      const taken = receive(filename ?? '', stream);
      received = taken;
      taken.catch(() => {
        if (failure) return;
        request.unpipe(parser);
        request.resume();
        // Fails with the same error.
        resolve(taken);
      });
    });
    parser.on('field', (name) => fail(new InvalidRequestError([unknownName(name)])));
    parser.on('error', () => fail(new InvalidRequestError('The form is not valid multipart/form-data.')));
    parser.on('close', () => {
      if (failure) return;
      if (received) received.then(resolve, reject);
      else fail(InvalidRequestError.of(FILE_FIELD, 'The form has no file in a part named file.'));
    });
    const cutOff = (): void => fail(new InvalidRequestError('The upload was cut off.'));
    request.on('aborted', cutOff);
    // The client may be gone already, and nothing would ever come.
    if (request.destroyed) cutOff();
    else request.pipe(parser);
  });
}

function createParser(request: Request, maxSize: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      // The parser tells of a limit when it is met, not when it is passed.
      limits: { fileSize: maxSize + 1, parts: 10, fieldNameSize: 200, fieldSize: 1024 },
    });
  } catch {
    throw InvalidRequestError.of('Content-Type', 'Send the file as multipart/form-data.');
  }
}
