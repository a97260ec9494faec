import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { NoResourceError } from '../errors/domain-errors';
import { GitError, GitUnavailableError } from '../git/git-errors';
import { GitProgram, NOBODY } from '../git/git-program';
import { GitStore } from '../git/git-store';
import {
  findStoredRepositories,
  findUnknownRepositories,
} from '../git-repositories/data/stored-repositories';
import { counted } from '../quantities';
import { type Finding, ok, problem, warning } from './finding';

const BATCH = 500;
const MAX_EXAMPLES = 5;
/** Time limit for checking the contents of repositories, in milliseconds. */
const FSCK_MS = 60_000;

const repositories = (count: number): string => counted(count, 'git repository', 'git repositories');

/** Checks whether there is a usable git. */
export async function* checkGit(environment: Environment): AsyncGenerator<Finding> {
  try {
    yield ok('git', `Version ${await new GitProgram(environment).requireVersion()}.`);
  } catch (error) {
    if (!(error instanceof GitUnavailableError)) throw error;
    yield warning(
      'git',
      `${error.reason}.`,
      'Install git 2.38 or later, or set GIT_PATH. Without it, clones and pushes fail (503), pull requests have no commits and are ' +
        'merged in name only, and backups fail unless they leave the repositories out (--without-repositories).',
    );
  }
}

/** Checks whether rows and folders match, and whether git can read the folders. */
export async function* checkRepositories(
  snapshot: Snapshot,
  environment: Environment,
): AsyncGenerator<Finding> {
  const git = new GitProgram(environment);
  const store = new GitStore(environment, git);
  const check = new RepositoryCheck(snapshot, git, store);
  yield* check.rows();
  yield* check.folders();
}

class RepositoryCheck {
  private readonly end = Date.now() + FSCK_MS;
  private count = 0;
  private present = 0;
  private read = 0;
  private readonly missing = new Examples();
  private readonly foreign = new Examples();
  private readonly broken = new Examples();

  constructor(
    private readonly snapshot: Snapshot,
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  async *rows(): AsyncGenerator<Finding> {
    const canRead = await this.git.isAvailable();
    for (let after = 0; ;) {
      const batch = await findStoredRepositories(this.snapshot, after, BATCH);
      for (const { id, wasPushed } of batch) {
        this.count++;
        if (await this.store.has(id)) await this.look(id, canRead);
        else if (wasPushed) this.missing.add(id);
      }
      if (batch.length < BATCH) break;
      after = batch.at(-1)?.id ?? after;
    }
    yield this.missing.count === 0
      ? ok('git repositories', `${repositories(this.count)}, ${this.present} with a folder; none is missing.`)
      : problem(
          'git repositories',
          `The folders of ${repositories(this.missing.count)} are missing, such as ${this.missing.text}.`,
          'Mount GIT_ROOT, or restore the folders of a backup.',
        );
    if (this.foreign.count > 0) {
      yield problem(
        'git folders',
        `${counted(this.foreign.count, 'folder')} cannot be written or belong to another user, such as ${this.foreign.text}.`,
        'Give GIT_ROOT to the user of the service.',
      );
    }
    if (canRead && this.present > 0) yield this.contents();
  }

  /** Checks for folders without rows. */
  async *folders(): AsyncGenerator<Finding> {
    const unknown = new Examples();
    let batch: number[] = [];
    const look = async (): Promise<void> => {
      for (const id of await findUnknownRepositories(this.snapshot, batch)) unknown.add(id);
      batch = [];
    };
    for await (const id of this.store.ids()) {
      batch.push(id);
      if (batch.length >= BATCH) await look();
    }
    await look();
    if (unknown.count === 0) return;
    yield warning(
      'git orphans',
      `${counted(unknown.count, 'folder')} of git repositories without a row, such as ${unknown.text}.`,
      'The service puts them into GIT_ROOT/orphans, and removes them after 30 days. Is this the database that belongs to GIT_ROOT?',
    );
  }

  private async look(id: number, canRead: boolean): Promise<void> {
    this.present++;
    const folder = this.store.folderOf(id);
    if (!(await isOwn(folder))) {
      this.foreign.add(id);
      return;
    }
    const timeoutMs = this.end - Date.now();
    if (!canRead || timeoutMs <= 0) return;
    try {
      const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
      await this.git.run(args, { repository: folder, userId: NOBODY, timeoutMs });
      this.read++;
    } catch (error) {
      // The repository has just been removed.
      if (error instanceof NoResourceError) return;
      if (!(error instanceof GitError)) throw error;
      // Without an exit code, the time limit was reached.
      if (error.code !== null && (await this.store.has(id))) this.broken.add(id);
    }
  }

  private contents(): Finding {
    if (this.broken.count > 0) {
      return problem(
        'git objects',
        `Objects are missing in ${repositories(this.broken.count)}, such as ${this.broken.text}.`,
        'Run git fsck there, and restore the folders of a backup.',
      );
    }
    const rest = this.present - this.read;
    return ok(
      'git objects',
      rest === 0
        ? `Whole in ${repositories(this.read)}.`
        : `Whole in ${repositories(this.read)}; there was no time for ${rest} more.`,
    );
  }
}

/** Number of repositories, and the first of them. */
class Examples {
  count = 0;
  private readonly ids: number[] = [];

  add(id: number): void {
    if (++this.count <= MAX_EXAMPLES) this.ids.push(id);
  }

  get text(): string {
    return this.ids.join(', ');
  }
}

/** Whether a folder belongs to the current user and can be written. */
async function isOwn(folder: string): Promise<boolean> {
  try {
    const { uid } = await lstat(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    // Windows has no such ids; for root, a folder is assumed to belong to the user of the service.
    const own = process.getuid?.();
    return own === undefined || own === 0 || uid === own;
  } catch {
    return false;
  }
}
