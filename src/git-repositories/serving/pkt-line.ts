/** The pkt-lines of git's protocol: four hexadecimal digits with the length of all, and a text. */

const HEAD = 4;
const MAX_LENGTH = 65520;
/** Ends a list of pkt-lines. */
export const FLUSH = Buffer.from('0000');
/** Most bytes of a text on a band of a multiplexed answer. */
const MAX_BAND = 999;
const REPORT_BAND = Buffer.from([1]);

/** A pkt-line with a text. */
export function pktLine(...parts: (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = (content.length + HEAD).toString(16).padStart(HEAD, '0');
  return Buffer.concat([Buffer.from(length), content]);
}

/** The same bytes on the first band of a multiplexed answer. */
export function onReportBand(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_BAND)
    lines.push(pktLine(REPORT_BAND, bytes.subarray(at, at + MAX_BAND)));
  return Buffer.concat([...lines, FLUSH]);
}

/** A pkt-line at the start of some bytes. */
export interface PktLine {
  /** Undefined for one that ends a list. */
  content: Buffer | undefined;
  /** With its head. */
  length: number;
}

/**
 * The pkt-line that begins at a place in some bytes.
 * @returns undefined when more bytes are needed; `malformed` when no pkt-line begins there
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
