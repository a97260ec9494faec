import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { NoResourceError } from '../errors/domain-errors';
import { GitError, GitOutputError, GitUnavailableError } from '../git/git-errors';
import { NOBODY } from '../git/git-pools';
import { GitProgram } from '../git/git-program';
import { GitStore } from '../git/git-store';
import {
  findRecordedHashes,
  findStoredRepositories,
  findUnknownRepositories,
} from '../git-repositories/data/stored-repositories';
import { findRefDamage, type RefDamage } from '../git-repositories/refs/ref-repair';
import { findRecordedHeads } from '../pull-requests/data/recorded-heads';
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
        'marked as merged without a merge, and backups fail unless they leave the repositories out (--without-repositories).',
    );
  }
}

/** Damage to a ref of a repository, as `repairRef` takes it. */
export interface DamagedRef extends RefDamage {
  repositoryId: number;
}

/** Yields the damaged refs of all repositories with a folder. Changes nothing. @throws GitUnavailableError without git */
export async function* findDamagedRefs(
  snapshot: Snapshot,
  environment: Environment,
): AsyncGenerator<DamagedRef> {
  const git = new GitProgram(environment);
  const store = new GitStore(environment, git);
  for (let after = 0; ;) {
    const batch = await findStoredRepositories(snapshot, after, BATCH);
    for (const { id } of batch) {
      if (!(await store.has(id)) || !(await isOwn(store.folderOf(id)))) continue;
      for (const damage of await damageOf(snapshot, git, store, id)) yield { repositoryId: id, ...damage };
    }
    if (batch.length < BATCH) return;
    after = batch.at(-1)?.id ?? after;
  }
}

/** Yields the ids of the folders of git repositories that have no row, in no particular order. */
export async function* findFoldersWithoutRow(snapshot: Snapshot, store: GitStore): AsyncGenerator<number> {
  let batch: number[] = [];
  for await (const id of store.ids()) {
    if (batch.push(id) < BATCH) continue;
    yield* await findUnknownRepositories(snapshot, batch);
    batch = [];
  }
  yield* await findUnknownRepositories(snapshot, batch);
}

/** Returns the damaged refs of a repository; none when it has been removed, or git cannot read any, which `git fsck` reports. */
async function damageOf(
  snapshot: Snapshot,
  git: GitProgram,
  store: GitStore,
  id: number,
): Promise<RefDamage[]> {
  const heads = await findRecordedHeads(snapshot, id);
  const recorded = new Map([...(await findRecordedHashes(snapshot, id)), ...heads]);
  try {
    return await findRefDamage(git, { repository: store.folderOf(id), recorded });
  } catch (error) {
    // A NoResourceError: the repository has just been removed.
    if ([GitError, GitOutputError, NoResourceError].some((kind) => error instanceof kind)) return [];
    throw error;
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
  private readonly damaged = new Examples<string>();
  private readonly lost = new Examples<string>();
  /** Numbers of repositories with damaged refs, and of those in which all can be repaired. */
  private withDamage = 0;
  private repairable = 0;

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
        if (await this.store.has(id)) await this.checkRepository(id, canRead);
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
        'Make the user of the service the owner of GIT_ROOT.',
      );
    }
    if (canRead && this.present > 0) {
      yield* this.refs();
      yield this.contents();
    }
  }

  private *refs(): Generator<Finding> {
    if (this.damaged.count > 0) {
      yield problem(
        'git refs',
        `${counted(this.damaged.count, 'damaged ref')} in ${repositories(this.withDamage)}, such as ${this.damaged.text}.`,
        'pms doctor --fix points them at the commits that were recorded last. Until then, clones leave them out, pushes to them are ' +
          'refused, and backups fail.',
      );
    }
    if (this.lost.count > 0) {
      yield problem(
        'git refs',
        `${counted(this.lost.count, 'damaged ref')} that cannot be repaired, such as ${this.lost.text}.`,
        'Restore the folders of a backup, or push the commits again after deleting the files of these refs in GIT_ROOT.',
      );
    }
    if (this.withDamage === 0) yield ok('git refs', `Readable in ${repositories(this.present)}.`);
  }

  /** Checks for folders without rows. */
  async *folders(): AsyncGenerator<Finding> {
    const unknown = new Examples();
    for await (const id of findFoldersWithoutRow(this.snapshot, this.store)) unknown.add(id);
    if (unknown.count === 0) return;
    yield warning(
      'git orphans',
      `${counted(unknown.count, 'folder')} of git repositories without a row, such as ${unknown.text}.`,
      'The service puts them into GIT_ROOT/orphans, and removes them after 30 days. Is this the database that belongs to GIT_ROOT?',
    );
  }

  private async checkRepository(id: number, canRead: boolean): Promise<void> {
    this.present++;
    const folder = this.store.folderOf(id);
    if (!(await isOwn(folder))) {
      this.foreign.add(id);
      return;
    }
    if (!canRead) return;
    const damage = await damageOf(this.snapshot, this.git, this.store, id);
    for (const { name, obstacle } of damage) {
      if (obstacle === undefined) this.damaged.add(`${name} of ${id}`);
      else this.lost.add(`${name} of ${id} (${obstacle})`);
    }
    if (damage.length > 0) this.withDamage++;
    // Git would report the same refs as missing objects.
    if (damage.length > 0 && damage.every(({ obstacle }) => obstacle === undefined)) {
      this.repairable++;
      return;
    }
    const timeoutMs = this.end - Date.now();
    if (timeoutMs <= 0) return;
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
    const rest = this.present - this.read - this.repairable;
    return ok(
      'git objects',
      rest === 0
        ? `Complete in ${repositories(this.read)}.`
        : `Complete in ${repositories(this.read)}; ${rest} more were not checked within the time limit.`,
    );
  }
}

/** A number of things, such as the ids of repositories, and the first of them. */
class Examples<Thing extends number | string = number> {
  count = 0;
  private readonly things: Thing[] = [];

  add(thing: Thing): void {
    if (++this.count <= MAX_EXAMPLES) this.things.push(thing);
  }

  get text(): string {
    return this.things.join(', ');
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
