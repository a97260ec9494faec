import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type NextFunction, raw, type Request, type RequestHandler, type Response } from 'express';
import { DomainError, InvalidRequestError, TooLargeFileError } from '../../errors/domain-errors';
import { loopTurns } from '../../event-loop/loop-turns';
import { grouped } from '../../quantities';
import { API_KEY_PARAMETER } from './credentials';
import { Form, MAX_ENTRIES, parseForm, withSpaces } from './form';
import { hasMoreEntriesThan } from './json-entries';
import { boundaryOf, namelessPartError, notUtf8Error, readMultipart } from './multipart';
import { queryOf } from './query';
import { unknownName } from './unknown-names';

/**
 * Maximum size of a request body except uploads, in bytes. Admits the longest texts of an issue and a comment, 150,000 characters, when the
 * client escapes each: an emoji takes 12 bytes as `\ud83d\ude00` in JSON, and as `%F0%9F%98%80` in a form.
 */
export const MAX_BODY_SIZE = 2 * 1024 * 1024;
/** Number of bytes of a multipart form that are parsed at a time. */
const SLICE_SIZE = 32 * 1024;
/** Number of bytes of other bodies that are decoded at a time. */
const TEXT_SLICE_SIZE = 256 * 1024;
/** Size up to which a body is decoded, parsed and bound in one turn of the event loop: further waits would slow down requests of usual size. */
const MAX_SIZE_AT_ONCE = 32 * 1024;

const requireUtf8 = (_request: unknown, _response: unknown, body: Buffer): void => {
  if (!isUtf8(body)) throw notUtf8Error();
};

/** Returns the number of entries that a body may have, given those of the query string. */
const entriesLeft = (request: Request): number => MAX_ENTRIES - queryOf(request).size;

const JSON_TYPE = 'application/json';
const BYTE_ORDER_MARK = '\ufeff';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

const READERS: Readonly<Record<string, RequestHandler>> = {
  // Read as bytes, so that parsing one body can wait for a later turn of the event loop than another.
  [JSON_TYPE]: raw({ limit: MAX_BODY_SIZE, type: JSON_TYPE, verify: requireUtf8 }),
  // Also because a form is UTF-8 whatever charset its header names.
  [FORM]: raw({
    limit: MAX_BODY_SIZE,
    type: FORM,
    verify: requireUtf8,
  }),
  [MULTIPART]: raw({ limit: MAX_BODY_SIZE, type: MULTIPART }),
};

/**
 * Reads the body in any of the encodings that the family's clients send (`docs/decisions/0005-requests.md`).
 * @returns the JSON value, or the form without a credential; without a body, an empty form unless the declared type is JSON
 * @throws InvalidRequestError, TooLargeFileError
 */
export async function readBody(request: Request, response: Response): Promise<unknown> {
  const mediaType = mediaTypeOf(request);
  if (!hasBody(request)) return mediaType === JSON_TYPE ? {} : new Form();
  const reader = Object.hasOwn(READERS, mediaType) ? READERS[mediaType] : undefined;
  if (!reader) {
    throw InvalidRequestError.of(
      'Content-Type',
      `The content type must be one of ${Object.keys(READERS).join(', ')}.`,
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_SIZE) throw bodyTooLargeError();
  if (mediaType === JSON_TYPE && !isUtf8Declared(request)) throw notUtf8Error();
  await run(reader, request, response);
  const body: unknown = request.body;
  // The readers set no body when the client has gone.
  if (body === undefined) throw new InvalidRequestError('The request body could not be read.');
  let pause = loopTurns.pause();
  if (pause) await pause;
  const read = await parse(request, mediaType, body as Buffer);
  // Binding and validating a large body takes as long as parsing it.
  pause = isLarge(body as Buffer) ? loopTurns.pause() : undefined;
  if (pause) await pause;
  return read;
}

async function parse(request: Request, mediaType: string, body: Buffer): Promise<unknown> {
  if (mediaType === JSON_TYPE) return parseJson(request, body);
  const form = mediaType === FORM ? await parseFormBody(request, body) : await parseMultipart(request, body);
  // Some clients repeat their key in the form. Only the query string and headers are credentials.
  form.entries.delete(API_KEY_PARAMETER);
  return form;
}

/**
 * Reads the form body of a request that accepts no other type.
 * @throws InvalidRequestError, TooLargeFileError
 */
export async function readForm(request: Request, response: Response): Promise<unknown> {
  if (mediaTypeOf(request) !== FORM) {
    throw InvalidRequestError.of('Content-Type', `The content type must be ${FORM}.`);
  }
  return readBody(request, response);
}

/**
 * Waits for a body that is being read.
 * @throws InvalidRequestError when it takes too long; its connection is closed a little later
 */
export function inTime(request: Request, body: Promise<unknown>, seconds: number): Promise<unknown> {
  // Most bodies arrive with the headers.
  if (request.complete) return body;
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(new InvalidRequestError(`The request body did not arrive within ${seconds} seconds.`));
    const timer = setTimeout(late, seconds * 1000);
    body.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const mediaTypeOf = ({ headers }: Request): string =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Whether the header names no other charset than UTF-8; JSON without a charset is UTF-8. */
function isUtf8Declared({ headers }: Request): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** Whether a request has a body, according to its headers. */
export function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Refuses the body of a request whose operation accepts none, without reading it.
 * @throws InvalidRequestError when there is a body
 */
export function refuseBody(request: Request): void {
  if (hasBody(request)) throw unexpectedBodyError();
}

/**
 * Whether a body has the length of a multipart form without fields, according to the headers. Older clients of the family send
 * one with every write, including those that accept no body.
 */
export function maybeEmptyForm(request: Request): boolean {
  if (mediaTypeOf(request) !== MULTIPART) return false;
  const lastDelimiter = `--${boundaryOf(request.headers) ?? ''}--`;
  const length = Number(request.headers['content-length']);
  return length === lastDelimiter.length || length === lastDelimiter.length + '\r\n'.length;
}

/**
 * Reads the body of a request whose operation accepts none.
 * @throws InvalidRequestError unless it is a form without fields
 */
export async function readEmptyForm(request: Request, response: Response): Promise<void> {
  const form = await readBody(request, response);
  if (form instanceof Form && form.size > 0) throw unexpectedBodyError();
}

/** The error for a body where the operation accepts none. */
export const unexpectedBodyError = (): InvalidRequestError =>
  new InvalidRequestError('The operation takes no request body.');

function run(reader: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const next: NextFunction = (error?: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(toDomainError(error));
    };
    // The readers would wait for the end of an oversized body.
    if (request.headers['transfer-encoding'] !== undefined) {
      let size = 0;
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY_SIZE) reject(bodyTooLargeError());
      });
    }
    void reader(request, response, next);
  });
}

