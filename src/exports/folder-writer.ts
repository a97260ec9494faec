import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const PRIVATE = { file: 0o600, folder: 0o700 };
const BUFFERED = 64 * 1024;

/** Writes files to a new folder that only its owner may read. Paths are relative to it, with slashes. */
export class FolderWriter {
  files = 0;
  bytes = 0;

  constructor(
    private readonly root: string,
    private readonly signal?: AbortSignal,
  ) {}

  /** Writes a text in pieces. */
  async text(path: string, write: (file: TextFile) => Promise<void>): Promise<void> {
    this.signal?.throwIfAborted();
    const file = new TextFile(await open(await this.place(path), 'wx', PRIVATE.file));
    try {
      await write(file);
      await file.flush();
    } finally {
      await file.close();
    }
    this.files++;
    this.bytes += file.bytes;
  }

  /** Writes the content of a stream. @returns its size */
  async content(path: string, content: Readable): Promise<number> {
    const file = createWriteStream(await this.place(path), { flags: 'wx', mode: PRIVATE.file });
    await pipeline(content, file, { signal: this.signal });
    this.files++;
    this.bytes += file.bytesWritten;
    return file.bytesWritten;
  }

  private async place(path: string): Promise<string> {
    const whole = join(this.root, ...path.split('/'));
    await mkdir(dirname(whole), { recursive: true, mode: PRIVATE.folder });
    return whole;
  }
}

/** A text that is written in pieces. */
export class TextFile {
  bytes = 0;
  private pending = '';

  constructor(private readonly file: FileHandle) {}

  async write(text: string): Promise<void> {
    this.pending += text;
    if (this.pending.length >= BUFFERED) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.pending);
    this.pending = '';
    this.bytes += bytes.length;
    await this.file.appendFile(bytes);
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
