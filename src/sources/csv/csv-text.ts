import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { SourceError } from '../source.error';

const CHUNK = 64 * 1024;
const LINE_FEED = 10;

/** A text file, as errors name it, and its encoding as `TextDecoder` names it; by default what its first bytes say, or UTF-8. */
export interface TextFile {
  path: string;
  encoding?: string;
}

/** Whether `TextDecoder` knows an encoding. */
export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label, { fatal: true }).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * Yields the text of a file in parts, with line feeds as its only line breaks.
 * @throws SourceError that names the line, if the bytes are none of the encoding, or have a NUL character
 */
export async function* readText({ path, encoding }: TextFile): AsyncGenerator<string> {
  const bytes = createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>;
  let decoder: TextDecoder | undefined;
  let line = 1;
  let endsInReturn = false;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(encoding ?? encodingOf(chunk), { fatal: true });
    const text = decode(decoder, chunk);
    if (text === undefined)
      throw notEncoded(path, decoder.encoding, line + linesBefore(chunk, decoder.encoding));
    // The line feed of a line break whose first half ended the part before.
    const rest = endsInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endsInReturn = text.endsWith('\r');
    const normal = rest.replace(/\r\n?/g, '\n');
    const nul = normal.indexOf('\0');
    if (nul !== -1) {
      throw new SourceError(
        `${path}, line ${line + countLines(normal.slice(0, nul))}, has a NUL character: is another encoding needed, such as utf-16le?`,
      );
    }
    line += countLines(normal);
    if (normal !== '') yield normal;
  }
  if (decoder && decode(decoder) === undefined) throw notEncoded(path, decoder.encoding, line);
}

/** Returns the encoding that the first bytes of a file name. */
function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** Returns the text of bytes; undefined if they are none of the encoding. @param isPart whether more may follow */
function decode(decoder: TextDecoder, bytes?: Buffer, isPart = bytes !== undefined): string | undefined {
  try {
    return decoder.decode(bytes, { stream: isPart });
  } catch {
    return undefined;
  }
}

/**
 * Returns how many lines are before the first that has a fault. Other than UTF-16, no encoding has the byte of a line feed in another
 * character. The first line may begin within a character, so that it is at fault if no other is.
 */
function linesBefore(chunk: Buffer, encoding: string): number {
  if (encoding.startsWith('utf-16')) return 0;
  for (let line = 1, at = chunk.indexOf(LINE_FEED); at !== -1; line++) {
    const next = chunk.indexOf(LINE_FEED, at + 1);
    const bytes = chunk.subarray(at + 1, next === -1 ? chunk.length : next);
    if (decode(new TextDecoder(encoding, { fatal: true }), bytes, next === -1) === undefined) return line;
    at = next;
  }
  return 0;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const notEncoded = (path: string, encoding: string, line: number): SourceError =>
  new SourceError(
    `${path}, line ${line}, is not ${encoding}: name the encoding in the map, such as encoding: shift_jis.`,
  );
