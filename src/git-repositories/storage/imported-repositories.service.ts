import { rm } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { readBundle } from '../../git/git-bundle';
import { NOBODY } from '../../git/git-pools';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { checkPackedObjects } from '../../git/object-checks';
import { GitPushRepository } from '../data/git-push.repository';
import { BRANCHES, TAGS } from '../refs/ref-names';
import { readRefs } from '../refs/ref-states';
import { GitSizesService } from './git-sizes.service';

/** Number of refs that one transaction writes. */
const REFS_AT_ONCE = 200;

/** Runs work in a transaction of an import. */
export type ImportTransaction = (work: (manager: EntityManager) => Promise<void>) => Promise<void>;

/** A repository of an import, whose row exists. */
export interface ImportedRepository {
  id: number;
  /** The target of `HEAD`. */
  head: string;
  /** The path of its bundle; undefined if it has no refs. */
  bundle?: string;
}

/** Creates the folders of the repositories of an import (`docs/decisions/0069-imports.md`). */
@Injectable()
export class ImportedRepositoriesService {
  constructor(
    private readonly rows: GitPushRepository,
    private readonly sizes: GitSizesService,
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /** Whether there is a git. */
  isAvailable(): Promise<boolean> {
    return this.git.isAvailable();
  }

  /**
   * Creates a repository from its bundle. Its refs are recorded before its folder appears, so that they do not look like a push. A folder that
   * is already there comes from an import that was killed.
   * @param write runs work in a transaction that does not end the repository
   * @param commit the same for the transaction that ends it
   * @throws GitError if the bundle is damaged, or has an object that a push may not have
   */
  async make(
    { id, head, bundle }: ImportedRepository,
    write: ImportTransaction,
    commit: ImportTransaction,
  ): Promise<void> {
    // A worker that has lost the import must not remove what another one has made.
    await write(() => Promise.resolve());
    await this.store.remove(id);
    const folder = await this.store.makeTemporary('import');
    // A large bundle may take longer than leftovers are kept.
    const stopHeartbeat = this.store.keepAlive(folder);
    try {
      await this.store.makeAt(folder);
      if (bundle !== undefined) {
        await readBundle(this.git, folder, bundle);
        await checkPackedObjects(this.git, folder);
      }
      await this.git.run(['symbolic-ref', 'HEAD', head], { repository: folder, userId: NOBODY });
      await this.recordRefs(id, folder, write);
      await this.store.place(folder, id);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      stopHeartbeat();
    }
    await commit(await this.sizes.measured(id));
  }

  private async recordRefs(id: number, folder: string, write: ImportTransaction): Promise<void> {
    const { refs } = await readRefs(this.git, folder, { prefixes: [BRANCHES, TAGS], userId: NOBODY });
    for (let start = 0; start < refs.length; start += REFS_AT_ONCE) {
      const some = refs.slice(start, start + REFS_AT_ONCE).map(({ name, hash }) => ({ name, hash }));
      await write((manager) => this.rows.writeRefs(manager, id, some));
    }
  }
}
