import { type Response } from 'express';
import { piecesOf } from '../../event-loop/long-texts';
import { loopTurns } from '../../event-loop/loop-turns';
import { type PendingAnswers } from './pending-answers';
import { onResponseEnd } from './response-end';
import { type Replacer, replacerFor, type VendorAccountAlias } from './shown-users';

/** Length of JSON text at which a piece is sent, in characters. */
const PIECE_LENGTH = 64 * 1024;
/** Number of items serialised at once: single items would make a small list a fifth slower, and ten of the largest take 20 ms. */
const MAX_ITEMS_AT_ONCE = 10;
/** Same with a replacer, which is called for each value, and takes several times as long. */
const MAX_REPLACED_AT_ONCE = 2;
/**
 * Length of the texts of objects that are serialised at once, in characters. Imported texts are longer than those of the API: three million
 * control characters took 60 ms.
 */
const MAX_TEXTS_AT_ONCE = 256 * 1024;
/** Length of the JSON of a large object up to which it is sent as one text, in characters: comparisons and messages are shorter. */
const MAX_TEXT_LENGTH = 2_000_000;
const BYTES_PER_LETTER = 2;
const BYTES_PER_OBJECT = 64;
const BYTES_PER_VALUE = 16;

/**
 * Sends JSON: a small value as one text with its length, a long list in pieces, each serialised after the client has taken the
 * previous one, so that no such response is ever in memory completely. Lists and long texts in an item are divided in the same way. A
 * large object is sent as one text that is serialised in pieces, or like a list if that text would be very long.
 */
export class JsonWriter {
  constructor(
    private readonly pending: PendingAnswers,
    private readonly alias?: VendorAccountAlias,
  ) {}

  /**
   * @param headers set once it is certain that the response will be sent
   * @returns a promise when the response is sent in pieces; resolves when it is sent or the client has gone
   * @throws TooManyRequestsError when the client does not read its responses; nothing has been sent then
   */
  send(response: Response, value: unknown, headers?: Readonly<Record<string, string>>): Promise<void> | void {
    const replacer = replacerFor(response, this.alias);
    if (!Array.isArray(value)) {
      if (isLarge(value, atOnce(replacer))) return this.sendObject(response, value, replacer, headers);
      this.sendText(response, JSON.stringify(value, replacer), headers);
      return;
    }
    const pieces = new Pieces(listParts(value, replacer));
    const first = pieces.next();
    if (!pieces.isDone) return this.sendPieces(response, value, first, pieces, headers);
    this.sendText(response, first, headers);
  }

  /** Sends a string instead of a buffer, so that Node sends headers and body in one chunk. */
  private sendText(response: Response, text: string, headers: Readonly<Record<string, string>> = {}): void {
    const length = Buffer.byteLength(text);
    // Not sent in pieces, but a hundred such responses at once would also block all other requests.
    if (length > PIECE_LENGTH) loopTurns.noteLongWork();
    if (this.pending.hasPending && isRead(response)) this.pending.admit(response.req, length);
    setHeaders(response, headers);
    response.setHeader('Content-Length', length);
    response.end(response.req.method === 'HEAD' ? undefined : text);
    if (response.writableLength > 0) this.pending.track(response, length);
  }

  private async sendObject(
    response: Response,
    value: object,
    replacer: Replacer | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const client = new Client(response);
    const pieces = new Pieces(objectParts(value, replacer));
    const texts: string[] = [];
    for (let length = 0; !pieces.isDone && length < MAX_TEXT_LENGTH;) {
      await loopTurns.nextSlice();
      if (client.isGone()) return;
      const text = pieces.next();
      texts.push(text);
      length += text.length;
    }
    if (pieces.isDone) this.sendText(response, texts.join(''), headers);
    else await this.sendPieces(response, [value], texts.join(''), pieces, headers);
  }

  private async sendPieces(
    response: Response,
    items: readonly unknown[],
    first: string,
    rest: Pieces,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const client = new Client(response);
    const bytes = await memoryOf(items);
    if (client.isGone()) return;
    if (isRead(response)) this.pending.admit(response.req, bytes + sizeOfText(first));
    setHeaders(response, headers);
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const held = this.pending.track(response, bytes + sizeOfText(first));
    let piece = first;
    while (!rest.isDone) {
      held.raiseTo(bytes + sizeOfText(piece));
      if (!response.write(piece)) await client.whenReady();
      await loopTurns.nextSlice();
      if (client.isGone()) return;
      piece = rest.next();
    }
    response.end(piece);
  }
}

/** The parts of a JSON text, each serialised at once when it is asked for; the last one is returned. */
type Parts = Generator<string, string, void>;

/** Parts of JSON, joined to pieces that are worth sending. */
class Pieces {
  /** Whether the last piece has been created. */
  isDone = false;

  constructor(private readonly parts: Parts) {}

  next(): string {
    let text = '';
    do {
      const { value, done } = this.parts.next();
      this.isDone = done === true;
      text += value;
    } while (!this.isDone && text.length < PIECE_LENGTH);
    return text;
  }
}

/**
 * Divides the JSON of a list between items, and within those that have long lists or texts themselves. A part has as many items as fill a piece,
 * judging by the length of the previous ones; only one at first, unless there are few.
 */
