import { type Response } from 'express';
import { loopTurns } from '../../event-loop/loop-turns';
import { type PendingAnswers } from './pending-answers';
import { onResponseEnd } from './response-end';

/** The length of JSON text, in characters, at which a piece is sent. */
const PIECE_LENGTH = 64 * 1024;
/** Items serialised at once: one by one costs a small list a fifth more, and ten of the largest take 20 ms. */
const MAX_ITEMS_AT_ONCE = 10;
/** How long adding up the memory of an answer may take before others have their turn, in milliseconds. */
const MAX_TURN_MS = 10;
const BYTES_PER_LETTER = 2;
const BYTES_PER_OBJECT = 64;
const BYTES_PER_VALUE = 16;

/**
 * Sends JSON: a small value as one text with its length, a long list in pieces, each serialised once the client has taken the
 * one before, so that no answer is ever in memory as a whole.
 */
export class JsonWriter {
  constructor(private readonly pending: PendingAnswers) {}

  /**
   * @param headers set once it is certain that the answer will be sent
   * @returns a promise when the answer goes in pieces; resolved when it is sent or the client is gone
   * @throws TooManyRequestsError when the client does not read its answers; nothing has been sent then
   */
  send(response: Response, value: unknown, headers?: Readonly<Record<string, string>>): Promise<void> | void {
    if (!Array.isArray(value)) {
      this.sendText(response, JSON.stringify(value), headers);
      return;
    }
    const pieces = new ListPieces(value);
    const first = pieces.next();
    if (!pieces.isDone) return this.sendPieces(response, value, first, pieces, headers);
    this.sendText(response, first, headers);
  }

  /** A text and not a buffer, so that Node sends head and body in one piece. */
  private sendText(response: Response, text: string, headers: Readonly<Record<string, string>> = {}): void {
    const length = Buffer.byteLength(text);
    // It is not sent in pieces, but a hundred of its kind at once would keep everything else waiting as well.
    if (length > PIECE_LENGTH) loopTurns.noteLongWork();
    if (this.pending.isAny && isRead(response)) this.pending.admit(response.req, length);
    setHeaders(response, headers);
    response.setHeader('Content-Length', length);
    response.end(response.req.method === 'HEAD' ? undefined : text);
    if (response.writableLength > 0) this.pending.hold(response, length);
  }

  private async sendPieces(
    response: Response,
    items: readonly unknown[],
    first: string,
    rest: ListPieces,
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
    const held = this.pending.hold(response, bytes + sizeOfText(first));
    let piece = first;
    while (!rest.isDone) {
      held.grow(bytes + sizeOfText(piece));
      if (!response.write(piece)) await client.whenReady();
      await loopTurns.nextSlice();
      if (client.isGone()) return;
      piece = rest.next();
    }
    response.end(piece);
  }
}

/** The JSON of a list, split between items. */
class ListPieces {
  private index = 0;
  /** Characters of JSON so far. */
  private made = 0;

  constructor(private readonly items: readonly unknown[]) {}

  /** Whether the last piece has been made. */
  get isDone(): boolean {
    return this.index >= this.items.length;
  }

  next(): string {
    let text = '';
    do {
      const isFirst = this.index === 0;
      const part = JSON.stringify(this.take());
      this.made += part.length;
      // Without its brackets, but for those of the whole list.
      text += (isFirst ? '' : ',') + part.slice(isFirst ? 0 : 1, this.isDone ? undefined : -1);
    } while (!this.isDone && text.length < PIECE_LENGTH);
    return text;
  }

  /** As many items as make a piece by the length of those before; the first alone, unless there are few. */
  private take(): readonly unknown[] {
    const { items, index, made } = this;
    if (index === 0 && items.length <= MAX_ITEMS_AT_ONCE / 2) {
      this.index = items.length;
      return items;
    }
    const count = Math.max(1, Math.min(MAX_ITEMS_AT_ONCE, Math.floor((PIECE_LENGTH * index) / (made + 1))));
    this.index = index + count;
    return items.slice(index, this.index);
  }
}

/** The client that an answer is sent to, piece by piece. */
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

  /** Resolves when the client has taken everything written so far, or is gone. */
  whenReady(): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
      this.response.once('drain', resolve);
    });
  }
}

/** Only reads may be refused here: a write has already happened, and its client must learn the result. */
const isRead = ({ req }: Response): boolean => req.method === 'GET' || req.method === 'HEAD';

function setHeaders(response: Response, headers: Readonly<Record<string, string>> = {}): void {
  for (const name in headers) response.setHeader(name, headers[name] as string);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** An upper estimate of the bytes that items take in memory; objects that several of them share count once. */
async function memoryOf(items: readonly unknown[]): Promise<number> {
  const seen = new Set<object>();
  let bytes = 0;
  let turnStarted = performance.now();
  for (const item of items) {
    bytes += sizeOf(item, seen);
    if (performance.now() - turnStarted > MAX_TURN_MS) {
      await loopTurns.nextSlice();
      turnStarted = performance.now();
    }
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
