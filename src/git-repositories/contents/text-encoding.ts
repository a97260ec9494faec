import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { wholeCharacters } from './git-reader.service';

/** Maximum size of a text that is read before it is sent, to find out whether it is UTF-8, in bytes. */
const MAX_EXAMINED = 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const PLAIN = 'text/plain';

/** Returns the content type of a text. @param charset undefined when it is not known */
export const textType = (charset: string | undefined): string =>
  charset === undefined ? PLAIN : `${PLAIN}; charset=${charset}`;

/** Returns the name of an encoding as `TextDecoder` knows it; undefined for an unknown one. */
export function knownEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Finds out whether a text is UTF-8 that arrives in parts. */
export class Utf8Check {
  private rest: Buffer = NOTHING;
  private isValid = true;

  /** @returns whether the text can still be UTF-8 */
  add(chunk: Buffer): boolean {
    if (!this.isValid) return false;
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const end = wholeCharacters(bytes);
    this.isValid = isUtf8(bytes.subarray(0, end));
    this.rest = Buffer.from(bytes.subarray(end));
    return this.isValid;
  }

  /** Returns whether the whole text was UTF-8. */
  end(): boolean {
    return this.isValid && this.rest.length === 0;
  }
}

/** A generated text, whose content type is known once its beginning has been read. */
export class GeneratedText {
  private isUtf8 = false;

  /** The content type. It names an encoding only if the whole text is known to have it. */
  readonly contentType = (): string => textType(this.isUtf8 ? 'utf-8' : undefined);

  /** Reads the beginning of a text. Returns the whole text. @throws the error of the stream, if it fails before it is returned */
  async examine(text: Readable): Promise<Readable> {
    const check = new Utf8Check();
    const read: Buffer[] = [];
    let size = 0;
    const chunks = (text as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    for (;;) {
      const chunk = await chunks.next();
      if (chunk.done) {
        this.isUtf8 = check.end();
        return Readable.from(read, { objectMode: false });
      }
      read.push(chunk.value);
      size += chunk.value.length;
      if (!check.add(chunk.value) || size > MAX_EXAMINED)
        return Readable.from(all(read, chunks), { objectMode: false });
    }
  }
}

async function* all(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* read;
    for (let chunk = await rest.next(); !chunk.done; chunk = await rest.next()) yield chunk.value;
  } finally {
    await rest.return?.();
  }
}
