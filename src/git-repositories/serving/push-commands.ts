import { InvalidRequestError } from '../../errors/domain-errors';
import { type RefUpdate } from '../entities/git-push.entity';
import { NO_HASH } from '../refs/git-refs.service';
import { FLUSH, onReportBand, pktLine, readPktLine } from './pkt-line';

/** Maximum number of refs that one push may change. */
export const MAX_COMMANDS = 1000;
/** Maximum number of bytes before the pack. */
const MAX_SIZE = 1024 * 1024;
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/s;
const SHALLOW = /^shallow [0-9a-f]{40}\n?$/;

/** The part of a push before its pack. */
export interface PushCommands {
  /** The requested ref updates; the names of the refs have not been validated. */
  updates: RefUpdate[];
  /** The capabilities of the client. */
  capabilities: readonly string[];
  /** Whether the push has too many commands, or too many bytes before its pack; `updates` then contains only the first ones. */
  isTooLong: boolean;
  /** All bytes read so far; they may include the beginning of the pack. */
  bytes: Buffer;
}

/**
 * Reads a push up to its pack.
 * @throws InvalidRequestError when the body is not a push
 */
export async function readPushCommands(body: AsyncIterator<Buffer>): Promise<PushCommands> {
  const push: PushCommands = { updates: [], capabilities: [], isTooLong: false, bytes: Buffer.alloc(0) };
  const read = new ReadBytes();
  for (let at = 0; ;) {
    const line = readPktLine(read.bytes, at);
    if (line === 'malformed') throw malformed();
    if (line === undefined) {
      if (read.bytes.length > MAX_SIZE) return { ...push, isTooLong: true, bytes: read.bytes };
      const part = await body.next();
      if (part.done) throw malformed();
      read.add(part.value);
    } else if (line.content === undefined) {
      return { ...push, bytes: read.bytes };
    } else if (push.updates.length === MAX_COMMANDS) {
      return { ...push, isTooLong: true, bytes: read.bytes };
    } else {
      at += line.length;
      takeLine(push, line.content);
    }
  }
}

/** A growing buffer that copies each byte only a few times, however small the parts are. */
class ReadBytes {
  private buffer = Buffer.alloc(4096);
  private size = 0;

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.size);
  }

  add(part: Buffer): void {
    const size = this.size + part.length;
    if (size > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.buffer.length));
      this.buffer.copy(larger, 0, 0, this.size);
      this.buffer = larger;
    }
    part.copy(this.buffer, this.size);
    this.size = size;
  }
}

function takeLine(push: PushCommands, content: Buffer): void {
  const nul = content.indexOf(0);
  const text = content.toString('utf8', 0, nul === -1 ? content.length : nul);
  if (nul === -1 && SHALLOW.test(text)) return;
  const [, oldHash, newHash, ref] = COMMAND.exec(text.replace(/\n$/, '')) ?? [];
  if (oldHash === undefined || newHash === undefined || ref === undefined) throw malformed();
  if (nul !== -1 && push.updates.length === 0)
    push.capabilities = content
      .toString('utf8', nul + 1)
      .trim()
      .split(' ');
  push.updates.push({ ref, oldHash, newHash });
}

/**
 * Returns the response that refuses a whole push, in the format of git's own, which git shows to its user.
 * @param reasonFor returns why a ref is refused; undefined when it is refused only because of others
 */
export function refusal(
  { updates, capabilities }: PushCommands,
  reasonFor: (update: RefUpdate) => string | undefined,
  unpack = 'ok',
): Buffer {
  const lines = updates.map((update) =>
    pktLine(`ng ${printable(update.ref)} ${reasonFor(update) ?? 'refused together with the others'}\n`),
  );
  const report = Buffer.concat([pktLine(`unpack ${unpack}\n`), ...lines, FLUSH]);
  return capabilities.includes('side-band-64k') ? onReportBand(report) : report;
}

/** Returns whether the client reads a report. */
export const takesReport = ({ capabilities }: PushCommands): boolean =>
  capabilities.some((name) => name === 'report-status' || name === 'report-status-v2');

/** Returns whether an update creates a ref. */
export const isCreation = ({ oldHash, newHash }: RefUpdate): boolean =>
  oldHash === NO_HASH && newHash !== NO_HASH;

/** Returns whether an update deletes a ref. */
export const isDeletion = ({ newHash }: RefUpdate): boolean => newHash === NO_HASH;

// eslint-disable-next-line no-control-regex -- they would end the line, or confuse a terminal
const printable = (ref: string): string => ref.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, 1000);

const malformed = (): InvalidRequestError =>
  new InvalidRequestError('The request body is not a push of git.');
