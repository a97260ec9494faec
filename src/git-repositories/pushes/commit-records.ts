import { type Readable } from 'node:stream';

/** Maximum number of bytes kept of a field. */
export const MAX_FIELD = 16 * 1024;

/**
 * Parses the output of git into records of NUL-terminated fields. Only the beginning of a long field is kept, so that a message of
 * many megabytes takes no memory.
 * @param count number of fields of a record
 */
export class CommitRecords {
  readonly records: string[][] = [];
  private fields: string[] = [];
  private parts: Buffer[] = [];
  private kept = 0;

  constructor(private readonly count: number) {}

  add(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0, start);
      this.keep(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.endField();
      start = end + 1;
    }
  }

  private keep(part: Buffer): void {
    const room = MAX_FIELD - this.kept;
    if (room <= 0 || part.length === 0) return;
    // Copied, so that the rest of the chunk can be freed.
    this.parts.push(Buffer.from(part.subarray(0, room)));
    this.kept += Math.min(room, part.length);
  }

  private endField(): void {
    // Git separates records by line breaks.
    const text = Buffer.concat(this.parts).toString('utf8');
    this.fields.push(this.fields.length === 0 ? text.trimStart() : text);
    this.parts = [];
    this.kept = 0;
    if (this.fields.length < this.count) return;
    this.records.push(this.fields);
    this.fields = [];
  }
}

/** Reads records until git exits or has printed more than `maxBytes`. @returns whether the output was complete */
export async function readRecords(
  stdout: Readable,
  records: CommitRecords,
  maxBytes: number,
): Promise<boolean> {
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    records.add(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) return false;
  }
  return true;
}
