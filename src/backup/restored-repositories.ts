import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../synced-folders';
import { type Environment } from '../config/environment';
import { exists, isMissing } from '../errors/missing-file';
import { readBundle } from '../git/git-bundle';
import { NOBODY } from '../git/git-pools';
import { GitProgram } from '../git/git-program';
import { GitStore } from '../git/git-store';
import { isRefName } from '../git-repositories/refs/ref-names';
import { counted } from '../quantities';
import { BackupError, DamagedBackupError } from './backup.error';
import { type BackupManifest, type RepositoryContents } from './format';

/**
 * Creates git repositories from bundles in `restore` of `GIT_ROOT`, and moves them all to their places at the end. A note identifies their
 * backup, so that a restore that was killed while moving them can be run again.
 */
export class RestoredRepositories {
  private readonly git: GitProgram;
  private readonly store: GitStore;
  private readonly folder: string;
  private readonly existing = new Set<number>();
  private readonly made: number[] = [];
  private digest = '';

  /** @param isLeftOut whether to restore none */
  constructor(
    environment: Environment,
    private readonly isLeftOut: boolean,
  ) {
    this.git = new GitProgram(environment);
    this.store = new GitStore(environment, this.git);
    this.folder = this.store.restoreFolder;
  }

  /** Number of repositories. */
  get count(): number {
    return this.made.length;
  }

  /** Records whether the folder of a repository already exists. */
  async recordExisting(id: number): Promise<void> {
    if (!this.isLeftOut && (await exists(this.store.folderOf(id)))) this.existing.add(id);
  }

  /** @throws BackupError if the repositories cannot be restored */
  async begin(manifest: BackupManifest): Promise<void> {
    const { count } = manifest.repositories ?? { count: 0 };
    if (this.isLeftOut || count === 0) return;
    if (!(await this.git.isAvailable())) {
      throw new BackupError(
        `Git is needed to restore ${counted(count, 'git repository', 'git repositories')}: install it, set GIT_PATH, or ` +
          'leave them out with --without-repositories.',
      );
    }
    const digest = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
    const isContinued = (await this.readNote()) === digest;
    const [existing] = this.existing;
    if (existing !== undefined && !isContinued) {
      throw new BackupError(
        `GIT_ROOT already has a git repository ${existing}: a backup can only be restored into an empty folder. Move it away, or set ` +
          'GIT_ROOT to another one.',
      );
    }
    // Only from here on does the folder belong to this restore.
    this.digest = digest;
    await this.removeDrafts(isContinued);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Shows that the restore is running, however long the rows take. @returns a function that ends this */
  keepAlive(): () => void {
    return this.store.keepAlive(this.folder);
  }

  /** Stores a part of a bundle. */
  async write(id: number, part: number, content: AsyncIterable<Buffer>): Promise<void> {
    if (this.isLeftOut) return;
    const file = await open(this.bundleOf(id), part === 1 ? 'w' : 'a', 0o600);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
  }

  /** Creates a repository from its bundle. */
  async make(id: number, { head, parts }: RepositoryContents): Promise<void> {
    if (this.isLeftOut) return;
    if (!isRefName(head))
      throw new DamagedBackupError(`the git repository ${id} has no valid default branch`);
    const draft = this.draftOf(id);
    await mkdir(draft, { mode: 0o700 });
    await this.store.makeAt(draft);
    if (parts > 0) {
      await readBundle(this.git, draft, this.bundleOf(id));
      await rm(this.bundleOf(id));
    }
    await this.git.run(['symbolic-ref', 'HEAD', head], { repository: draft, userId: NOBODY });
    this.made.push(id);
  }

  /** Moves all repositories to their places. @param placed is called for each */
  async moveAll(placed: (repositories: number) => void): Promise<void> {
    if (this.made.length === 0) return;
    await writeFile(this.notePath, this.digest, { mode: 0o600, flush: true });
    await syncFolder(this.folder);
    for (const [index, id] of this.made.entries()) {
      if (this.existing.has(id)) await this.store.remove(id);
      await this.store.place(this.draftOf(id), id);
      placed(index + 1);
    }
  }

  /** Removes the folder of the restore. */
  async end(): Promise<void> {
    if (this.digest !== '') await rm(this.folder, { recursive: true, force: true });
  }

  /** Removes the repositories that have been created but not moved. */
  async abandon(): Promise<void> {
    if (this.digest !== '') await this.removeDrafts(true);
  }

  private async removeDrafts(isNoteKept: boolean): Promise<void> {
    const note = isNoteKept ? await this.readNote() : undefined;
    await rm(this.folder, { recursive: true, force: true });
    if (note === undefined) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(this.notePath, note, { mode: 0o600, flush: true });
  }

  private async readNote(): Promise<string | undefined> {
    try {
      return await readFile(this.notePath, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private get notePath(): string {
    return join(this.folder, 'backup');
  }

  private readonly draftOf = (id: number): string => join(this.folder, `${id}.git`);
  private readonly bundleOf = (id: number): string => join(this.folder, `${id}.bundle`);
}
