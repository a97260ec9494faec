import { isFullDisk } from '../../git/git-errors';
import { FLUSH, pktLine, readPktLine, toReportBand } from './pkt-line';

const REPORT = 1;
const NOTHING = Buffer.alloc(0);
/** Number of characters of git's messages that are searched together with the next ones. */
const OVERLAP = 40;

/** How the client's report differs from git's. */
export interface ReportChanges {
  /** Lines about refs that git has not seen. */
  added: Buffer;
  /** Returns why a ref is refused, in place of git's own reason; undefined = git's own. */
  reasonFor: (ref: string) => string | undefined;
}

/**
 * Git's output about a push: passes its messages on at once, and holds the report of the refs back until they are on disk and recorded.
 */
export class PushReport {
  /** Whether git has reported a full disk. */
  isDiskFull = false;
  private rest: Buffer = NOTHING;
  private readonly held: Buffer[] = [];
  private hasEnd = false;
  private messages = '';

  /** @param isBanded whether messages and report are multiplexed (`side-band-64k`); otherwise there is only the report */
  constructor(private isBanded: boolean) {}

  /** Takes output of git. Returns the part that is sent at once. */
  take(chunk: Buffer): Buffer {
    if (!this.isBanded) {
      this.held.push(chunk);
      return NOTHING;
    }
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const passed: Buffer[] = [];
    let at = 0;
    for (;;) {
      const line = readPktLine(bytes, at);
      if (line === undefined) break;
      if (line === 'malformed') {
        // Not multiplexed after all.
        this.isBanded = false;
        this.held.push(Buffer.from(bytes.subarray(at)));
        this.rest = NOTHING;
        return Buffer.concat(passed);
      }
      if (this.isPassed(line.content)) passed.push(bytes.subarray(at, at + line.length));
      at += line.length;
    }
    this.rest = Buffer.from(bytes.subarray(at));
    return Buffer.concat(passed);
  }

  /** Returns what has been held back, with changes. */
  end(changes: ReportChanges): Buffer {
    const report = changed(Buffer.concat(this.held), changes);
    if (!this.isBanded) return report;
    // Without its end, the client does not take the report for a whole one.
    return this.hasEnd ? toReportBand(report) : NOTHING;
  }

  private isPassed(content: Buffer | undefined): boolean {
    if (content === undefined) {
      this.hasEnd = true;
      return false;
    }
    if (content[0] !== REPORT) {
      this.search(content.toString('utf8', 1));
      return true;
    }
    // An empty one keeps the connection alive.
    if (content.length === 1) return true;
    this.held.push(Buffer.from(content.subarray(1)));
    return false;
  }

  private search(text: string): void {
    const all = this.messages + text;
    if (isFullDisk(all)) this.isDiskFull = true;
    this.messages = all.slice(-OVERLAP);
  }
}

/** Changes the lines of a report. Anything that is no report is returned as it is. */
function changed(report: Buffer, { added, reasonFor }: ReportChanges): Buffer {
  const lines: Buffer[] = [];
  for (let at = 0; at < report.length;) {
    const line = readPktLine(report, at);
    if (line === undefined || line === 'malformed') return report;
    if (line.content === undefined) {
      return Buffer.concat([...lines, added, FLUSH, report.subarray(at + line.length)]);
    }
    const [, ref] = /^ng (\S+) /.exec(line.content.toString('utf8')) ?? [];
    const reason = ref === undefined ? undefined : reasonFor(ref);
    lines.push(
      reason === undefined ? report.subarray(at, at + line.length) : pktLine(`ng ${ref} ${reason}\n`),
    );
    at += line.length;
  }
  return report;
}
