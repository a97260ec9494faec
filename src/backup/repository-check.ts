import { createHash, type Hash } from 'node:crypto';
import { type TarEntry } from './archive/tar';
import { DamagedBackupError } from './backup.error';
import { type BackupManifest, repositoryLine, type RepositoryContents } from './format';

/** Checks the git repositories of a backup or an archive, entry by entry, against what its end says of them. */
export class RepositoryCheck {
  private readonly digest = createHash('sha256');
  private bundle?: { id: number; hash: Hash; parts: number; bytes: number };
  private count = 0;
  private bytes = 0;

  /** Reads a part of a bundle. @throws DamagedBackupError if an earlier part is missing */
  async readPart(id: number, part: number, entry: TarEntry): Promise<void> {
    const add = this.addPart(id, part, entry.size);
    for await (const chunk of entry.content()) add(chunk);
  }

  /** Begins a part of a bundle. @returns a function that takes its bytes; @throws DamagedBackupError if an earlier part is missing */
  addPart(id: number, part: number, size: number): (bytes: Buffer) => void {
    // A first part starts over: git may have failed, or the repository may have been removed, in the middle of an earlier bundle.
    if (part === 1) this.bundle = { id, hash: createHash('sha256'), parts: 0, bytes: 0 };
    const { bundle } = this;
    if (bundle?.id !== id || part !== ++bundle.parts) {
      throw new DamagedBackupError(`parts of the git repository ${id} are missing`);
    }
    bundle.bytes += size;
    return (bytes) => bundle.hash.update(bytes);
  }

  /** Ends a repository. @throws DamagedBackupError if its parts are not those that were written */
  end(id: number, contents: RepositoryContents): void {
    const empty = { hash: createHash('sha256'), parts: 0, bytes: 0 };
    const { hash, parts, bytes } = this.bundle?.id === id && contents.parts > 0 ? this.bundle : empty;
    if (contents.parts !== parts || contents.bytes !== bytes || contents.sha256 !== hash.digest('hex')) {
      throw new DamagedBackupError(`the git repository ${id} is not the one that was written`);
    }
    this.bundle = undefined;
    this.digest.update(repositoryLine(id, contents));
    this.count++;
    this.bytes += bytes;
  }

  /** @throws DamagedBackupError if the repositories are not those that were written */
  compare(written: BackupManifest['repositories']): void {
    // Backups of format 1 have none.
    const isWritten = written
      ? written.count === this.count &&
        written.bytes === this.bytes &&
        written.sha256 === this.digest.digest('hex')
      : this.count === 0;
    if (!isWritten) {
      throw new DamagedBackupError('its git repositories are not those that were written');
    }
  }
}
