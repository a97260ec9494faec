import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { lengthOfWholeCharacters } from './git-reader.service';

/** Maximum number of bytes read before they are sent, to determine whether they are UTF-8. */
export const MAX_EXAMINED = 1024 * 1024;
/** Number of bytes examined to detect text, as in git. */
const EXAMINED_BYTES = 8000;
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

/** Returns whether a file is text: judged by its first bytes, as in git, whatever the name. */
export const isText = (start: Buffer): boolean => !start.subarray(0, EXAMINED_BYTES).includes(0);

/** Finds out whether a text is UTF-8 that arrives in parts. */
class Utf8Check {
  private rest: Buffer = NOTHING;
  private isValid = true;

  /** @returns whether the text can still be UTF-8 */
  add(chunk: Buffer): boolean {
    if (!this.isValid) return false;
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const end = lengthOfWholeCharacters(bytes);
    this.isValid = isUtf8(bytes.subarray(0, end));
    this.rest = Buffer.from(bytes.subarray(end));
    return this.isValid;
  }

  /** Returns whether the whole text was UTF-8. */
  end(): boolean {
    return this.isValid && this.rest.length === 0;
  }
}

/** The beginning of a file or a text. */
export interface Beginning {
  /** All that has been read. */
  bytes: Buffer;
  /** Whether the whole is UTF-8; undefined if that is not known, because there may be more. */
  isUtf8: boolean | undefined;
}

/** Reads the beginning of a file or a text, or all of it up to `MAX_EXAMINED`. */
export async function readBeginning(chunks: AsyncIterator<Buffer>): Promise<Beginning> {
  const check = new Utf8Check();
  const read: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = await chunks.next();
    if (chunk.done) return { bytes: Buffer.concat(read), isUtf8: check.end() };
    read.push(chunk.value);
    // The result must not depend on the sizes of the chunks.
    const canBeUtf8 = check.add(chunk.value.subarray(0, MAX_EXAMINED - size));
    size += chunk.value.length;
    if (size > MAX_EXAMINED) return { bytes: Buffer.concat(read), isUtf8: canBeUtf8 ? undefined : false };
  }
}

/**
 * Reads the beginning of a stream.
 * @param judge gets the beginning
 * @returns a stream of the whole, which fails as soon as the given one does, and closes it
 * @throws the error of the stream, if it fails before
 */
export async function examineStream(
  source: Readable,
  judge: (beginning: Beginning) => void | Promise<void>,
): Promise<Readable> {
  try {
    const chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    const beginning = await readBeginning(chunks);
    await judge(beginning);
    const whole = Readable.from(all(beginning.bytes, chunks), { objectMode: false });
    source.once('error', (error) => whole.destroy(error));
    whole.once('close', () => source.destroy());
    return whole;
  } catch (error) {
    source.destroy();
    throw error;
  }
}

async function* all(beginning: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (beginning.length > 0) yield beginning;
  for (let chunk = await rest.next(); !chunk.done; chunk = await rest.next()) yield chunk.value;
}

/** A generated text, whose content type is known once its beginning has been read. */
export class GeneratedText {
  private isUtf8 = false;

  /** The content type. It names an encoding only if the whole text is known to have it. */
  readonly contentType = (): string => textType(this.isUtf8 ? 'utf-8' : undefined);

  /** Reads the beginning of a text. Returns the whole text. @throws the error of the stream, if it fails before it is returned */
  examine(text: Readable): Promise<Readable> {
    return examineStream(text, ({ isUtf8 }) => {
      this.isUtf8 = isUtf8 === true;
    });
  }
}
