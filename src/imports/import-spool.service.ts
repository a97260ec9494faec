import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { syncFolder } from '../synced-folders';
import { Environment } from '../config/environment';
import { exists, isMissing } from '../errors/missing-file';

const NAME = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The suffix of a folder whose archive is not complete. */
const INCOMPLETE = '.partial';
/** How long a folder without an import is kept, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

/** An archive in the spool. */
export interface SpooledArchive {
  spool: string;
  size: number;
}

/**
 * Folders of `IMPORT_ROOT` with the archives of imports, and what is computed from them. An archive is read several times and must not change
 * meanwhile, so it is copied first.
 */
@Injectable()
export class ImportSpoolService {
  private readonly root: string;

  constructor(environment: Environment) {
    this.root = resolve(environment.IMPORT_ROOT);
  }

  /** Stores an archive. It is complete and durable when the promise resolves, and does not exist when it rejects. */
  receive(content: Readable, signal?: AbortSignal): Promise<SpooledArchive> {
    return this.make(ARCHIVE, content, signal);
  }

  /** Makes a folder for the archive of a source. @param secrets encrypted, kept until the import has ended */
  async prepare(secrets: string): Promise<string> {
    const { spool } = await this.make(SECRETS, Readable.from([secrets]));
    return spool;
  }

  /** Returns the secrets of a source. */
  secretsOf(spool: string): Promise<string> {
    return readFile(join(this.folderOf(spool), SECRETS), 'utf8');
  }

  private async make(name: string, content: Readable, signal?: AbortSignal): Promise<SpooledArchive> {
    const spool = randomUUID();
    const partial = join(this.root, spool + INCOMPLETE);
    await mkdir(partial, { recursive: true, mode: 0o700 });
    try {
      const path = join(partial, name);
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal });
      const { size } = await lstat(path);
      await syncFolder(partial);
      await rename(partial, join(this.root, spool));
      await syncFolder(this.root);
      return { spool, size };
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  }

  /** Copies a file. */
  copy(path: string, signal?: AbortSignal): Promise<SpooledArchive> {
    return this.receive(createReadStream(path), signal);
  }

  /** Whether this machine has the archive of an import. */
  has(spool: string): Promise<boolean> {
    return exists(this.archiveOf(spool));
  }

  /** Whether this machine has the secrets of a source. */
  hasSecrets(spool: string): Promise<boolean> {
    return exists(join(this.folderOf(spool), SECRETS));
  }

  /** Whether this machine has the archive of an import, and a file is the same. */
  async hasSame(spool: string, path: string): Promise<boolean> {
    if (!(await this.has(spool))) return false;
    const [kept, other] = [await digestOf(this.archiveOf(spool)), await digestOf(path)];
    return kept === other;
  }

  /** Returns the path of an archive. */
  archiveOf(spool: string): string {
    return join(this.folderOf(spool), ARCHIVE);
  }

  /** Returns the folder of an import, in which its phases keep files. */
  folderOf(spool: string): string {
    if (!NAME.test(spool)) throw new Error(`${JSON.stringify(spool)} is not the name of a folder`);
    return join(this.root, spool);
  }

  async remove(spool: string): Promise<void> {
    // The thread that reads a cancelled source may still write.
    await rm(this.folderOf(spool), { recursive: true, force: true, maxRetries: 5 });
  }

  /** Removes folders without an import that are a day old. @param used the names of the others */
  async removeUnused(used: ReadonlySet<string>): Promise<void> {
    for (const name of await namesIn(this.root)) {
      const spool = name.endsWith(INCOMPLETE) ? name.slice(0, -INCOMPLETE.length) : name;
      if (used.has(name) || !NAME.test(spool)) continue;
      const path = join(this.root, name);
      const { mtimeMs } = await lstat(path);
      if (Date.now() - mtimeMs >= KEPT_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

const ARCHIVE = 'archive.pms';
const SECRETS = 'secrets';

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Replaces a small file. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}${INCOMPLETE}`, text, { mode: 0o600, flush: true });
  await rename(`${path}${INCOMPLETE}`, path);
}
