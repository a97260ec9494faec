import { InvalidRequestError } from '../../errors/domain-errors';
import { type RefUpdate } from '../entities/git-push.entity';
import { NO_HASH, PULLS } from '../refs/ref-names';
import { FLUSH, pktLine, readPktLine, toReportBand } from './pkt-line';

/** Maximum number of branches and tags that one push may change: all of a repository, and as many new ones. */
export const MAX_COMMANDS = 20_000;
const MIB = 1024 * 1024;
/** Maximum number of bytes before the pack, without skipped refs: enough for 10,000 refs with the longest names. */
const MAX_SIZE = 4 * MIB;
/** Maximum number of bytes in the report about skipped refs: enough for a quarter of a million pull requests. */
const MAX_SKIPPED = 8 * MIB;
/** Number of bytes held before the pack, with the report about skipped refs, from which a push is large: about 3,000 refs. */
export const LARGE = 256 * 1024;
const TOO_LONG = `at most ${MAX_COMMANDS} branches and tags, listed in at most ${MAX_SIZE / MIB} MiB, can be pushed at once`;
const TOO_MANY_SKIPPED = `at most ${MAX_SKIPPED / MIB} MiB of refs of other hosts can be skipped at once`;
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
  /** The requested ref updates, without skipped ones; the names of the refs have not been validated. */
  updates: RefUpdate[];
  /** The capabilities of the client. */
  capabilities: readonly string[];
  /** The limit that the push exceeds, if any; `updates` then contains only the first ones. */
  excess: string | undefined;
  /** The refs of other hosts that are left out. */
  skipped: SkippedRefs;
  /** What git has to read: all bytes read so far without the skipped commands. They may include the beginning of the pack. */
  bytes: Buffer;
}

type Capable = Pick<PushCommands, 'capabilities'>;

/** Refs of other hosts that are left out of a push. */
export interface SkippedRefs {
  count: number;
  /** The name of the first one. */
  first: string;
  /** The lines of a report that accepts them. */
  report: Buffer;
}

/**
 * Reads a push up to its pack. Leaves out the refs of other hosts, such as `refs/pull/7/head`, which a mirror contains beside branches and
 * tags. They are not in the way of the limit of the commands, because only the lines of the report are kept. A push that has to succeed as a
 * whole, and one whose client reads no messages, are left as they are: git refuses these refs.
 * @param whenLarge called once, when more than `LARGE` bytes are held; nothing more is read before it resolves
 * @throws InvalidRequestError when the body is not a push
 */
export async function readPushCommands(
  body: AsyncIterator<Buffer>,
  whenLarge: () => Promise<void>,
): Promise<PushCommands> {
  const commands = new CommandList();
  const unread = new GrowingBuffer();
  let isLarge = false;
  for (let at = 0; ;) {
    const line = readPktLine(unread.bytes, at);
    if (line === 'malformed') throw malformed();
    if (line === undefined) {
      unread.drop(at);
      at = 0;
      if (commands.bytes.size + unread.size > MAX_SIZE) return commands.end(TOO_LONG);
      if (!isLarge && commands.size + unread.size > LARGE) {
        isLarge = true;
        await whenLarge();
      }
      const part = await body.next();
      if (part.done) throw malformed();
      unread.add(part.value);
    } else if (line.content === undefined) {
      commands.bytes.add(unread.bytes.subarray(at));
      return commands.end();
    } else {
      const excess = commands.add(unread.bytes.subarray(at, at + line.length), line.content);
      if (excess !== undefined) return commands.end(excess);
      at += line.length;
    }
  }
}

/** A buffer that copies each byte only a few times while it grows, however small the parts are. */
class GrowingBuffer {
  size = 0;
  private buffer = Buffer.alloc(4096);

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

  /** Removes bytes from the beginning. */
  drop(count: number): void {
    this.buffer.copyWithin(0, count, this.size);
    this.size -= count;
  }
}

/** The commands of a push that have been read so far. */
class CommandList {
  /** The bytes for git. */
  readonly bytes = new GrowingBuffer();
  private readonly updates: RefUpdate[] = [];
  private capabilities: readonly string[] | undefined;
  private skips = false;
  /** The capabilities of a skipped first line, which the first line that is left gets. */
  private moved: Buffer | undefined;
  private counted = 0;
  private readonly skipped = { count: 0, first: '', lines: new GrowingBuffer() };

