/** The pkt-lines of git's protocol: four hexadecimal digits with the total length, followed by a text. */

const HEAD = 4;
const MAX_LENGTH = 65520;
/** The pkt-line that ends a list. */
export const FLUSH = Buffer.from('0000');
/** Maximum size of a text on a band of a multiplexed response, in bytes. */
const MAX_BAND = 999;
const REPORT_BAND = Buffer.from([1]);
const MESSAGE_BAND = Buffer.from([2]);
/** An empty text on the first band, which keeps a connection alive. */
export const KEEP_ALIVE = pktLine(REPORT_BAND);

/** Returns a pkt-line with a text. */
export function pktLine(...parts: (string | Buffer)[]): Buffer {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), HEAD);
  const line = Buffer.allocUnsafe(length);
  let at = line.write(length.toString(16).padStart(HEAD, '0'));
  for (const part of parts) at += typeof part === 'string' ? line.write(part, at) : part.copy(line, at);
  return line;
}

/** Wraps bytes for the first band of a multiplexed response. */
export function toReportBand(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_BAND)
    lines.push(pktLine(REPORT_BAND, bytes.subarray(at, at + MAX_BAND)));
  return Buffer.concat([...lines, FLUSH]);
}

/** Returns a line that git shows to its user after `remote:`. At most 900 bytes. */
export const messageLine = (text: string): Buffer => pktLine(MESSAGE_BAND, `${text}\n`);

/** A parsed pkt-line. */
export interface PktLine {
  /** Undefined for the one that ends a list. */
  content: Buffer | undefined;
  /** Length including the header. */
  length: number;
}

/**
 * Parses the pkt-line at a position.
 * @returns undefined when more bytes are needed; `malformed` when there is no pkt-line at the position
 */
export function readPktLine(bytes: Buffer, at: number): PktLine | 'malformed' | undefined {
  if (bytes.length < at + HEAD) return undefined;
  const head = bytes.toString('latin1', at, at + HEAD);
  if (!/^[0-9a-f]{4}$/i.test(head)) return 'malformed';
  const length = Number.parseInt(head, 16);
  if (length === 0) return { content: undefined, length: HEAD };
  if (length < HEAD || length > MAX_LENGTH) return 'malformed';
  if (bytes.length < at + length) return undefined;
  return { content: bytes.subarray(at + HEAD, at + length), length };
}