function* listParts(items: readonly unknown[], replacer: Replacer | undefined): Parts {
  const most = atOnce(replacer);
  if (items.length <= most / 2 && !areLarge(items, most)) return JSON.stringify(items, replacer);
  let text = '[';
  /** Number of characters of JSON so far. */
  let made = 0;
  for (let index = 0; index < items.length;) {
    if (index > 0) {
      yield text;
      text = ',';
    }
    const count = Math.max(1, Math.min(most, Math.floor((PIECE_LENGTH * index) / (made + 1))));
    const some = items.slice(index, index + count);
    if (areLarge(some, most)) some.length = 1;
    index += some.length;
    const [item] = some;
    if (some.length === 1 && isLarge(item, most)) {
      yield text;
      text = yield* objectParts(item, replacer);
      // At least.
      made += PIECE_LENGTH;
    } else {
      // Without the brackets of the part.
      const part = JSON.stringify(some, replacer).slice(1, -1);
      made += part.length;
      text += part;
    }
  }
  return `${text}]`;
}

/** Divides the JSON of an object within its lists and long texts. */
function* objectParts(value: object, replacer: Replacer | undefined): Parts {
  const shown = replacer ? (replacer('', value) as object) : value;
  let text = '{';
  let isFirst = true;
  for (const [name, part] of Object.entries<unknown>(shown as Record<string, unknown>)) {
    if (part === undefined) continue;
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
    isFirst = false;
    if (Array.isArray(part)) {
      yield text;
      text = yield* listParts(part, replacer);
    } else if (typeof part === 'string' && part.length > PIECE_LENGTH) {
      yield text;
      text = yield* textParts(part);
    } else {
      text += JSON.stringify(part, replacer);
    }
  }
  return `${text}}`;
}

/** Divides the JSON of a text. Both halves of a divided surrogate pair become escapes, which together mean the same character. */
function* textParts(text: string): Parts {
  yield '"';
  for (const piece of piecesOf(text, '')) yield JSON.stringify(piece).slice(1, -1);
  return '"';
}

/** The client of a response that is sent in pieces. */
class Client {
  private closed = false;
  private wake?: () => void;

  constructor(private readonly response: Response) {
    onResponseEnd(response, () => {
      this.closed = true;
      this.wake?.();
    });
  }

  isGone(): boolean {
    return this.closed;
  }

  /** Resolves when the client has taken everything written so far, or has gone. */
  whenReady(): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
      this.response.once('drain', resolve);
    });
  }
}

/** Only reads may be refused here: a write has already happened, and its client must receive the result. */
const isRead = ({ req }: Response): boolean => req.method === 'GET' || req.method === 'HEAD';

function setHeaders(response: Response, headers: Readonly<Record<string, string>> = {}): void {
  for (const name in headers) response.setHeader(name, headers[name] as string);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** Returns the maximum number of items serialised at once. */
const atOnce = (replacer: Replacer | undefined): number =>
  replacer ? MAX_REPLACED_AT_ONCE : MAX_ITEMS_AT_ONCE;

/** Whether an object is divided, as below. */
const isLarge = (value: unknown, most: number): value is object => areLarge([value], most);

/** Whether some objects, which have the same fields, have long texts or long lists. */
const areLarge = (values: readonly unknown[], most: number): boolean =>
  haveLongTexts(values) || haveLongLists(values, most);

/** Whether the texts of some objects, but not of their parts, are longer than those that are serialised at once. */
function haveLongTexts(values: readonly unknown[]): boolean {
  let length = 0;
  for (const value of values) {
    if (!isRecord(value)) continue;
    for (const name in value) {
      const part = value[name];
      if (typeof part === 'string') length += part.length;
    }
  }
  return length > MAX_TEXTS_AT_ONCE;
}

/**
 * Whether the items of the lists in some objects, which have the same fields, are more, and have more text, than is serialised at once.
 * Most objects have so few that their texts need not be measured.
 */
function haveLongLists(values: readonly unknown[], most: number): boolean {
  const [first] = values;
  if (!isRecord(first)) return false;
  const names = Object.keys(first).filter((name) => Array.isArray(first[name]));
  if (names.length === 0) return false;
  const lists = values.flatMap((value) => (isRecord(value) ? names.map((name) => value[name]) : []));
  let items = 0;
  for (const list of lists) if (Array.isArray(list)) items += list.length;
  if (items <= Math.max(most, (most * values.length) / 2)) return false;
  let length = 0;
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const item of list as unknown[]) {
      if (!isRecord(item)) continue;
      for (const part of Object.values(item)) {
        if (typeof part === 'string' && (length += part.length) > PIECE_LENGTH) return true;
      }
    }
  }
  return false;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an upper estimate of the memory of items, in bytes; shared objects count once. */
async function memoryOf(items: readonly unknown[]): Promise<number> {
  const seen = new Set<object>();
  let bytes = 0;
  for (const item of items) {
    bytes += sizeOf(item, seen);
    if (loopTurns.isOver()) await loopTurns.nextSlice();
  }
  return bytes;
}

const sizeOfText = (text: string): number => text.length * BYTES_PER_LETTER;

function sizeOf(value: unknown, seen: Set<object>): number {
  if (typeof value === 'string') return sizeOfText(value) + BYTES_PER_VALUE;
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE;
  if (seen.has(value)) return 0;
  seen.add(value);
  let bytes = BYTES_PER_OBJECT;
  for (const part of Object.values(value)) bytes += sizeOf(part, seen);
  return bytes;
}