/** The readers throw only for errors of the client, never for a bug of ours. */
function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const { status } = error as { status?: number };
  if (status === 413) return bodyTooLargeError();
  return new InvalidRequestError('The request body could not be read.');
}

const bodyTooLargeError = (): DomainError => new TooLargeFileError('The request body is too large.');

const entryLimitError = (): DomainError =>
  new TooLargeFileError(`The request has more than ${grouped(MAX_ENTRIES)} entries.`);

/** Returns the value of a JSON text; entries are counted before anything is built. */
async function parseJson(request: Request, body: Buffer): Promise<unknown> {
  if (body.length === 0) return {};
  if (hasMoreEntriesThan(body, entriesLeft(request))) throw entryLimitError();
  const text = isLarge(body) ? await decodeInSlices(body) : body.toString();
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as unknown;
  } catch {
    throw new InvalidRequestError('The request body is not valid JSON.');
  }
}

async function parseFormBody(request: Request, body: Buffer): Promise<Form> {
  const spaced = withSpaces(body);
  const text = isLarge(body) ? await decodeInSlices(spaced) : spaced.toString();
  return parseForm(text, { max: entriesLeft(request), tooMany: entryLimitError });
}

/** Returns the fields of a multipart form; refuses a file. */
async function parseMultipart(request: Request, body: Buffer): Promise<Form> {
  const boundary = boundaryOf(request.headers);
  if (boundary === undefined) throw new InvalidRequestError('The form is not valid multipart/form-data.');
  // The parser would replace malformed text by U+FFFD.
  if (!isUtf8(body)) throw notUtf8Error();
  const form = new Form();
  let taken = 0;
  await readMultipart(
    Readable.from(inSlices(body, SLICE_SIZE)),
    boundary,
    { parts: entriesLeft(request), tooManyParts: entryLimitError, restSize: MAX_BODY_SIZE },
    {
      field: (name, value) => {
        taken++;
        form.add(name, value);
      },
      file: (name) => {
        throw new InvalidRequestError([unknownName(name)]);
      },
    },
  );
  // The parser skips parts without a field name.
  if (taken < countParts(body, boundary)) throw namelessPartError();
  return form;
}

const isLarge = (body: Buffer): boolean => body.length > MAX_SIZE_AT_ONCE;

/** Parsing the largest form at once would block other requests for too long. */
async function* inSlices(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < body.length; start += size) {
    if (start > 0) await loopTurns.nextSlice();
    yield body.subarray(start, start + size);
  }
}

/** Decodes a body; half a million emoji at once take longer than parsing them. */
async function decodeInSlices(body: Buffer): Promise<string> {
  const decoder = new StringDecoder();
  let text = '';
  for await (const slice of inSlices(body, TEXT_SLICE_SIZE)) text += decoder.write(slice);
  await loopTurns.pause();
  return text;
}

/** Counts the parts between a form's delimiters, the first of which may be at its very start. */
function countParts(body: Buffer, boundary: string): number {
  const delimiter = `\r\n--${boundary}`;
  let count = body.indexOf(delimiter.slice(2)) === 0 ? 1 : 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length))
    count++;
  return count - 1;
}
