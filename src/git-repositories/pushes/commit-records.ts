import { type Readable } from 'node:stream';

/** Longest part of a field that is kept, in bytes. */
export const MAX_FIELD = 16 * 1024;

/**
 * Takes records of fields that end with NUL from what git prints. Of a long field the beginning is kept, so that a message of
 * many megabytes takes no memory.
 * @param count the fields of a record
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
    // Copied, so that the rest of the chunk is not kept along with it.
    this.parts.push(Buffer.from(part.subarray(0, room)));
    this.kept += Math.min(room, part.length);
  }

  private endField(): void {
    // Git separates records with a line break.
    const text = Buffer.concat(this.parts).toString('utf8');
    this.fields.push(this.fields.length === 0 ? text.trimStart() : text);
    this.parts = [];
    this.kept = 0;
    if (this.fields.length < this.count) return;
    this.records.push(this.fields);
    this.fields = [];
  }
}

/** Reads records until git ends, or has printed so many bytes. @returns whether that was all */
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
