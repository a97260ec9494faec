import * as fc from 'fast-check';
import { FLUSH, KEEP_ALIVE, messageLine, pktLine, readPktLine, toReportBand } from './pkt-line';
import { PushReport, type ReportChanges } from './push-report';

const UNCHANGED: ReportChanges = { added: Buffer.alloc(0), reasonFor: () => undefined };
const REPORT = Buffer.concat([
  pktLine('unpack ok\n'),
  pktLine('ok refs/heads/main\n'),
  pktLine('ng refs/heads/lost deny updating a hidden ref\n'),
  FLUSH,
]);

/** Passes output in parts, and returns what was sent at once and at the end. */
function pass(bytes: Buffer, changes = UNCHANGED, size = bytes.length, isBanded = true): [Buffer, Buffer] {
  const report = new PushReport(isBanded);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) passed.push(report.take(bytes.subarray(at, at + size)));
  return [Buffer.concat(passed), report.end(changes)];
}

/** Returns the report of a multiplexed response. */
function reportIn(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const line = readPktLine(bytes, at);
    if (line === undefined || line === 'malformed') throw new Error('malformed');
    if (line.content?.[0] === 1) parts.push(line.content.subarray(1));
    at += line.length;
  }
  return Buffer.concat(parts);
}

describe(PushReport.name, () => {
  it('passes messages on and holds the report back until the end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 50 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 2000 }),
        (texts, size) => {
          const messages = Buffer.concat([...texts.map(messageLine), KEEP_ALIVE]);
          const [passed, end] = pass(Buffer.concat([messages, toReportBand(REPORT)]), UNCHANGED, size);
          expect(passed).toEqual(messages);
          expect(reportIn(end)).toEqual(REPORT);
          expect(end.subarray(-4)).toEqual(FLUSH);
        },
      ),
    );
  });

  it('adds lines to the report and replaces reasons for rejections', () => {
    const changes: ReportChanges = {
      added: pktLine('ok refs/pull/1/head\n'),
      reasonFor: (ref) => (ref === 'refs/heads/lost' ? 'it is damaged' : undefined),
    };
    const changed = Buffer.concat([
      pktLine('unpack ok\n'),
      pktLine('ok refs/heads/main\n'),
      pktLine('ng refs/heads/lost it is damaged\n'),
      pktLine('ok refs/pull/1/head\n'),
      FLUSH,
    ]);
    expect(reportIn(pass(toReportBand(REPORT), changes)[1])).toEqual(changed);
    expect(pass(REPORT, changes, REPORT.length, false)).toEqual([Buffer.alloc(0), changed]);
  });

  it('passes other output unchanged and drops an incomplete report', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isBanded) => {
        const [passed, end] = pass(Buffer.from(bytes), UNCHANGED, 7, isBanded);
        if (!isBanded) expect(Buffer.concat([passed, end])).toEqual(Buffer.from(bytes));
      }),
    );
    const cut = toReportBand(REPORT).subarray(0, -4);
    expect(pass(cut)).toEqual([Buffer.alloc(0), Buffer.alloc(0)]);
  });

  it('recognizes a full disk from messages in chunks of any size', () => {
    for (const size of [1, 20, 1000]) {
      const report = new PushReport(true);
      const text = messageLine('fatal: write error: No space left on device');
      for (let at = 0; at < text.length; at += size) report.take(text.subarray(at, at + size));
      expect(report.isDiskFull).toBe(true);
    }
    expect(new PushReport(true).isDiskFull).toBe(false);
  });
});
