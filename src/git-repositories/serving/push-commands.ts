import { InvalidRequestError } from '../../errors/domain-errors';
import { type RefUpdate } from '../entities/git-push.entity';
import { NO_HASH, PULLS } from '../refs/ref-names';
import { FLUSH, onReportBand, pktLine, readPktLine } from './pkt-line';

/** Maximum number of branches and tags that one push may change: all of a repository, and as many new ones. */
export const MAX_COMMANDS = 20_000;
/** Maximum number of bytes before the pack: enough for 10,000 refs with the longest names. */
const MAX_SIZE = 4 * 1024 * 1024;
/** Refs that hosts of repositories write for their own pages, and that are therefore in every mirror of their repositories. */
const OF_HOSTS = [
  PULLS,
  'refs/pull-requests/',
  'refs/merge-requests/',
  'refs/changes/',
  'refs/keep-around/',
  'refs/pipelines/',
  'refs/environments/',
];
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
  let counted = 0;
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
    } else {
      at += line.length;
      const update = takeLine(push, line.content);
      if (update && !isOfHost(update) && ++counted > MAX_COMMANDS)
        return { ...push, isTooLong: true, bytes: read.bytes };
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

/** Adds the update of a line, if it is not about a shallow clone, and returns it. */
function takeLine(push: PushCommands, content: Buffer): RefUpdate | undefined {
  const command = commandOf(content);
  if (command === 'shallow') return undefined;
  if (command.capabilities && push.updates.length === 0)
    push.capabilities = command.capabilities.toString('utf8', 1).trim().split(' ');
  push.updates.push(command.update);
  return command.update;
}

/** A line that changes a ref. */
interface Command {
  update: RefUpdate;
  /** The bytes of the line without its capabilities. */
  text: Buffer;
  /** The capabilities with the NUL before them. */
  capabilities: Buffer | undefined;
}

/** Parses the content of a line. @throws InvalidRequestError when it is malformed */
function commandOf(content: Buffer): Command | 'shallow' {
  const nul = content.indexOf(0);
  const text = nul === -1 ? content : content.subarray(0, nul);
  const line = text.toString('utf8');
  if (nul === -1 && SHALLOW.test(line)) return 'shallow';
  const [, oldHash, newHash, ref] = COMMAND.exec(line.replace(/\n$/, '')) ?? [];
  if (oldHash === undefined || newHash === undefined || ref === undefined) throw malformed();
  const capabilities = nul === -1 ? undefined : content.subarray(nul);
  return { update: { ref, oldHash, newHash }, text, capabilities };
}

/** A push without the refs that are skipped, and their names. */
export interface ReducedPush {
  push: PushCommands;
  skipped: readonly string[];
}

/**
 * Leaves out the refs of other hosts, such as `refs/pull/7/head`, which a mirror contains beside branches and tags. A push that has to succeed
 * as a whole, and one whose client reads no messages, are left as they are: git refuses these refs.
 */
export function withoutRefsOfHosts(push: PushCommands): ReducedPush {
  const { updates, bytes, isTooLong } = push;
  const skipped = updates.filter(isOfHost).map(({ ref }) => ref);
  if (isTooLong || isAtomic(push) || skipped.length === 0 || !takesMessages(push))
    return { push, skipped: [] };
  const rest = updates.filter((update) => !isOfHost(update));
  return { push: { ...push, updates: rest, bytes: bytesWithoutRefsOfHosts(bytes) }, skipped };
}

/** Whether a ref belongs to a host of repositories, which writes it itself. */
const isOfHost = ({ ref }: RefUpdate): boolean => OF_HOSTS.some((prefix) => ref.startsWith(prefix));

/** Removes the lines of these refs. The first line that remains gets the capabilities of the first line. */
function bytesWithoutRefsOfHosts(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let moved: Buffer | undefined;
  let isFirst = true;
  for (let at = 0; ;) {
    const line = readPktLine(bytes, at);
    if (line === undefined || line === 'malformed') throw malformed();
    if (line.content === undefined) return Buffer.concat([...kept, bytes.subarray(at)]);
    const command = commandOf(line.content);
    if (command === 'shallow') {
      kept.push(bytes.subarray(at, at + line.length));
    } else if (isOfHost(command.update)) {
      if (isFirst) moved = command.capabilities;
      isFirst = false;
    } else {
      kept.push(moved ? pktLine(withoutBreak(command.text), moved) : bytes.subarray(at, at + line.length));
      moved = undefined;
      isFirst = false;
    }
    at += line.length;
  }
}

const withoutBreak = (text: Buffer): Buffer => (text.at(-1) === 10 ? text.subarray(0, -1) : text);

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

/** Returns whether either all refs or none must be changed. */
export const isAtomic = ({ capabilities }: PushCommands): boolean => capabilities.includes('atomic');

/** Returns the report on a push of nothing but skipped refs. */
export const reportOnSkipped = (skipped: readonly string[]): Buffer =>
  onReportBand(
    Buffer.concat([pktLine('unpack ok\n'), ...skipped.map((ref) => pktLine(`ok ${ref}\n`)), FLUSH]),
  );

/** Returns whether the client shows messages beside the report. */
export const takesMessages = ({ capabilities }: PushCommands): boolean =>
  capabilities.includes('side-band-64k');

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
