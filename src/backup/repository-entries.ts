import { createHash, type Hash } from 'node:crypto';
import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { bundleParts } from '../git/git-bundle';
import { GitProgram } from '../git/git-program';
import { GitStore } from '../git/git-store';
import {
  findStoredRepositories,
  hasRepository,
  type StoredRepository,
} from '../git-repositories/data/stored-repositories';
import { counted } from '../quantities';
import { tarEntry } from './archive/tar';
import { BackupError } from './backup.error';
import {
  type BackupManifest,
  bundleEntry,
  repositoryEntry,
  repositoryLine,
  type RepositoryContents,
} from './format';

const BATCH = 1000;
const NO_BUNDLE = { parts: 0, bytes: 0, sha256: createHash('sha256').digest('hex') };

/** How repositories are written. */
export interface RepositoryOptions {
  /** The time of the entries. */
  modified: Date;
  isLeftOut: boolean;
  /** Names the work in errors. */
  purpose: 'back up' | 'export';
}

/**
 * Writes git repositories into an archive, each as a bundle. They are read after the rows, so that they contain all commits that the rows
 * reference. They also contain later pushes, which the service records when it uses the restored database.
 */
export class RepositoryEntries {
  private readonly git: GitProgram;
  private readonly store: GitStore;
  private readonly hash: Hash = createHash('sha256');
  private repositories: StoredRepository[] = [];
  private count = 0;
  private bytes = 0;
  private readonly lost: number[] = [];

  /** @param progress called for each repository */
  constructor(
    environment: Environment,
    private readonly options: RepositoryOptions,
    private readonly progress: (repositories: number, bytes: number) => void,
  ) {
    this.git = new GitProgram(environment);
    this.store = new GitStore(environment, this.git);
  }

  /**
   * Lists the repositories.
   * @param only the ids of those to write; all by default
   * @throws BackupError if there are some to read but no git
   */
  async list(snapshot: Snapshot, only?: ReadonlySet<number>): Promise<void> {
    let after = 0;
    for (;;) {
      const batch = await findStoredRepositories(snapshot, after, BATCH);
      this.repositories.push(...batch.filter(({ id }) => !only || only.has(id)));
      if (batch.length < BATCH) break;
      after = (batch.at(-1) as StoredRepository).id;
    }
    if (this.options.isLeftOut || (await this.git.isAvailable())) return;
    let unread = 0;
    for (const { id, wasPushed } of this.repositories) {
      if (wasPushed || (await this.store.has(id))) unread++;
    }
    if (unread === 0) return;
    throw new BackupError(
      `Git is needed to ${this.options.purpose} ${counted(unread, 'git repository', 'git repositories')}: install it, set GIT_PATH, or ` +
        'leave them out with --without-repositories.',
    );
  }

  /** @param open opens a snapshot of the current database */
  async *write(
    open: () => Promise<Snapshot>,
  ): AsyncGenerator<Buffer, NonNullable<BackupManifest['repositories']>> {
    if (!this.options.isLeftOut) for (const each of this.repositories) yield* this.repository(each, open);
    return {
      count: this.count,
      bytes: this.bytes,
      sha256: this.hash.digest('hex'),
      lost: this.lost,
      ...(this.options.isLeftOut && { isLeftOut: true }),
    };
  }

  private async *repository(
    { id, wasPushed }: StoredRepository,
    open: () => Promise<Snapshot>,
  ): AsyncGenerator<Buffer> {
    if (!(await this.store.has(id))) {
      if (wasPushed && (await this.isStillThere(id, open))) this.lost.push(id);
      return;
    }
    const contents = yield* this.bundle(id);
    // The repository was removed while it was being read.
    if (!contents) return;
    yield* tarEntry(repositoryEntry(id), Buffer.from(`${JSON.stringify(contents)}\n`), this.options.modified);
    this.hash.update(repositoryLine(id, contents));
    this.progress(++this.count, (this.bytes += contents.bytes));
  }

  private async *bundle(id: number): AsyncGenerator<Buffer, RepositoryContents | undefined> {
    try {
      return yield* bundleEntries(this.git, await this.store.open(id), id, this.options.modified);
    } catch (error) {
      if (!(await this.store.has(id))) return undefined;
      throw new BackupError(`The git repository ${id} cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private async isStillThere(id: number, open: () => Promise<Snapshot>): Promise<boolean> {
    const snapshot = await open();
    try {
      return await hasRepository(snapshot, id);
    } finally {
      await snapshot.close();
    }
  }
}

/** Yields the parts of a repository's bundle as entries, and returns what `repository.json` says about them. */
export async function* bundleEntries(
  git: GitProgram,
  repository: string,
  id: number,
  modified: Date,
): AsyncGenerator<Buffer, RepositoryContents> {
  let hash = createHash('sha256');
  let bytes = 0;
  let count = 0;
  const parts = bundleParts(git, repository);
  for (;;) {
    const { value, done } = await parts.next();
    if (done) {
      if (value.isEmpty) return { head: value.head, ...NO_BUNDLE };
      return { head: value.head, parts: count, bytes, sha256: hash.digest('hex') };
    }
    if (value.number === 1) {
      hash = createHash('sha256');
      bytes = 0;
    }
    count = value.number;
    hash.update(value.bytes);
    bytes += value.bytes.length;
    yield* tarEntry(bundleEntry(id, value.number), value.bytes, modified);
  }
}
