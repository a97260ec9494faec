import { open, readFile } from 'node:fs/promises';
import { isMissing } from '../errors/missing-file';

const BYTES_PER_ID = 8;
/** Number of ids written at once. */
const IDS_AT_ONCE = 8192;

/** Writes the ids of a kind, which ascend. They are durable once the promise of `end` has resolved, and the folder has been synced. */
export class IdWriter {
  private readonly ids: number[] = [];
  private file?: Awaited<ReturnType<typeof open>>;
  count = 0;

  constructor(private readonly path: string) {}

  async add(id: number): Promise<void> {
    this.ids.push(id);
    this.count++;
    if (this.ids.length >= IDS_AT_ONCE) await this.flush();
  }

  async end(): Promise<void> {
    try {
      await this.flush();
      await this.file?.sync();
    } finally {
      await this.file?.close();
    }
  }

  private async flush(): Promise<void> {
    if (this.ids.length === 0) return;
    this.file ??= await open(this.path, 'w', 0o600);
    await this.file.writeFile(Buffer.from(Float64Array.from(this.ids.splice(0)).buffer));
  }
}

/** Returns the ids that an `IdWriter` has written, without a last one that is not complete. */
export async function readIds(path: string): Promise<Float64Array> {
  try {
    const bytes = await readFile(path);
    return new Float64Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / BYTES_PER_ID));
  } catch (error) {
    if (isMissing(error)) return new Float64Array(0);
    throw error;
  }
}
