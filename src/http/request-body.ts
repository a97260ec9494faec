import { isUtf8 } from 'node:buffer';
import busboy from 'busboy';
import {
  type NextFunction,
  json,
  raw,
  text,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { DomainError, InvalidRequestError, TooLargeFileError } from '../errors/domain-errors';
import { Form, parseForm } from './form';
import { unknownName } from './request-dto.pipe';

/** Largest request body, uploads apart, in bytes. */
export const MAX_BODY_SIZE = 1024 * 1024;
const MAX_FORM_FIELDS = 10_000;

const notUtf8 = (): DomainError => new InvalidRequestError('The request body is not well-formed UTF-8.');

const requireUtf8 = (_request: unknown, _response: unknown, body: Buffer): void => {
  if (!isUtf8(body)) throw notUtf8();
};

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

const READERS: Readonly<Record<string, RequestHandler>> = {
  'application/json': json({
    limit: MAX_BODY_SIZE,
    strict: false,
    type: 'application/json',
    verify: requireUtf8,
  }),
  [FORM]: text({
    limit: MAX_BODY_SIZE,
    type: FORM,
    verify: requireUtf8,
  }),
  [MULTIPART]: raw({ limit: MAX_BODY_SIZE, type: MULTIPART }),
};

/**
 * Reads the body in any of the encodings that the family's clients send (decisions, section 3).
 * @returns the JSON value, or a form; an empty object when there is no body
 * @throws InvalidRequestError, TooLargeFileError
 */
export async function readBody(request: Request, response: Response): Promise<unknown> {
  if (!hasBody(request)) return {};
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const reader = Object.hasOwn(READERS, mediaType) ? READERS[mediaType] : undefined;
  if (!reader) {
    throw InvalidRequestError.of(
      'Content-Type',
      `The content type must be one of ${Object.keys(READERS).join(', ')}.`,
    );
  }
  await run(reader, request, response);
  const body: unknown = request.body;
  // The readers leave out the body of a client that is gone.
  if (body === undefined) throw new InvalidRequestError('The request body could not be read.');
  if (mediaType === FORM) return parseForm(body as string);
  return mediaType === MULTIPART ? parseMultipart(request, body as Buffer) : body;
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function run(reader: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const next: NextFunction = (error?: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(toDomainError(error));
    };
    void reader(request, response, next);
  });
}

/** What the readers throw tells the client's mistake; none of it is a bug of ours. */
function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const { type, status } = error as { type?: string; status?: number };
  if (status === 413) return bodyTooLarge();
  if (type === 'entity.parse.failed') return new InvalidRequestError('The request body is not valid JSON.');
  if (type === 'charset.unsupported') return new InvalidRequestError('The request body must be UTF-8.');
  return new InvalidRequestError('The request body could not be read.');
}

const bodyTooLarge = (): DomainError => new TooLargeFileError('The request body is too large.');

/** The fields of a multipart form; a file among them is refused. */
function parseMultipart(request: Request, body: Buffer): Promise<Form> {
  return new Promise((resolve, reject) => {
    const form = new Form();
    const parser = createMultipartParser(request);
    parser.on('field', (name, value) => form.add(name, value));
    parser.on('file', (name, stream) => {
      stream.resume();
      reject(new InvalidRequestError([unknownName(name)]));
    });
    parser.on('fieldsLimit', () => reject(bodyTooLarge()));
    parser.on('partsLimit', () => reject(bodyTooLarge()));
    parser.on('error', () => reject(new InvalidRequestError('The form is not valid multipart/form-data.')));
    parser.on('close', () => {
      // The parser would put U+FFFD for what is no text.
      if (isUtf8(body)) resolve(form);
      else reject(notUtf8());
    });
    parser.end(body);
  });
}

function createMultipartParser(request: Request): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fields: MAX_FORM_FIELDS,
        parts: MAX_FORM_FIELDS,
        fieldSize: MAX_BODY_SIZE,
      },
    });
  } catch {
    throw new InvalidRequestError('The form is not valid multipart/form-data.');
  }
}