  /** Number of bytes held. */
  get size(): number {
    return this.bytes.size + this.skipped.lines.size;
  }

  /** Adds a line. @returns the limit that it exceeds, if any */
  add(line: Buffer, content: Buffer): string | undefined {
    const command = commandOf(content);
    if (command === 'shallow') {
      this.bytes.add(line);
      return undefined;
    }
    const isFirst = this.capabilities === undefined;
    if (isFirst) this.readCapabilities(command.capabilities);
    if (this.skips && isOfHost(command.update)) {
      if (isFirst && command.capabilities) this.moved = Buffer.from(command.capabilities);
      return this.skip(command.update.ref);
    }
    this.bytes.add(this.moved ? pktLine(withoutBreak(command.text), this.moved) : line);
    this.moved = undefined;
    this.updates.push(command.update);
    if (!isOfHost(command.update)) this.counted++;
    return this.counted > MAX_COMMANDS ? TOO_LONG : undefined;
  }

  end(excess?: string): PushCommands {
    const { updates, capabilities = [] } = this;
    const { count, first, lines } = this.skipped;
    const skipped = { count, first, report: lines.bytes };
    return { updates, capabilities, excess, skipped, bytes: this.bytes.bytes };
  }

  private readCapabilities(text: Buffer | undefined): void {
    this.capabilities = text?.toString('utf8', 1).trim().split(' ') ?? [];
    const { capabilities } = this;
    this.skips = takesMessages({ capabilities }) && !isAtomic({ capabilities });
  }

  private skip(ref: string): string | undefined {
    const { skipped } = this;
    if (skipped.count++ === 0) skipped.first = ref;
    skipped.lines.add(okLine(ref));
    return skipped.lines.size > MAX_SKIPPED ? TOO_MANY_SKIPPED : undefined;
  }
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

/** Whether a ref belongs to a host of repositories, which writes it itself. */
const isOfHost = ({ ref }: RefUpdate): boolean => OF_HOSTS.some((prefix) => ref.startsWith(prefix));

const withoutBreak = (text: Buffer): Buffer => (text.at(-1) === 10 ? text.subarray(0, -1) : text);

/**
 * Returns the response that refuses a whole push, in the format of git's own, which git shows to its user.
 * @param reasonFor returns why a ref is refused; undefined when it is refused only because of others
 */
export function refusal(
  { updates, capabilities }: Pick<PushCommands, 'updates' | 'capabilities'>,
  reasonFor: (update: RefUpdate) => string | undefined,
  unpack = 'ok',
): Buffer {
  const lines = updates.map((update) =>
    pktLine(`ng ${printable(update.ref)} ${reasonFor(update) ?? 'refused together with the others'}\n`),
  );
  const report = Buffer.concat([pktLine(`unpack ${unpack}\n`), ...lines, FLUSH]);
  return capabilities.includes('side-band-64k') ? toReportBand(report) : report;
}

/** Returns whether either all refs or none must be changed. */
export const isAtomic = ({ capabilities }: Capable): boolean => capabilities.includes('atomic');

/** Returns the report on a push of nothing but skipped refs. */
export const reportOnSkipped = ({ report }: SkippedRefs): Buffer =>
  toReportBand(Buffer.concat([pktLine('unpack ok\n'), report, FLUSH]));

/** Returns the line of a report that accepts a ref. */
const okLine = (ref: string): Buffer => pktLine(`ok ${ref}\n`);

/** Returns whether the client shows messages beside the report. */
export const takesMessages = ({ capabilities }: Capable): boolean => capabilities.includes('side-band-64k');

/** Returns whether the client reads a report. */
export const takesReport = ({ capabilities }: Capable): boolean =>
  capabilities.some((name) => name === 'report-status' || name === 'report-status-v2');

/** Returns whether an update creates a ref. */
export const isCreation = ({ oldHash, newHash }: RefUpdate): boolean =>
  oldHash === NO_HASH && newHash !== NO_HASH;

/** Returns whether an update deletes a ref. */
export const isDeletion = ({ newHash }: RefUpdate): boolean => newHash === NO_HASH;

// oxlint-disable-next-line no-control-regex -- they would end the line, or confuse a terminal
const printable = (ref: string): string => ref.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, 1000);

const malformed = (): InvalidRequestError =>
  new InvalidRequestError('The request body is not a push of git.');
