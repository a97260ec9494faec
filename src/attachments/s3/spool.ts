import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const CHUNK_SIZE = 64 * 1024;

/** Content that has been received completely into an unlinked temporary file, which disappears even if the process is killed. */
export class Spool {
  private constructor(
    private readonly file: FileHandle,
    /** In bytes. */
    readonly size: number,
    /** In hexadecimal. */
    readonly sha256: string,
  ) {}

  /** Reads a stream to its end. @throws the error of the stream */
  static async of(content: Readable): Promise<Spool> {
    const path = join(tmpdir(), `project-management-upload-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      const hash = createHash('sha256');
      let size = 0;
      await pipeline(content, async (chunks: AsyncIterable<Buffer | string>) => {
        for await (const chunk of chunks) {
          const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
          hash.update(bytes);
          size += bytes.length;
          await file.writeFile(bytes);
        }
      });
      return new Spool(file, size, hash.digest('hex'));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Returns a stream of the content from its beginning; can be called several times. */
  read(): Readable {
    return Readable.from(this.chunks(), { objectMode: false });
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.size;) {
      const { bytesRead, buffer } = await this.file.read(
        Buffer.allocUnsafe(CHUNK_SIZE),
        0,
        CHUNK_SIZE,
        position,
      );
      if (bytesRead === 0) throw new Error('The temporary file of an upload was truncated.');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}
